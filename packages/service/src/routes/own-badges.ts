import { LIMITS, MoveBadgesBody, OwnToken, Page, PageQuery, RefusedCommunity } from '@badge/protocol';
import type { Context } from '../context.ts';
import { findAddressFieldErrors } from '../domain/address-errors.ts';
import { hideToken, showToken } from '../domain/holders/hide-token.ts';
import {
  acceptCommunity,
  listRefusedCommunities,
  refuseCommunity,
} from '../domain/holders/refuse-community.ts';
import { removeDefaultAddress } from '../domain/holders/remove-default-address.ts';
import { requestMoveBadges } from '../domain/holders/request-move-badges.ts';
import { listOwnTokens } from '../domain/tokens/list-tokens.ts';
import { callerOf, sessionOf } from '../http/auth.ts';
import { chainCallsOf } from '../http/chain-calls.ts';
import { operationKeyOf } from '../http/idempotency/idempotency.ts';
import { sendPage, sendPageInPieces } from '../http/reads/send-page.ts';
import {
  type App,
  acceptedResponse,
  CommunityParams,
  jsonResponse,
  paragraphs,
  problemResponses,
  SESSION_ERRORS,
  SIGNATURE_ERRORS,
  sendAccepted,
  TokenParams,
} from './route.ts';

const WRITE_ERRORS = [...SESSION_ERRORS, 'TooLarge', 'UnsupportedMediaType'] as const;

