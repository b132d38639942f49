import { randomBytes, randomUUID } from 'node:crypto';
import type {
  BadgeCredential,
  CreatedClaimLink,
  CreatedClaimLinks,
  CreatedInvitations,
  Operation,
  RecipientsPage,
  Session,
  SignInChallenge,
} from '@badge/protocol';
import {
  newAddress,
  newWallet,
  signedContributors,
  signedToken,
  signTokenId,
  signTypedData,
  type Wallet,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { makeResubscribeCode } from '../domain/invitations/rules.ts';
import { prepareKeptAddress } from '../domain/kept-addresses.ts';
import { createKeys, type Keys } from './access-matrix-roles.ts';
import { createManagedToken, setManagedCreator } from './managed-token.ts';
import { nftTypeForm } from './nft-type-provocations.ts';
import type { TestService } from './services.ts';
import { waitForTransfers } from './transfers.ts';

/**
 * A sandbox service with the resources that the rows of the access matrix use, all in the community `demo`.
 */
export interface MatrixFixture {
  service: TestService;
  keys: Keys;
  /** Signs every token. An admin of `demo`. */
  creator: Wallet;
  openTokenId: number;
  allowlistedTokenId: number;
  /** Its creator is the managed creator of `demo`. */
  managedTokenId: number;
  operationId: string;
}

export async function createMatrixFixture(service: TestService): Promise<MatrixFixture> {
  const creator = newWallet();
  const { call, adminKey } = service;
  const other = { uniqId: 'other', displayId: 'other', name: 'Other' };
  expect((await call('/v1/communities', { key: adminKey, json: other })).status).toBe(201);
  const patched = await call('/v1/communities/demo', {
    method: 'PATCH',
    key: adminKey,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ adminAddresses: [creator.address] }),
  });
  expect(patched.status).toBe(200);
  const fixture = { service, creator, keys: await createKeys(service) };
  const open = await waitForSuccess(service, await postToken(fixture));
  const allowlisted = await waitForSuccess(
    service,
    await postToken(fixture, {
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: [creator.address],
    }),
  );
  expect((await setManagedCreator(service, 'demo', true)).status).toBe(200);
  await liftReservationLimit(service.databaseUrl);
  return {
    ...fixture,
    openTokenId: open.resourceId ?? 0,
    allowlistedTokenId: allowlisted.resourceId ?? 0,
    managedTokenId: await createManagedToken(service, 'demo'),
    operationId: open.operationId,
  };
}

// All requests come from one client address, which has a limit of its own.
async function liftReservationLimit(databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `create function lift_limit() returns trigger language plpgsql as
     'begin new.requests = -1000000; return new; end'`,
  );
  await query(
    databaseUrl,
    'create trigger lift_limit before insert on reservation_clients for each row execute function lift_limit()',
  );
}

type FixtureBase = Pick<MatrixFixture, 'service' | 'creator' | 'keys'>;

/** Returns a signed body for a new token of `demo`. */
export async function signToken(
  { creator }: Pick<MatrixFixture, 'creator'>,
  fields: Record<string, unknown> = {},
) {
  return await signedToken({ totalClaimCount: 1_000, ...fields }, creator);
}

async function postToken(fixture: FixtureBase, fields: Record<string, unknown> = {}): Promise<Response> {
  const { service, keys } = fixture;
  return await service.call('/v1/tokens', { key: keys.right, json: await signToken(fixture, fields) });
}

/** Waits until an accepted operation succeeds, and returns it. */
export async function waitForSuccess(service: TestService, response: Response): Promise<Operation> {
  expect(response.status).toBe(202);
  const read = await service.call(`${response.headers.get('location')}?wait=30`);
  const operation = (await read.json()) as Operation;
  expect(operation, JSON.stringify(operation)).toMatchObject({ status: 'success' });
  // Its rows change until it is done.
  if (['export', 'import'].includes(operation.operationType)) await waitForTransfers(service);
  return operation;
}

/** Creates a token of `demo`, and returns its id. */
export async function createToken(
  fixture: MatrixFixture,
  fields: Record<string, unknown> = {},
): Promise<number> {
  return (await waitForSuccess(fixture.service, await postToken(fixture, fields))).resourceId ?? 0;
}

