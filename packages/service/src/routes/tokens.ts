import {
  CreateTokenBody,
  LIMITS,
  OrderedPageQuery,
  Page,
  RenewBody,
  ReplaceBody,
  Token,
  UpdateTokenBody,
} from '@badge/protocol';
import type { Context } from '../context.ts';
import { findRenewalErrors, requestRenewal } from '../domain/claims/request-renewal.ts';
import { listTokens } from '../domain/tokens/list-tokens.ts';
import { readToken } from '../domain/tokens/read-token.ts';
import { requestReplacement } from '../domain/tokens/request-replacement.ts';
import { requestToken } from '../domain/tokens/request-token.ts';
import { findCreationErrors, findValidityErrors } from '../domain/tokens/rules.ts';
import { updateToken } from '../domain/tokens/update-token.ts';
import { callerOf } from '../http/auth.ts';
import { chainCallsOf } from '../http/chain-calls.ts';
import { operationKeyOf } from '../http/idempotency/idempotency.ts';
import { sendObject } from '../http/reads/send-page.ts';
import { sendToken, sendTokenPage } from '../http/reads/send-tokens.ts';
import {
  type App,
  acceptedResponse,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
  SIGNATURE_ERRORS,
  sendAccepted,
  TokenParams,
} from './route.ts';

