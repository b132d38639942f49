import {
  BurnBody,
  ClaimBody,
  Eligibility,
  EligibilityQuery,
  LIMITS,
  Owner,
  Page,
  PageQuery,
} from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listOwners } from '../../domain/claims/list-owners.ts';
import { readEligibility } from '../../domain/claims/read-eligibility.ts';
import { requestBurn } from '../../domain/claims/request-burn.ts';
import { requestClaim } from '../../domain/claims/request-claim.ts';
import { findIdentifierErrors } from '../../domain/claims/rules.ts';
import { optionalCallerOf } from '../auth.ts';
import {
  type App,
  CLAIM_ERRORS,
  jsonResponse,
  KEY_ERRORS,
  problemResponses,
  sendAccepted,
  TokenParams,
  tokenOperationSchema,
} from './route.ts';

export function claimRoutes(app: App, context: Context): void {
  app.post(
    '/tokens/:tokenId/claim',
    {
      config: { access: 'optional', findBodyErrors: findIdentifierErrors },
      schema: tokenOperationSchema({
        operationId: 'claimToken',
        summary: 'Claim a token',
        description:
          "With the claimer's signature or, if the token requires none, the community's key in its place.",
        body: ClaimBody,
        errors: [
          ...KEY_ERRORS,
          'SignatureRequired',
          'ApiKeyOrSignatureRequired',
          'NotSignedByClaimer',
          'AddressNotAllowlisted',
          ...CLAIM_ERRORS,
        ],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestClaim(context, optionalCallerOf(request), request.params.tokenId, request.body),
      ),
  );

  app.post(
    '/tokens/:tokenId/burn',
    {
      config: { access: 'public' },
      schema: tokenOperationSchema({
        operationId: 'burnToken',
        summary: 'Burn a token that one holds',
        description: 'It is not claimed again by that address, and its place is not given back.',
        body: BurnBody,
        errors: ['NotSignedByOwner', 'TokenNotOwned'],
      }),
    },
    async (request, reply) =>
      sendAccepted(reply, await requestBurn(context, request.params.tokenId, request.body)),
  );

  app.get(
    '/tokens/:tokenId/owners',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'listOwners',
        tags: ['Claims'],
        summary: 'List who holds a token',
        params: TokenParams,
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of owners, oldest claim first.', Page(Owner)),
          ...problemResponses('InvalidRequest', 'TokenNotFound'),
        },
      },
    },
    async ({ params, query }) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = query;
      return { limit, offset, data: await listOwners(context, params.tokenId, { limit, offset }) };
    },
  );

  app.get(
    '/tokens/:tokenId/eligibility',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readEligibility',
        tags: ['Claims'],
        summary: 'Tell whether an address may claim a token now',
        params: TokenParams,
        querystring: EligibilityQuery,
        response: {
          200: jsonResponse('What a claim by this address would be told now.', Eligibility),
          ...problemResponses('InvalidRequest', 'TokenNotFound'),
        },
      },
    },
    async ({ params, query }) => await readEligibility(context, params.tokenId, query.address),
  );
}