/** Adds a viewer to `demo`, and returns its address. */
export async function createMember({ service, keys }: MatrixFixture): Promise<string> {
  const { address } = newWallet();
  const response = await service.call(`/v1/communities/demo/members/${address}`, {
    method: 'PUT',
    key: keys.operator,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ role: 'viewer' }),
  });
  expect(response.status).toBe(201);
  return address;
}

/** Requests a challenge for a wallet, and returns it signed: the body of a sign-in. */
export async function signedChallenge(
  service: Pick<TestService, 'call'>,
  wallet: Wallet,
): Promise<{ message: string; signature: string }> {
  const response = await service.call('/v1/sessions/challenge', { json: { address: wallet.address } });
  const { message } = (await response.json()) as SignInChallenge;
  return { message, signature: await wallet.signMessage({ message }) };
}

/** Creates a claim link of the open token. */
export async function createClaimLink({
  service,
  keys,
  openTokenId,
}: MatrixFixture): Promise<CreatedClaimLink> {
  const path = `/v1/tokens/${openTokenId}/claimLinks`;
  const response = await service.call(path, { key: keys.right, json: { count: 1 } });
  const [link] = ((await response.json()) as CreatedClaimLinks).items;
  if (link === undefined) throw new Error('no claim link was created');
  return link;
}

/**
 * Invites somebody to claim the open token, and waits until the mail was sent. Returns the path of the
 * invitation.
 */
export async function createInvitation({ service, keys, openTokenId }: MatrixFixture): Promise<string> {
  const path = `/v1/tokens/${openTokenId}/invitations`;
  const json = { recipients: [{ email: `${randomUUID()}@example.org` }] };
  const response = await service.call(path, { key: keys.right, json });
  expect(response.status).toBe(201);
  const [invitation] = ((await response.json()) as CreatedInvitations).items;
  if (invitation === undefined) throw new Error('no invitation was created');
  const invitationPath = `${path}/${invitation.invitationId}`;
  await vi.waitFor(
    async () => {
      expect((await service.call(`${invitationPath}/mail`, { key: keys.right })).status).toBe(200);
    },
    { timeout: 60_000, interval: 50 },
  );
  return invitationPath;
}

/** Creates an invitation that is sent in an hour, and returns its path. */
export async function createScheduledInvitation({
  service,
  keys,
  openTokenId,
}: MatrixFixture): Promise<string> {
  const path = `/v1/tokens/${openTokenId}/invitations`;
  const recipients = [{ email: `${randomUUID()}@example.org` }];
  const json = { recipients, sendAtTimestamp: Date.now() + 3_600_000 };
  const response = await service.call(path, { key: keys.right, json });
  const [invitation] = ((await response.json()) as CreatedInvitations).items;
  if (invitation === undefined) throw new Error('no invitation was created');
  return `${path}/${invitation.invitationId}`;
}

/** Reserves a place of a room for an address. Returns the path that confirms it, and the code in the mail. */
export async function createReservation(
  fixture: RoomFixture,
): Promise<{ path: string; confirmationCode: string }> {
  const { service, allowlistedTokenId } = fixture;
  const path = `/v1/tokens/${allowlistedTokenId}/reservations`;
  // What needs a signature is not claimed at once.
  const { code: claimCode } = await createRoomLink(fixture, { isSignatureRequired: true });
  const earlier = await query<{ mail_id: string }>(service.databaseUrl, 'select mail_id from invitations');
  const response = await service.call(path, { json: { email: `${randomUUID()}@example.org`, claimCode } });
  expect(response.status).toBe(202);
  const mail = await vi.waitFor(
    async () => {
      const [row] = await query<{ mail_id: string }>(
        service.databaseUrl,
        "select mail_id from invitations where kind = 'confirmation' and state = 'sent' and not mail_id = any($1)",
        [earlier.map((one) => one.mail_id)],
      );
      const found = await service.context.mail?.kept?.find(row?.mail_id ?? '');
      if (!found) throw new Error('no mail was sent');
      return found;
    },
    { timeout: 60_000, interval: 50 },
  );
  const confirmationCode = /\/reserve\/\d+#([0-9A-Z]+)/.exec(mail.text)?.[1] ?? '';
  return { path: `${path}/confirm`, confirmationCode };
}

