import {
  CheckClaimCodeBody,
  ClaimCodeCheck,
  ClaimLink,
  ClaimLinksQuery,
  CreateClaimLinksBody,
  CreatedClaimLinks,
  LIMITS,
  Page,
  UpdateClaimLinkBody,
} from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { createClaimLinks } from '../domain/claim-links/create-claim-links.ts';
import { listClaimLinks, readAllClaimLinks } from '../domain/claim-links/list-claim-links.ts';
import { readClaimCode } from '../domain/claim-links/read-claim-code.ts';
import { revokeClaimLink } from '../domain/claim-links/revoke-claim-link.ts';
import { findClaimLinkErrors, findRoomTimeErrors } from '../domain/claim-links/rules.ts';
import { updateClaimLink } from '../domain/claim-links/update-claim-link.ts';
import { callerOf } from '../http/auth.ts';
import { nameAddress } from '../http/caller-names.ts';
import { chainCallsOf } from '../http/chain-calls.ts';
import { repetitionOf } from '../http/idempotency/idempotency.ts';
import { isCsvWanted } from '../http/reads/is-csv-wanted.ts';
import { sendCsv } from '../http/reads/send-csv.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { writeOf } from '../http/shares/write-connections.ts';
import {
  type App,
  jsonResponse,
  KEY_ERRORS,
  listResponse,
  paragraphs,
  problemResponses,
  SIGNATURE_ERRORS,
  TokenParams,
} from './route.ts';

const countClaimLinks = (body: unknown) => {
  const { identifiers, count } = body as CreateClaimLinksBody;
  return identifiers?.length ?? count ?? 1;
};
const ClaimLinkParams = Type.Object({
  ...TokenParams.properties,
  claimLinkId: Type.String({ description: 'The id of the link, not its code.' }),
});
const PATH_ERRORS = [...KEY_ERRORS, 'TokenNotFound'] as const;

