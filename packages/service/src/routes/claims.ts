import {
  BurnBody,
  ClaimBody,
  Eligibility,
  EligibilityQuery,
  LIMITS,
  Owner,
  OwnersQuery,
  Page,
} from '@badge/protocol';
import type { Context } from '../context.ts';
import { listOwners, readAllOwners } from '../domain/claims/list-owners.ts';
import { readEligibility } from '../domain/claims/read-eligibility.ts';
import { requestBurn } from '../domain/claims/request-burn.ts';
import { requestClaim } from '../domain/claims/request-claim.ts';
import { findBurnErrors, findClaimErrors } from '../domain/claims/rules.ts';
import { hasSession, optionalCallerOf } from '../http/auth.ts';
import { nameAddress } from '../http/caller-names.ts';
import { isCsvWanted } from '../http/reads/is-csv-wanted.ts';
import { sendCsv } from '../http/reads/send-csv.ts';
import { sendPage } from '../http/reads/send-page.ts';
import { sendToken } from '../http/reads/send-tokens.ts';
import {
  type App,
  CLAIM_ERRORS,
  jsonResponse,
  KEY_ERRORS,
  listResponse,
  paragraphs,
  problemResponses,
  sendAccepted,
  TokenParams,
  tokenOperationSchema,
  tokenRequestOf,
} from './route.ts';

const HOLDERS = { status: 'held' } as const;
const HOLDER_FIELDS = [
  'address',
  'claimedAtTimestamp',
  'validUntilTimestamp',
  'isKept',
] satisfies (keyof Owner)[];

function isOfOthers({ status = 'held' }: OwnersQuery): boolean {
  return status !== 'held';
}