/** Returns a code as a mail brings it to somebody who has unsubscribed from the mails of `demo`. */
export function createResubscriptionCode({ service }: MatrixFixture): string {
  const { encryption } = service.context;
  if (encryption === null) throw new Error('the service has no key');
  const expiresAtTimestamp = Date.now() + 3_600_000;
  return makeResubscribeCode(encryption, {
    communityId: 'demo',
    hashes: [randomBytes(32), randomBytes(32)],
    expiresAtTimestamp,
  });
}

/** Returns the path of the unsubscribe link in a mail. */
export async function createUnsubscribePath(fixture: MatrixFixture): Promise<string> {
  const path = `${await createInvitation(fixture)}/mail`;
  const mail = (await (await fixture.service.call(path, { key: fixture.keys.right })).json()) as {
    text: string;
  };
  return /\/unsubscribe\?\S+/.exec(mail.text)?.[0] ?? '';
}

/** What a link for a room needs. */
type RoomFixture = Pick<MatrixFixture, 'service' | 'allowlistedTokenId' | 'creator'> & {
  keys: { right: string };
};

/** Creates a link for a room, of the allowlisted token. */
export async function createRoomLink(fixture: RoomFixture, fields: object = {}): Promise<CreatedClaimLink> {
  const { service, keys, allowlistedTokenId, creator } = fixture;
  const json = {
    maxClaims: 2,
    signature: await signTokenId(creator, 'AllowlistedAddress', allowlistedTokenId),
    expiresAtTimestamp: Date.now() + 3_600_000,
    ...fields,
  };
  const path = `/v1/tokens/${allowlistedTokenId}/claimLinks`;
  const response = await service.call(path, { key: keys.right, json });
  const [link] = ((await response.json()) as CreatedClaimLinks).items;
  if (link === undefined) throw new Error('no claim link was created');
  return link;
}

/** Airdrops the open token to a new wallet, and returns the wallet. */
export async function createOwner({ service, keys, openTokenId }: MatrixFixture): Promise<Wallet> {
  const owner = newWallet();
  const path = `/v1/tokens/${openTokenId}/airdrop`;
  await waitForSuccess(
    service,
    await service.call(path, { key: keys.right, json: { address: owner.address } }),
  );
  return owner;
}

/** Gives the open token to the wallet of `keys.ownerSession`, unless it has it. Returns its address. */
export async function giveToOwnerSession({ service, keys, openTokenId }: MatrixFixture): Promise<string> {
  const { address } = keys.ownerSession;
  const owner = await service.call(`/v1/tokens/${openTokenId}/owners/${address}`);
  if (owner.status === 404) {
    const path = `/v1/tokens/${openTokenId}/airdrop`;
    await waitForSuccess(service, await service.call(path, { key: keys.right, json: { address } }));
  }
  return address;
}

/** The body with which the badges that are kept for the session by e-mail move to a new wallet. */
export async function signMoveBadges({ service, keys }: MatrixFixture) {
  const response = await service.call('/v1/sessions/current', { key: keys.emailSession });
  const { emailHash, moveNonce } = (await response.json()) as Session;
  const wallet = newWallet();
  const signature = await signTypedData(wallet, 'ReceiveBadges', { emailHash, nonce: moveNonce });
  return { toAddress: wallet.address, signature };
}

/** Gives the open token to everybody who has signed in. */
export async function giveToSessions({ service, openTokenId }: MatrixFixture): Promise<void> {
  const { context } = service;
  const { rows } = await sql<{ email_hash: Buffer }>`
    select distinct email_hash from sessions where email_hash is not null`.execute(context.database);
  for (const { email_hash: emailHash } of rows) {
    await prepareKeptAddress(context, context.database, { communityId: 'demo', emailHash });
  }
  await query(
    service.databaseUrl,
    `with owner as (
       select address, gen_random_uuid() as operation_id
       from (select address from sessions where address is not null union select address from kept_addresses) as a
       where not exists (select from claims c where c.token_id = $1 and c.address = a.address)
     ), operation as (
       insert into operations
         (operation_id, operation_type, status, community_id, request_bytes, resource_id, completed_at)
       select operation_id, 'airdrop', 'success', 'demo', 100, $1, now() from owner
     )
     insert into claims (token_id, address, operation_id, claimed_at)
     select $1, address, operation_id, now() from owner
     on conflict do nothing`,
    [openTokenId],
  );
}

