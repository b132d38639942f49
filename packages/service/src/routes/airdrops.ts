import { AdminAirdropBody, AdminAirdropWithoutConsentBody, AirdropBody } from '@badge/protocol';
import type { Context } from '../context.ts';
import { findAddressFieldErrors } from '../domain/address-errors.ts';
import { requestAdminAirdrop, requestAirdrop } from '../domain/claims/request-airdrop.ts';
import { callerOf } from '../http/auth.ts';
import {
  type App,
  CLAIM_ERRORS,
  KEY_ERRORS,
  sendAccepted,
  tokenOperationSchema,
  tokenRequestOf,
} from './route.ts';

const findReceiverErrors = (body: unknown) => findAddressFieldErrors(body, ['receivingAddress']);

export function airdropRoutes(app: App, context: Context): void {
  app.post(
    '/tokens/:tokenId/airdrop',
    {
      config: {
        access: 'community',
        role: 'issuer',
        findBodyErrors: (body) => findAddressFieldErrors(body, ['address']),
      },
      schema: tokenOperationSchema({
        operationId: 'airdropToken',
        summary: 'Airdrop an open token',
        description:
          'Gives an open token to an address. The rules of a claim hold, but no signature of the receiver is needed, even if the token has `isSignatureRequired: true`. In mixed case, the address must have the right EIP-55 checksum.',
        body: AirdropBody,
        errors: [...KEY_ERRORS, 'AllowlistMismatch', ...CLAIM_ERRORS],
      }),
    },
    async (request, reply) =>
      sendAccepted(reply, await requestAirdrop(context, callerOf(request), tokenRequestOf(request, reply))),
  );

  app.post(
    '/tokens/:tokenId/communityAdminAirdrop',
    {
      config: { access: 'community', role: 'issuer', findBodyErrors: findReceiverErrors },
      schema: tokenOperationSchema({
        operationId: 'communityAdminAirdrop',
        summary: 'Airdrop a token as an admin',
        description:
          "Gives a token to an address, with the signature of an admin of the community (type `CommunityAdminAirdrop`) and the receiver's (`CommunityAdminAirdropReceiverConsent`). No allowlist entry is needed; the other rules of a claim hold. In mixed case, `receivingAddress` must have the right EIP-55 checksum.",
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
        await requestAdminAirdrop(context, callerOf(request), tokenRequestOf(request, reply)),
      ),
  );

  app.post(
    '/tokens/:tokenId/communityAdminAirdropWithoutConsentSig',
    {
      config: { access: 'community', role: 'issuer', findBodyErrors: findReceiverErrors },
      schema: tokenOperationSchema({
        operationId: 'communityAdminAirdropWithoutConsentSig',
        summary: "Airdrop a token as an admin, without the receiver's consent",
        description: "As `communityAdminAirdrop`, without the receiver's signature.",
        body: AdminAirdropWithoutConsentBody,
        errors: [...KEY_ERRORS, 'NotSignedByAdmin', 'NotCommunityAdmin', ...CLAIM_ERRORS],
      }),
    },
    async (request, reply) => {
      // A `receiverSignature` is an unknown field here, and must not be checked as the receiver's consent.
      const { receivingAddress, adminAddress, adminSignature } = request.body;
      const body = { receivingAddress, adminAddress, adminSignature };
      return sendAccepted(
        reply,
        await requestAdminAirdrop(context, callerOf(request), { ...tokenRequestOf(request, reply), body }),
      );
    },
  );
}