export function claimLinkRoutes(app: App, context: Context): void {
  app.post(
    '/tokens/:tokenId/claimLinks',
    {
      config: {
        access: 'community',
        role: 'issuer',
        findBodyErrors: (body) => findClaimLinkErrors(body, Date.now()),
        idempotency: 'repeat',
        countCreatedItems: countClaimLinks,
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'createClaimLinks',
        tags: ['Claim links'],
        summary: 'Create claim links',
        description: paragraphs(
          'A claim link lets people claim without a key: people who are known only by e-mail, have no wallet at hand that can sign, or sit in one room. Send one of four forms:',
          '- **`identifiers`**, allowlisted token: a link for each. Its code claims for the identifier, which can have several links. Once it has claimed, with a code or in another way, all its links that are not revoked are `used`.',
          '- **`count` and `signature`**, allowlisted token: links that each add an entry to the allowlist, which only their code can use.',
          '- **`count`**, open token: links whose code replaces the key once. They reserve no place: if no tokens are left, the claim is refused with `NoTokensLeft`, and the code stays unused.',
          '- **`maxClaims` and `signature`**, allowlisted token: one link for a room, whose code adds up to `maxClaims` addresses to the allowlist and claims for them.',
          "**Codes.** A code replaces only the key: all other rules of claims hold. Each can be used for one claim, except that of a room. It is used when the claim succeeds; if the operation ends in `error`, it stays unused. Codes are shown only now: the service stores their SHA-256, and writes them to no log. A code has 130 random bits in 26 characters of Crockford's base 32, that of a room 8 characters.",
          '**A link for a room** has a code that is short enough to type from a slide.',
          '- Up to `maxClaims` different addresses claim with it, each once, however many try at the same time. Each becomes a contributor. A claim that fails counts nothing.',
          '- Start, pause and end are judged by the time at which a claim was accepted. A pause or an end after that does not affect it. A start that is moved after it does: the operation ends in `ClaimCodeNotStarted`.',
          "- One client address (IPv6: its /64) can make `maxClaimsPerClient` claims without a signature; further ones are refused with 400 `SignatureRequired`. It can make 20 of these at once, then one each second; a faster one is refused with 429. So 200 people behind one address get in within four minutes. Reservations with the code count too. The client's address is stored only as a keyed hash, until an hour after the end of the link.",
          '- After 20 wrong short codes in a minute of the clock, a client gets 429 for short codes, except for a right one that it has used before, and for one other every two seconds, until the minute ends. Unknown and revoked codes are wrong. Claims and checks count, right codes do not. Processes share this count. It also holds in the sandbox.',
          '**Sending it again.** If the response is lost, send the same body again within 24 hours. A repetition with the same `Idempotency-Key` revokes the links of the earlier request that are neither used nor revoked, and returns new ones for them; those who have claimed meanwhile are left out. `items` can be empty. The new link of a room has the claims that are left, and another code. There is no `Idempotency-Replayed`. While a request with the key is running, another one is refused with `IdempotencyKeyInUse`.',
          "**Limits.** A token has at most 100,000 unused links; used, revoked and expired ones do not count. Each link that was ever created counts with 1 KiB in the community's storage quota. A request counts as one request for each started 100 links.",
        ),
        params: TokenParams,
        body: CreateClaimLinksBody,
        response: {
          201: jsonResponse('The links that were created, in the order of `identifiers`.', CreatedClaimLinks),
          ...problemResponses(
            ...PATH_ERRORS,
            'TokenReplaced',
            ...SIGNATURE_ERRORS,
            'NotSignedByCreator',
            'AllowlistMismatch',
            'EncryptionUnavailable',
            'ClaimLinkLimitReached',
            'StorageQuotaReached',
            'IdempotencyKeyReused',
            'IdempotencyKeyInUse',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const { tokenId } = request.params;
      const items = await createClaimLinks(context, callerOf(request), {
        tokenId,
        body: request.body,
        repetition: repetitionOf(request),
        runChainCalls: chainCallsOf(request, reply),
        runWrite: writeOf(request, reply),
      });
      return reply.code(201).header('Cache-Control', 'no-store').send({ items });
    },
  );

  app.get(
    '/tokens/:tokenId/claimLinks',
    {
      config: { access: 'community', role: 'viewer', hasCsv: true },
      schema: {
        operationId: 'listClaimLinks',
        tags: ['Claim links'],
        summary: "List a token's claim links",
        description: 'Lists the claim links of a token, without their codes.',
        params: TokenParams,
        querystring: ClaimLinksQuery,
        response: {
          200: listResponse('A page of links.', Page(ClaimLink)),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, status, order } = request.query;
      const isForRoom =
        request.query.isForRoom === undefined ? undefined : request.query.isForRoom === 'true';
      const { tokenId } = request.params;
      reply.header('Vary', 'Accept');
      if (isCsvWanted(request)) {
        const csv = {
          fileName: `token-${tokenId}-claim-links.csv`,
          fields: Object.keys(ClaimLink.properties),
        };
        return await sendCsv(request, reply, csv, (reader) =>
          readAllClaimLinks(context, reader, callerOf(request), { tokenId, status, isForRoom }),
        );
      }
      const page = { limit, offset };
      const filter = { status, isForRoom, isNewestFirst: order === 'desc' };
      return await sendPage(request, reply, page, (reader) =>
        listClaimLinks(context, reader, callerOf(request), tokenId, { ...page, ...filter }),
      );
    },
  );

  app.patch(
    '/tokens/:tokenId/claimLinks/:claimLinkId',
    {
      config: {
        access: 'community',
        role: 'issuer',
        findBodyErrors: (body) => findRoomTimeErrors(body, Date.now()),
      },
      schema: {
        operationId: 'updateClaimLink',
        tags: ['Claim links'],
        summary: 'Change a link for a room',
        description:
          'Pauses or resumes a link for a room, or changes its number of claims, its start or its end. Fields that are absent keep their values; others are rejected. Claims that were made stay. A link for one claim and a revoked link are refused with 400.',
        params: ClaimLinkParams,
        body: UpdateClaimLinkBody,
        response: {
          200: jsonResponse('The link.', ClaimLink),
          ...problemResponses(
            ...PATH_ERRORS,
            'TokenReplaced',
            'ClaimLinkNotFound',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request) =>
      await updateClaimLink(context, callerOf(request), { ...request.params, body: request.body }),
  );

  app.delete(
    '/tokens/:tokenId/claimLinks/:claimLinkId',
    {
      config: { access: 'community', role: 'issuer' },
      schema: {
        operationId: 'revokeClaimLink',
        tags: ['Claim links'],
        summary: 'Revoke a claim link',
        description:
          'Nobody can claim with the code of a revoked link. A claim that was accepted before and is settled after it ends in `ClaimCodeInvalid`: to let claims of a room succeed, pause the link first. An entry that the link has added to the allowlist is removed; that of an expired link stays until then. A link for a room can always be revoked: its claims and contributors stay. A used link for one claim is refused with `ClaimCodeUsed`. It cannot be undone.',
        params: ClaimLinkParams,
        response: {
          204: { description: 'Revoked, now or before.', type: 'null' },
          ...problemResponses(
            ...PATH_ERRORS,
            'TokenReplaced',
            'ClaimLinkNotFound',
            'ClaimCodeUsed',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      await revokeClaimLink(context, callerOf(request), request.params);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/tokens/:tokenId/checkClaimCode',
    {
      config: { access: 'public', idempotency: 'ignore', claimCode: 'check' },
      schema: {
        operationId: 'checkClaimCode',
        tags: ['Claim links'],
        summary: 'Check a claim code',
        description:
          'Checks whether an address that has not claimed the token could claim it with this code now. `reasons` has at most one of `ClaimCodeInvalid`, `ClaimCodeUsed`, `ClaimCodePaused` and `ClaimCodeNotStarted`, then `TokenClaimExpired` and `NoTokensLeft`. It is a POST, so that the code is not in a URL; it changes nothing. A wrong short code counts as at a claim.',
        params: TokenParams,
        body: CheckClaimCodeBody,
        response: {
          200: jsonResponse('Whether the code can be used, and if not, why.', ClaimCodeCheck),
          ...problemResponses(
            'InvalidRequest',
            'TokenNotFound',
            'RateLimited',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const check = await readClaimCode(context, {
        tokenId: request.params.tokenId,
        claimCode: request.body.claimCode,
        client: nameAddress(request),
      });
      return reply.header('Cache-Control', 'no-store').send(check);
    },
  );
}