/** Makes the credential of a new owner, and returns the path of its status list. */
export async function createStatusListPath(fixture: MatrixFixture): Promise<string> {
  const { address } = await createOwner(fixture);
  const response = await fixture.service.call(`/v1/tokens/${fixture.openTokenId}/credentials/${address}`);
  const { credentialStatus } = (await response.json()) as BadgeCredential;
  return new URL(credentialStatus.statusListCredential).pathname;
}

/** Revokes the open token of a new wallet, and returns the wallet. */
export async function createRevokedOwner(fixture: MatrixFixture): Promise<Wallet> {
  const { service, keys, openTokenId } = fixture;
  const owner = await createOwner(fixture);
  const path = `/v1/tokens/${openTokenId}/owners/${owner.address}/revoke`;
  await waitForSuccess(service, await service.call(path, { key: keys.right, json: { reason: 'a reason' } }));
  return owner;
}

/** Adds a new address to the allowlist of the allowlisted token, and returns it. */
export async function addContributor(fixture: MatrixFixture): Promise<string> {
  const { service, keys, creator, allowlistedTokenId } = fixture;
  const contributor = newAddress();
  const path = `/v1/tokens/${allowlistedTokenId}/addContributors`;
  const json = await signedContributors(allowlistedTokenId, creator, [contributor]);
  await waitForSuccess(service, await service.call(path, { key: keys.right, json }));
  return contributor;
}

/** Adds a new address to the allowlist of the allowlisted token, and returns the path of the recipient. */
export async function createRecipient(fixture: MatrixFixture): Promise<string> {
  const { service, keys, allowlistedTokenId } = fixture;
  const path = `/v1/tokens/${allowlistedTokenId}/recipients`;
  const search = await addContributor(fixture);
  const page = await service.call(`${path}?search=${search}`, { key: keys.right });
  const [recipient] = ((await page.json()) as RecipientsPage).data;
  if (recipient === undefined) throw new Error('the contributor is no recipient');
  return `${path}/${recipient.recipientId}`;
}

/** Adds a webhook to `demo`, and returns its id. A community can have 20, so it is inserted here. */
export async function createWebhook({ service }: Pick<MatrixFixture, 'service'>): Promise<string> {
  const webhookId = randomUUID();
  const { encryption } = service.context;
  const url = encryption?.encrypt('webhookUrl', webhookId, 'http://localhost:9/');
  const secret = encryption?.encrypt('webhookSecret', webhookId, 'whsec_c2VjcmV0');
  // For events that do not happen here. Otherwise each event of all tests would be sent to each webhook.
  await query(
    service.databaseUrl,
    `insert into webhooks (webhook_id, community_id, encrypted_url, name, encrypted_secret, events)
     values ($1, 'demo', $2, 'matrix', $3, '{invitation.failed}')`,
    [webhookId, url, secret],
  );
  return webhookId;
}

/** Deletes the webhooks of `demo`, so that one more can be created. */
export async function deleteWebhooks({ service }: Pick<MatrixFixture, 'service'>): Promise<void> {
  await query(service.databaseUrl, 'update webhooks set deleted_at = now(), is_enabled = false');
}

/** Makes the issuer keys of `demo` a day older, because owners rotate them five times a day. */
export async function ageIssuerKeys({ service }: Pick<MatrixFixture, 'service'>): Promise<void> {
  await query(service.databaseUrl, "update issuer_keys set created_at = created_at - interval '1 day'");
}

/** Sends a test event to a new webhook of `demo`, and returns the path of its delivery. */
export async function createWebhookDelivery(fixture: MatrixFixture): Promise<string> {
  const { service, keys } = fixture;
  const path = `/v1/communities/demo/webhooks/${await createWebhook(fixture)}`;
  const response = await service.call(`${path}/test`, { method: 'POST', key: keys.operator });
  expect(response.status).toBe(201);
  return `${path}/deliveries/${((await response.json()) as { deliveryId: string }).deliveryId}`;
}

/** Adds an NFT type to a community, and returns its id. */
export async function createNftType({ service, keys }: MatrixFixture, communityId = 'demo'): Promise<string> {
  const nftTypeId = randomUUID();
  const response = await service.call(`/v1/communities/${communityId}/nftTypes`, {
    method: 'POST',
    key: keys.operator,
    body: nftTypeForm({ nftTypeId }),
  });
  expect(response.status).toBe(201);
  return nftTypeId;
}