export function claimRoutes(app: App, context: Context): void {
  app.post(
    '/tokens/:tokenId/claim',
    {
      config: {
        access: 'optional',
        role: 'issuer',
        findBodyErrors: (body, _params, caller) => findClaimErrors(body, caller),
        claimCode: 'claim',
      },
      schema: tokenOperationSchema({
        operationId: 'claimToken',
        summary: 'Claim a token',
        description: paragraphs(
          "Requires the claimer's signature of the type `Claim`, the code of a claim link, or the community's key with the role `issuer`. A token with `isSignatureRequired: true` needs the signature in any case. A signature that is sent is always checked.",
          "- **An address can get a token once, ever.** After a burn, a revocation or a move, the same address cannot claim it again, and the remaining count does not increase. There are never more than `totalClaimCount` claims. A claim is in time if it is accepted before `expirationTimestamp`, by the database's clock; it does not matter when it is settled. These rules hold for all airdrops too. Before the token's `claimableFromTimestamp`, claims are refused, also with a code, but not airdrops.",
          "- **An allowlisted token** requires that `claimingAddress` or `identifier` is on the allowlist, or a `claimCode`. A claim with a code uses the allowlist entry of its link; with the code of a room, it adds the address to the allowlist. Without a code, it uses the address's entry, or else the identifier's. Each entry can be used once.",
          '- **A token that another one has replaced** is 409 `TokenReplaced`, unless the code was made for it, or for one that it has replaced: then the address gets the other token.',
          '- **With a session by e-mail**, the token is kept for the person: it goes to an address of the service, one for each e-mail and community, of which nobody has a key. `claimingAddress`, `signature` and `identifier` are left out. Without a code, an allowlisted token requires that the e-mail is on the list: as an identifier, or as the `email` of a recipient with an identifier or a link that is neither used nor revoked. The community sees the e-mail of the person. The claim is not counted for the client. If the person has a `defaultAddress`, the token goes to this wallet, unless the wallet refuses the community (409 `RecipientRefuses`). An e-mail gets a token once, whichever wallet that is. A token or a code that requires a signature is 400 `SignatureRequired`.',
          '- **Without a signature**, an address in mixed case must have the right EIP-55 checksum.',
          '- **Errors.** To learn the operation of a claim whose response was lost, repeat it with the same `Idempotency-Key`; otherwise it is rejected with 409 `ClaimingAddressAlreadyHasToken`. 400 `SignatureRequired` also means that too many claims without a signature came from this client with the code of a room. 429 `RateLimited` also means that too many wrong codes came from this client.',
        ),
        body: ClaimBody,
        errors: [
          ...KEY_ERRORS,
          'SignatureRequired',
          'ApiKeyOrSignatureRequired',
          'NotSignedByClaimer',
          'AddressNotAllowlisted',
          'ClaimCodeInvalid',
          'ClaimCodeUsed',
          'ClaimCodePaused',
          'ClaimCodeNotStarted',
          'RateLimited',
          'TokenNotYetClaimable',
          'KeptBadgesUnavailable',
          ...CLAIM_ERRORS,
        ],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestClaim(context, optionalCallerOf(request), {
          ...tokenRequestOf(request, reply),
          client: nameAddress(request),
        }),
      ),
  );

  app.post(
    '/tokens/:tokenId/burn',
    {
      // A key that is no session is ignored.
      config: {
        access: 'optional',
        isKeyNeeded: hasSession,
        findBodyErrors: (body, _params, caller) => findBurnErrors(body, caller),
      },
      schema: tokenOperationSchema({
        operationId: 'burnToken',
        summary: 'Burn a token',
        description:
          'Removes a token from an address that holds it and signs the type `Burn`. No key is needed. With a session, the body can be `{}`: then the owner who has signed in, with a wallet or by e-mail, gives the token up. The session of a contract wallet counts only on the chain of the contract wallets of the community. The address cannot claim the token again, and the number of remaining claims does not increase.',
        body: BurnBody,
        errors: ['InvalidSession', 'NotSignedByOwner', 'TokenNotOwned', 'KeptBadgesUnavailable'],
      }),
    },
    async (request, reply) =>
      sendAccepted(
        reply,
        await requestBurn(context, optionalCallerOf(request), tokenRequestOf(request, reply)),
      ),
  );

  app.get(
    '/tokens/:tokenId/owners',
    {
      config: {
        access: 'optional',
        role: 'viewer',
        hasCsv: true,
        isKeyNeeded: ({ query }) => isOfOthers(query as OwnersQuery),
      },
      schema: {
        operationId: 'listOwners',
        tags: ['Claims'],
        summary: 'List owners',
        description:
          'Lists the addresses that hold a token, without those for whom it has ended. With a `status` other than `held`, which requires a key or session with the role `viewer`: those for whom it has ended (`expired`), those that have lost it in this way, or all that have ever had it, each with its status. Otherwise, a key is ignored. A list with such a status, or with a `search`, is read for up to 1 second; then the response is 503 `Unavailable`: use a smaller offset or a longer text, or retry later.',
        params: TokenParams,
        querystring: OwnersQuery,
        response: {
          200: listResponse('A page of owners, oldest claim first.', Page(Owner)),
          ...problemResponses(...KEY_ERRORS, 'TokenNotFound'),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0, status = 'held' } = request.query;
      const { tokenId } = request.params;
      const search = request.query.search?.trim().toLowerCase() ?? '';
      const caller = optionalCallerOf(request);
      const selection = caller === null ? HOLDERS : { status, caller };
      reply.header('Vary', 'Accept');
      if (isCsvWanted(request)) {
        const csv = {
          fileName: `token-${tokenId}-owners.csv`,
          fields: selection === HOLDERS ? HOLDER_FIELDS : Object.keys(Owner.properties),
        };
        return await sendCsv(request, reply, csv, (reader) =>
          readAllOwners(context, reader, tokenId, { selection, search }),
        );
      }
      const page = { selection, search, limit, offset };
      if (caller !== null || search !== '') {
        return await sendPage(request, reply, page, async (reader) => {
          const { owners } = await listOwners(context, reader, tokenId, page);
          return owners;
        });
      }
      // Only the list that everybody can read is stored, and only if no owner's token can end.
      let mayStore = true;
      return await sendToken(request, reply, {
        key: `owners ${tokenId} ${limit} ${offset}`,
        read: async (reader) => {
          const { owners, hasEnds } = await listOwners(context, reader, tokenId, page);
          mayStore = !hasEnds;
          return { limit, offset, data: owners };
        },
        idOf: () => Number(tokenId),
        hasOwners: true,
        mayStore: () => mayStore,
      });
    },
  );

  app.get(
    '/tokens/:tokenId/eligibility',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readEligibility',
        tags: ['Claims'],
        summary: 'Check eligibility',
        description: 'Checks whether an address can claim a token now.',
        params: TokenParams,
        querystring: EligibilityQuery,
        response: {
          200: jsonResponse('Whether the address can claim the token, and if not, why.', Eligibility),
          ...problemResponses('InvalidRequest', 'TokenNotFound'),
        },
      },
    },
    async ({ params, query }) => await readEligibility(context, params.tokenId, query.address),
  );
}