/** What people decide about their own badges, with a session of their wallet or their e-mail. */
export function ownBadgeRoutes(app: App, context: Context): void {
  app.get(
    '/sessions/current/tokens',
    {
      config: { access: 'session', isListCountedOnce: true },
      schema: {
        operationId: 'listOwnTokens',
        tags: ['Sessions'],
        summary: 'List your tokens',
        description:
          'Lists the tokens that the one who has signed in has, over all communities, newest token first: those of the wallet, or those that the service keeps for the e-mail. Tokens that have ended are listed with `isExpired`. A request that would take longer than 1 second fails with 503 `Unavailable`.',
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of tokens.', Page(OwnToken)),
          ...problemResponses(...SESSION_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPageInPieces(request, reply, page, (reader) =>
        listOwnTokens(context, reader, sessionOf(request), page),
      );
    },
  );

  app.post(
    '/sessions/current/moveBadges',
    {
      config: {
        access: 'session',
        findBodyErrors: (body) => findAddressFieldErrors(body, ['toAddress']),
      },
      schema: {
        operationId: 'moveBadges',
        tags: ['Sessions'],
        summary: 'Move your badges to a wallet',
        description: paragraphs(
          'Moves everything that is kept for the e-mail to a wallet, up to 1,000 badges. The wallet signs that it receives them: the type `ReceiveBadges` of `GET /v1/environment`. Each badge keeps its first `claimedAtTimestamp`, its end and its place, and no count changes; its credential is issued anew for the wallet. A badge that the wallet has, or has had, stays where it is: the operation has a warning with its `tokenId`. Nothing to move is no error.',
          'With `isDefault`, what is claimed later with the e-mail goes to the wallet. Then the wallet and the kept address of a community are one: neither can claim what the other one has, or has had. `DELETE /v1/sessions/current/defaultAddress` undoes it, without a signature.',
          'A signature can be used once. A contract wallet is asked on the chain of the signing domain. Each badge that moves has an event `badge.moved` and an entry in the audit log of its community, and nobody else learns of the others from it. Only a session by e-mail can send this request.',
          'Kept addresses of different communities have nothing in common that others see. A move ends this: everybody who sees the wallet sees its badges together, the times of the moves join it with the kept addresses, and organisers who know the e-mail find the wallet in their list of recipients. Say so before the person signs.',
        ),
        body: MoveBadgesBody,
        response: {
          202: acceptedResponse,
          ...problemResponses(...WRITE_ERRORS, ...SIGNATURE_ERRORS, 'RoleNotAllowed', 'NotSignedByReceiver'),
        },
      },
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestMoveBadges(context, callerOf(request), {
          body: request.body,
          key: operationKeyOf(request),
          runChainCalls: chainCallsOf(request, reply),
        }),
      ),
  );

  app.delete(
    '/sessions/current/defaultAddress',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'removeDefaultAddress',
        tags: ['Sessions'],
        summary: 'Keep your later badges again',
        description:
          'What is claimed later with the e-mail no longer goes to the `defaultAddress` of `GET /v1/sessions/current`: it is kept. What the wallet has stays there. The response is the same if there is no such wallet. Only a session by e-mail can send this request, and no signature is needed.',
        response: {
          204: { description: 'Later badges are kept.', type: 'null' },
          ...problemResponses(...WRITE_ERRORS, 'RoleNotAllowed'),
        },
      },
    },
    async (request, reply) => {
      await removeDefaultAddress(context, sessionOf(request));
      return reply.code(204).send(null);
    },
  );

  app.put(
    '/sessions/current/hiddenTokens/:tokenId',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'hideOwnToken',
        tags: ['Sessions'],
        summary: 'Hide a token of yours',
        description:
          'The web pages no longer show the token among those of its address, unless its owner has signed in. Calls of the API go on listing it, with `isHiddenByOwner`. A token that moves to a wallet, or is replaced, stays hidden.',
        params: TokenParams,
        response: {
          204: { description: 'Hidden.', type: 'null' },
          ...problemResponses(...WRITE_ERRORS, 'TokenNotFound', 'TokenNotOwned', 'TokenReplaced'),
        },
      },
    },
    async (request, reply) => {
      await hideToken(context, sessionOf(request), request.params.tokenId);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/sessions/current/hiddenTokens/:tokenId',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'showOwnToken',
        tags: ['Sessions'],
        summary: 'Show a token of yours again',
        description: 'Undoes `PUT`. The response is the same if the token is not hidden.',
        params: TokenParams,
        response: {
          204: { description: 'Not hidden.', type: 'null' },
          ...problemResponses(...WRITE_ERRORS, 'TokenNotFound', 'TokenReplaced'),
        },
      },
    },
    async (request, reply) => {
      await showToken(context, sessionOf(request), request.params.tokenId);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/sessions/current/refusedCommunities',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'listRefusedCommunities',
        tags: ['Sessions'],
        summary: 'List the communities that you refuse',
        description: 'Returns the communities from which others can give no badge to you.',
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of communities, in the order of their ids.', Page(RefusedCommunity)),
          ...problemResponses(...SESSION_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        listRefusedCommunities(context, reader, sessionOf(request), page),
      );
    },
  );

  app.put(
    '/sessions/current/refusedCommunities/:communityId',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'refuseCommunity',
        tags: ['Sessions'],
        summary: 'Refuse the badges of a community',
        description:
          'From now on, nobody can give tokens of the community to the address of the one who has signed in: airdrops, moves by an editor, and claims without the signature or the session of the claimer fail with 409 `RecipientRefuses`, also those that were accepted and are not settled yet. One can still claim oneself, and what one has stays. After a sign-in by e-mail, this holds for the kept address only. A wallet refuses for itself, also what somebody claims with an e-mail whose later badges go there.',
        params: CommunityParams,
        response: {
          204: { description: 'Refused.', type: 'null' },
          ...problemResponses(
            ...WRITE_ERRORS,
            'RoleNotAllowed',
            'CommunityNotFound',
            'KeptBadgesUnavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      await refuseCommunity(context, sessionOf(request), request.params.communityId);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/sessions/current/refusedCommunities/:communityId',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'acceptCommunity',
        tags: ['Sessions'],
        summary: 'Accept the badges of a community again',
        description: 'Undoes `PUT`. The response is the same if the community is not refused.',
        params: CommunityParams,
        response: {
          204: { description: 'Not refused.', type: 'null' },
          ...problemResponses(...WRITE_ERRORS, 'CommunityNotFound'),
        },
      },
    },
    async (request, reply) => {
      await acceptCommunity(context, sessionOf(request), request.params.communityId);
      return reply.code(204).send(null);
    },
  );
}
