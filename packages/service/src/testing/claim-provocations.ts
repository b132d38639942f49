import { randomUUID } from 'node:crypto';
import type { CreatedClaimLinks, CreatedSession, Problem } from '@badge/protocol';
import {
  newWallet,
  signedBurn,
  signedContributors,
  signedToken,
  signTokenId,
  type Wallet,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { signedChallenge } from './access-matrix-fixture.ts';
import { createEmailSession } from './email-sessions.ts';
import { insertClaimLinks } from './insert-claim-links.ts';
import type { TestService } from './services.ts';

/**
 * Functions that provoke the refusals of claims, claim links, airdrops, burns and contributors in a sandbox,
 * by error name.
 */
export function claimProvocations(service: () => TestService) {
  const creator = newWallet();
  const wallet = newWallet();

  async function createToken(fields: Record<string, unknown> = {}): Promise<number> {
    const json = await signedToken(fields, creator);
    return await waitForTokenId(await service().call('/v1/tokens', { json, key: service().apiKey }));
  }

  // Waits until the operation of a 202 is final. Returns the id of its token.
  async function waitForTokenId(response: Response): Promise<number> {
    const operation = await service().call(`${response.headers.get('location')}?wait=20`);
    return ((await operation.json()) as { resourceId: number }).resourceId;
  }

  const post = (tokenId: number, call: string, json: unknown, key?: string) =>
    service().call(`/v1/tokens/${tokenId}/${call}`, key === undefined ? { json } : { json, key });
  const claim = (tokenId: number, claimingAddress = wallet.address) =>
    post(tokenId, 'claim', { claimingAddress }, service().apiKey);
  const allowlisted = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['a@b.c'] };

  async function adminAirdrop(adminSigner: Wallet, receiverSigner = wallet): Promise<Response> {
    const tokenId = await createToken();
    return await post(
      tokenId,
      'communityAdminAirdrop',
      {
        receivingAddress: wallet.address,
        adminAddress: creator.address,
        adminSignature: await signTokenId(adminSigner, 'CommunityAdminAirdrop', tokenId),
        receiverSignature: await signTokenId(receiverSigner, 'CommunityAdminAirdropReceiverConsent', tokenId),
      },
      service().apiKey,
    );
  }

  async function createClaimCode(tokenId: number): Promise<string> {
    const response = await post(tokenId, 'claimLinks', { count: 1 }, service().apiKey);
    const [link] = ((await response.json()) as CreatedClaimLinks).items;
    if (link === undefined) throw new Error('no claim link was created');
    return link.code;
  }

  // Creates an allowlisted token and a link for a room. Returns a claim with the link's code.
  async function claimInRoom(fields: object, change?: object): Promise<Response> {
    const tokenId = await createToken(allowlisted);
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const body = { maxClaims: 2, signature, expiresAtTimestamp: Date.now() + 3_600_000, ...fields };
    const response = await post(tokenId, 'claimLinks', body, service().apiKey);
    const [link] = ((await response.json()) as CreatedClaimLinks).items;
    if (link === undefined) throw new Error('no claim link was created');
    if (change !== undefined) {
      await service().call(`/v1/tokens/${tokenId}/claimLinks/${link.claimLinkId}`, {
        method: 'PATCH',
        body: JSON.stringify(change),
        headers: { 'Content-Type': 'application/json' },
        key: service().apiKey,
      });
    }
    return await claimWithCode(tokenId, link.code);
  }

  const claimWithCode = (tokenId: number, claimCode: string, claimingAddress = wallet.address) =>
    post(tokenId, 'claim', { claimingAddress, claimCode });

  return {
    ClaimCodeInvalid: async () => claimWithCode(await createToken(), 'unknown'),
    ClaimCodeUsed: async () => {
      const tokenId = await createToken();
      const code = await createClaimCode(tokenId);
      await waitForTokenId(await claimWithCode(tokenId, code));
      return await claimWithCode(tokenId, code, creator.address);
    },
    ClaimCodePaused: () => claimInRoom({}, { isPaused: true }),
    ClaimCodeNotStarted: () => claimInRoom({ startsAtTimestamp: Date.now() + 1_800_000 }),
    ClaimLinkLimitReached: async () => {
      const tokenId = await createToken();
      await insertClaimLinks(service().databaseUrl, tokenId, 99_999);
      return await post(tokenId, 'claimLinks', { count: 2 }, service().apiKey);
    },
    ClaimLinkNotFound: async () =>
      service().call(`/v1/tokens/${await createToken()}/claimLinks/${randomUUID()}`, {
        method: 'DELETE',
        key: service().apiKey,
      }),
    SignatureRequired: async () => claim(await createToken({ isSignatureRequired: true })),
    ApiKeyOrSignatureRequired: async () =>
      post(await createToken(), 'claim', { claimingAddress: wallet.address }),
    KeptBadgesUnavailable: async () => {
      const key = await createEmailSession(service(), 'ada@example.org');
      await query(
        service().databaseUrl,
        `insert into kept_addresses (address, community_id, email_hash)
         select $1, 'demo', email_hash from sessions where email_hash is not null`,
        [Buffer.alloc(20)],
      );
      return await post(await createToken(), 'claim', {}, key);
    },
    NotSignedByClaimer: async () => {
      const tokenId = await createToken();
      const signature = await signTokenId(creator, 'Claim', tokenId);
      return await post(tokenId, 'claim', { claimingAddress: wallet.address, signature });
    },
    NotSignedByOwner: async () => {
      const tokenId = await createToken();
      const signature = await signTokenId(creator, 'Burn', tokenId);
      return await post(tokenId, 'burn', { burningAddress: wallet.address, signature });
    },
    NotSignedByAdmin: () => adminAirdrop(wallet),
    NotSignedByReceiver: async () => {
      await query(
        service().databaseUrl,
        "update communities set admin_addresses = array[$1::bytea] where community_id = 'demo'",
        [Buffer.from(creator.address.slice(2), 'hex')],
      );
      return await adminAirdrop(creator, creator);
    },
    NotSignedByCreator: async () => {
      const tokenId = await createToken(allowlisted);
      const body = await signedContributors(tokenId, wallet, [wallet.address]);
      return await post(tokenId, 'addContributors', body, service().apiKey);
    },
    AddressNotAllowlisted: async () => claim(await createToken(allowlisted)),
    NotCommunityAdmin: async () => {
      const tokenId = await createToken();
      return await post(
        tokenId,
        'communityAdminAirdropWithoutConsentSig',
        {
          receivingAddress: creator.address,
          adminAddress: wallet.address,
          adminSignature: await signTokenId(wallet, 'CommunityAdminAirdrop', tokenId),
        },
        service().apiKey,
      );
    },
    ClaimingAddressAlreadyHasToken: async () => {
      const tokenId = await createToken();
      await waitForTokenId(await claim(tokenId));
      return await claim(tokenId);
    },
    NoTokensLeft: async () => {
      const tokenId = await createToken({ totalClaimCount: 1 });
      await waitForTokenId(await claim(tokenId));
      return await claim(tokenId, creator.address);
    },
    TokenClaimExpired: async () => claim(await createToken({ expirationTimestamp: 1 })),
    TokenNotYetClaimable: async () =>
      claim(await createToken({ claimableFromTimestamp: Date.now() + 3_600_000 })),
    RecipientRefuses: async () => {
      const recipient = newWallet();
      const tokenId = await createToken();
      const signIn = await service().call('/v1/sessions', {
        json: await signedChallenge(service(), recipient),
      });
      const { sessionToken } = (await signIn.json()) as CreatedSession;
      const path = '/v1/sessions/current/refusedCommunities/demo';
      await service().call(path, { method: 'PUT', key: sessionToken });
      return await post(tokenId, 'airdrop', { address: recipient.address }, service().apiKey);
    },
    TokenNotOwned: async () => {
      const tokenId = await createToken();
      return await post(tokenId, 'burn', await signedBurn(tokenId, wallet));
    },
    OwnerNotFound: async () => service().call(`/v1/tokens/${await createToken()}/owners/${wallet.address}`),
    CredentialRevoked: async () => {
      const tokenId = await createToken();
      await waitForTokenId(await claim(tokenId));
      await waitForTokenId(await post(tokenId, 'burn', await signedBurn(tokenId, wallet)));
      return await service().call(`/v1/tokens/${tokenId}/credentials/${wallet.address}`);
    },
    TokenNotRevoked: async () => {
      const tokenId = await createToken();
      await waitForTokenId(await claim(tokenId));
      const path = `owners/${wallet.address}/reinstate`;
      return await post(tokenId, path, { reason: 'a reason' }, service().apiKey);
    },
    // No response has this error, only an operation whose contributor claims after the removal was accepted.
    ContributorHasClaimed: async () => {
      const tokenId = await createToken({ ...allowlisted, contributors: [wallet.address] });
      const client = new pg.Client(service().databaseUrl);
      await client.connect();
      await client.query('begin');
      await client.query('select from tokens where token_id = $1 for no key update', [tokenId]);
      const removal = { contributors: [wallet.address] };
      const { headers } = await post(tokenId, 'removeContributors', removal, service().apiKey);
      await client.query(
        `insert into claims (token_id, address, operation_id, claimed_at)
         select token_id, $2, operation_id, now() from tokens where token_id = $1`,
        [tokenId, Buffer.from(wallet.address.slice(2), 'hex')],
      );
      await client.query('commit');
      await client.end();
      const read = await service().call(`${headers.get('location')}?wait=20`);
      const { error } = (await read.json()) as { error: Problem };
      return Response.json(
        { ...error, instance: `urn:uuid:${read.headers.get('x-request-id')}` },
        {
          status: error.status,
          headers: {
            'Content-Type': 'application/problem+json',
            'X-Request-Id': read.headers.get('x-request-id') ?? '',
          },
        },
      );
    },
    TokenReplaced: async () => {
      const tokenId = await createToken({ headline: 'A typo' });
      const replacementTokenId = await createToken({ headline: 'No typo' });
      await waitForTokenId(await post(tokenId, 'replace', { replacementTokenId }, service().apiKey));
      return await claim(tokenId);
    },
    ReplacementMismatch: async () => {
      const replacementTokenId = await createToken({ isSignatureRequired: true });
      return await post(await createToken(), 'replace', { replacementTokenId }, service().apiKey);
    },
    ReplacementTooLarge: async () => {
      const tokenId = await createToken({ ...allowlisted, headline: 'Large' });
      await query(
        service().databaseUrl,
        `insert into allowlist_entries (token_id, contributor_key, position, added_at)
         select $1, substring(sha256(n::text::bytea) for 20), n, now() from generate_series(2, 50001) n`,
        [tokenId],
      );
      const contributors = [creator.address];
      const replacementTokenId = await createToken({ ...allowlisted, headline: 'Other', contributors });
      return await post(tokenId, 'replace', { replacementTokenId }, service().apiKey);
    },
    AllowlistMismatch: async () =>
      post(await createToken(allowlisted), 'airdrop', { address: wallet.address }, service().apiKey),
  };
}
