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
import { renewalOf } from '../http/idempotency/idempotency.ts';
import { isCsvWanted } from '../http/reads/is-csv-wanted.ts';
import { sendCsv } from '../http/reads/send-csv.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { writeOf } from '../http/shares/write-connections.ts';
import {
  type App,
  jsonResponse,
  KEY_ERRORS,
  listResponse,
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
        idempotency: 'renew',
        countCreatedItems: countClaimLinks,
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'createClaimLinks',
        tags: ['Claim links'],
        summary: 'Create claim links',
        description:
          "Creates one-time codes for claims: one for each of `identifiers`, or `count` of them. Or creates one code with which up to `maxClaims` addresses claim. For an allowlisted token, send `identifiers`, or `count` or `maxClaims` with the `signature` of the token's creator. For an open token, send `count` without a signature. The codes are returned only once, because only their hashes are stored. A repetition with the same `Idempotency-Key` revokes the unused links of the earlier request and returns new codes for them.",
        params: TokenParams,
        body: CreateClaimLinksBody,
        response: {
          201: jsonResponse('The links that were created, in the order of `identifiers`.', CreatedClaimLinks),
          ...problemResponses(
            ...PATH_ERRORS,
            ...SIGNATURE_ERRORS,
            'NotSignedByCreator',
            'AllowlistMismatch',
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
        renewal: renewalOf(request),
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
          200: listResponse('A page of links, oldest first.', Page(ClaimLink)),
          ...problemResponses(...PATH_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, status } = request.query;
      const { tokenId } = request.params;
      reply.header('Vary', 'Accept');
      if (isCsvWanted(request)) {
        const csv = {
          fileName: `token-${tokenId}-claim-links.csv`,
          fields: Object.keys(ClaimLink.properties),
        };
        return await sendCsv(request, reply, csv, (reader) =>
          readAllClaimLinks(context, reader, callerOf(request), { tokenId, status }),
        );
      }
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        listClaimLinks(context, reader, callerOf(request), tokenId, { ...page, status }),
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
          'Pauses or resumes a link for a room, or changes its number of claims, its start or its end. Fields that are absent keep their values. An unknown field is rejected. Claims that were made stay.',
        params: ClaimLinkParams,
        body: UpdateClaimLinkBody,
        response: {
          200: jsonResponse('The link.', ClaimLink),
          ...problemResponses(...PATH_ERRORS, 'ClaimLinkNotFound', 'TooLarge', 'UnsupportedMediaType'),
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
          'Nobody can claim with the code of a revoked link. If the link added an entry to the allowlist, the entry is removed. Claims that were made with the code of a room stay.',
        params: ClaimLinkParams,
        response: {
          204: { description: 'Revoked, now or before.', type: 'null' },
          ...problemResponses(
            ...PATH_ERRORS,
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
          'Checks whether an address that has not claimed the token could claim it with this code now. It is a POST, so that the code is not in a URL.',
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