export function tokenRoutes(app: App, context: Context): void {
  app.post(
    '/tokens',
    {
      config: { access: 'community', role: 'editor', findBodyErrors: findCreationErrors },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'createToken',
        tags: ['Tokens'],
        summary: 'Create a token',
        description: paragraphs(
          'Accepts a token that its creator has signed with the type `Badge`, and starts the operation that creates it. The fields `creator`, `nftTypeId`, `contributors`, `customAttributes`, `criteria`, `claimableFromTimestamp`, `validUntilTimestamp` and `validityDays` are not signed. An absent field is signed as `""`, `[]` or `0`.',
          '- **Repetitions.** Send an `Idempotency-Key`. Without one, an equal request within 60 seconds returns the same `Location`, with `Idempotency-Replayed: true`.',
          "- **Names of custom attributes.** No two attributes of a token have the same `fieldName`; names that differ only in case are different. Some names are reserved, also in another case and with white space around them: those of the fields of this request, of the token and of a wallet's tokens, and `isHidden`, `limit`, `offset` and `order`. `reservedAttributeNames` in the community's configuration lists them.",
          '- **Values of custom attributes.** `string`: up to 2,048 characters. `number`: a finite number. `boolean`: `true` or `false`. `date`: whole milliseconds since 1970 in UTC, `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM[:SS[.fraction]]`, optionally with `Z` or an offset. An attribute is returned exactly as it was sent; fields other than these three are dropped.',
          '- **Size.** `headline`, `description`, `links` and `customAttributes` together have at most 64 KiB (`limits.tokenBytes`), as one JSON object in UTF-8, as `JSON.stringify` writes it, with an absent field as `""` or `[]`.',
        ),
        body: CreateTokenBody,
        response: {
          202: acceptedResponse,
          ...problemResponses(
            'InvalidRequest',
            ...SIGNATURE_ERRORS,
            ...KEY_ERRORS,
            'BadgeRegisterRequestNotSignedByCreator',
            'CommunityNotFound',
            'NftTypeNotFound',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const key = operationKeyOf(request);
      return sendAccepted(
        reply,
        await requestToken(context, callerOf(request), {
          body,
          key,
          runChainCalls: chainCallsOf(request, reply),
        }),
      );
    },
  );

  app.get(
    '/tokens',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'listTokens',
        tags: ['Tokens'],
        summary: 'List tokens',
        description:
          'Lists tokens by `tokenId`. In ascending order, new tokens do not shift the offsets. So reading page by page returns every token once, unless a token is hidden or shown meanwhile. Hidden tokens are left out.',
        querystring: OrderedPageQuery,
        response: {
          200: jsonResponse('A page of tokens.', Page(Token)),
          ...problemResponses('InvalidRequest'),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, order = 'asc' } = request.query;
      const page = { limit, offset, order };
      const key = `tokens ${order} ${limit} ${offset}`;
      return await sendTokenPage(request, reply, { key, page }, (reader) =>
        listTokens(context, reader, page),
      );
    },
  );

  app.get(
    '/tokens/:tokenId',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readToken',
        tags: ['Tokens'],
        summary: 'Retrieve a token',
        description: 'Also returns a hidden token.',
        params: TokenParams,
        response: { 200: jsonResponse('The token.', Token), ...problemResponses('TokenNotFound') },
      },
    },
    async (request, reply) =>
      await sendToken(request, reply, {
        key: `token ${request.params.tokenId}`,
        read: (reader) => readToken(context, reader, request.params.tokenId),
        idOf: ({ tokenId }) => tokenId,
      }),
  );

  app.patch(
    '/tokens/:tokenId',
    {
      config: { access: 'community', role: 'editor', findBodyErrors: findValidityErrors },
      schema: {
        operationId: 'updateToken',
        tags: ['Tokens'],
        summary: 'Change a token',
        description:
          'Hides or shows the token, or changes its criteria, from when it can be claimed, and when it ends. A claim that was accepted in time stays accepted. A new end holds at once for every owner for whom the token was not renewed. Of a token that another one has replaced, only `isHidden` can be changed. Lists of all tokens and of its community leave out a hidden token, and their offsets do not count it. It can still be retrieved by its id, appears in wallets, keeps its image and can be claimed. Fields that are not sent do not change. At least one is required. An unknown field is rejected.',
        params: TokenParams,
        body: UpdateTokenBody,
        response: {
          200: jsonResponse('The token.', Token),
          ...problemResponses(
            ...KEY_ERRORS,
            'TokenNotFound',
            'TokenReplaced',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const { body, params } = request;
      return await sendObject(request, reply, (reader) =>
        updateToken(context, reader, callerOf(request), { ...params, ...body }),
      );
    },
  );

  app.post(
    '/tokens/:tokenId/renew',
    {
      config: { access: 'community', role: 'issuer', findBodyErrors: findRenewalErrors },
      schema: {
        operationId: 'renewToken',
        tags: ['Tokens'],
        summary: 'Renew a token',
        description: paragraphs(
          "Lets the token of up to 1,000 addresses end at another time, also if it has ended. This time replaces that of the token for them: a later change of the token's `validUntilTimestamp` or `validityDays` does not change it, and a replacement keeps it.",
          'A renewal is for all of the addresses, or for none. If one of them does not have the token, the response is 409 `TokenNotOwned`, and `errors` has their pointers. Equal addresses count once. In mixed case, an address must have the right EIP-55 checksum. There is an event `badge.renewed` for each address, and before it `badge.expired` for one whose token has ended, unless there was one. Each owner gets another credential; one that says a later end is revoked.',
        ),
        params: TokenParams,
        body: RenewBody,
        response: {
          202: acceptedResponse,
          ...problemResponses(
            ...KEY_ERRORS,
            'TokenNotFound',
            'TokenReplaced',
            'TokenNotOwned',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestRenewal(context, callerOf(request), {
          ...request.params,
          body: request.body,
          key: operationKeyOf(request),
        }),
      ),
  );

  app.post(
    '/tokens/:tokenId/replace',
    {
      config: { access: 'community', role: 'editor' },
      schema: {
        operationId: 'replaceToken',
        tags: ['Tokens'],
        summary: 'Replace a token',
        description: paragraphs(
          'Moves everybody from a token to a corrected one, in one operation. First create the corrected token; if it has an allowlist, with its creator as the only contributor.',
          '- **The replacement** is another token of the same community, creator, `isAllowlistRequired` and `isSignatureRequired`. Nobody has claimed it, it has replaced no other token, and it has no contributors but its creator. An open one must have room for all claims that were ever made. Otherwise the response, or the operation, is 409 `ReplacementMismatch`.',
          '- **Afterwards**, each owner has the replacement, with the first `claimedAtTimestamp`. What was burnt, revoked or moved stays so. The recipients, the allowlist, claim links, links for rooms with their counts, invitations and reservations are those of the replacement. Nobody is lost and nobody has two, whatever is claimed at the same time: an operation that was accepted before is settled on the replacement.',
          '- **A code works at the token that it was made for, and at the replacement.** So printed codes, mails and links keep working.',
          '- **The old token** is hidden and has `replacedByTokenId`. Its owners have the status `replaced`, and their credentials are revoked: 410 `CredentialRevoked`. Every change except `isHidden` is 409 `TokenReplaced`. Gates that name it must name the replacement. Signatures stay evidence of the old token.',
          '- **Size.** A token with more than 50,000 owners and waiting people cannot be replaced: 409 `ReplacementTooLarge`.',
        ),
        params: TokenParams,
        body: ReplaceBody,
        response: {
          202: acceptedResponse,
          ...problemResponses(
            ...KEY_ERRORS,
            'TokenNotFound',
            'TokenReplaced',
            'ReplacementMismatch',
            'ReplacementTooLarge',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestReplacement(context, callerOf(request), {
          ...request.params,
          body: request.body,
          key: operationKeyOf(request),
        }),
      ),
  );
}
