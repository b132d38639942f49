import {
  AddContributorsBody,
  AdminAirdropBody,
  AdminAirdropWithoutConsentBody,
  AirdropBody,
  BurnBody,
  ClaimBody,
  Contributor,
  Eligibility,
  EligibilityQuery,
  type ErrorName,
  LIMITS,
  Owner,
  Page,
  PageQuery,
} from '@badge/protocol';
import Type, { type TSchema } from 'typebox';
import type { Context } from '../../context.ts';
import { listContributors } from '../../domain/claims/list-contributors.ts';
import { listOwners } from '../../domain/claims/list-owners.ts';
import { readEligibility } from '../../domain/claims/read-eligibility.ts';
import { requestAdminAirdrop, requestAirdrop } from '../../domain/claims/request-airdrop.ts';
import { requestBurn } from '../../domain/claims/request-burn.ts';
import { requestClaim } from '../../domain/claims/request-claim.ts';
import { requestContributors } from '../../domain/claims/request-contributors.ts';
import { findChecksumFaults, findIdentifierFaults } from '../../domain/claims/rules.ts';
import { findContributorFaults } from '../../domain/tokens/rules.ts';
import { callerOf, optionalCallerOf } from '../auth.ts';
import { type App, acceptedResponse, jsonResponse, problemResponses, sendAccepted } from './route.ts';

const TokenParams = Type.Object({ tokenId: Type.String() });
const KEY_ERRORS: ErrorName[] = ['ApiKeyRequired', 'InvalidApiKey', 'ApiKeyNotAllowed'];
const CLAIM_ERRORS: ErrorName[] = ['ClaimingAddressAlreadyHasToken', 'TokenClaimExpired', 'NoTokensLeft'];

export function claimRoutes(app: App, context: Context): void {
  app.post(
    '/tokens/:tokenId/claim',
    {
      config: { access: 'optional', findBodyFaults: findIdentifierFaults },
      attachValidation: true,
      schema: writeSchema({
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
    '/tokens/:tokenId/addContributors',
    {
      config: {
        access: 'community',
        findBodyFaults: (body) =>
          findContributorFaults((body as Partial<AddContributorsBody> | null)?.contributors),
      },
      attachValidation: true,
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: writeSchema({
        operationId: 'addContributors',
        summary: "Add contributors to an allowlisted token, with its creator's signature",
        body: AddContributorsBody,
        errors: [...KEY_ERRORS, 'NotSignedByCreator', 'AllowlistMismatch'],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestContributors(context, callerOf(request), request.params.tokenId, request.body),
      ),
  );

  app.post(
    '/tokens/:tokenId/airdrop',
    {
      config: { access: 'community', findBodyFaults: (body) => findChecksumFaults(body, ['address']) },
      attachValidation: true,
      schema: writeSchema({
        operationId: 'airdropToken',
        summary: 'Give an open token to an address',
        body: AirdropBody,
        errors: [...KEY_ERRORS, 'AllowlistMismatch', ...CLAIM_ERRORS],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestAirdrop(context, callerOf(request), request.params.tokenId, request.body),
      ),
  );

  app.post(
    '/tokens/:tokenId/communityAdminAirdrop',
    {
      config: { access: 'community', findBodyFaults: findReceiverFaults },
      attachValidation: true,
      schema: writeSchema({
        operationId: 'communityAdminAirdrop',
        summary: "Give a token to an address, by an admin's signature and the receiver's consent",
        body: AdminAirdropBody,
        errors: [
          ...KEY_ERRORS,
          'NotSignedByAdmin',
          'NotSignedByReceiver',
          'NotCommunityAdmin',
          ...CLAIM_ERRORS,
        ],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestAdminAirdrop(context, callerOf(request), request.params.tokenId, request.body),
      ),
  );

  app.post(
    '/tokens/:tokenId/communityAdminAirdropWithoutConsentSig',
    {
      config: { access: 'community', findBodyFaults: findReceiverFaults },
      attachValidation: true,
      schema: writeSchema({
        operationId: 'communityAdminAirdropWithoutConsentSig',
        summary: "Give a token to an address, by an admin's signature alone",
        body: AdminAirdropWithoutConsentBody,
        errors: [...KEY_ERRORS, 'NotSignedByAdmin', 'NotCommunityAdmin', ...CLAIM_ERRORS],
      }),
    },
    async (request, reply) => {
      const { receivingAddress, adminAddress, adminSignature } = request.body;
      const body = { receivingAddress, adminAddress, adminSignature };
      return sendAccepted(
        reply,
        await requestAdminAirdrop(context, callerOf(request), request.params.tokenId, body),
      );
    },
  );

  app.post(
    '/tokens/:tokenId/burn',
    {
      config: { access: 'public' },
      schema: writeSchema({
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
    '/tokens/:tokenId/contributors',
    {
      config: { access: 'community' },
      schema: {
        operationId: 'listContributors',
        tags: ['Claims'],
        summary: "List a token's allowlist",
        params: TokenParams,
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of contributors, in the order added.', Page(Contributor)),
          ...problemResponses('InvalidRequest', ...KEY_ERRORS, 'TokenNotFound'),
        },
      },
    },
    async (request) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const { tokenId } = request.params;
      const data = await listContributors(context, callerOf(request), tokenId, { limit, offset });
      return { limit, offset, data };
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

const findReceiverFaults = (body: unknown) => findChecksumFaults(body, ['receivingAddress']);

function writeSchema<Body extends TSchema>(write: {
  operationId: string;
  summary: string;
  description?: string;
  body: Body;
  errors: ErrorName[];
}) {
  const { errors, ...documented } = write;
  return {
    ...documented,
    tags: ['Claims'],
    params: TokenParams,
    response: {
      202: acceptedResponse,
      ...problemResponses(
        'InvalidRequest',
        'InvalidSignature',
        'TokenNotFound',
        'TooLarge',
        'UnsupportedMediaType',
        ...errors,
      ),
    },
  };
}
