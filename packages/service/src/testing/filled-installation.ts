import { randomBytes } from 'node:crypto';
import type { ClaimLink, CreatedClaimLink, Operation } from '@badge/protocol';
import { newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { arrivingLink, arrivingPerson, arrivingToken, importInto } from './arrivals.ts';
import { auditedWrites } from './audited-writes.ts';
import { ATTRIBUTES } from './credentials-fixture.ts';
import { startTestService, type TestService } from './services.ts';
import { insertExport } from './transfers.ts';

const DAY_MS = 86_400_000;

/**
 * Starts a service, and uses every feature that writes. When it returns, all operations are settled. The
 * service runs on.
 */
export async function startFilledService(): Promise<TestService> {
  const service = await startTestService();
  const writes = Object.values(auditedWrites(() => service));
  const keys: Record<string, string | undefined> = { apiKey: service.apiKey, operator: service.adminKey };
  for (const { actors, prepare, action } of writes) {
    // It makes credentials of all badges.
    if (action === 'export') continue;
    for (const actor of actors) {
      const response = await (await prepare(keys[actor], actor))();
      if (!response.ok) throw new Error(`${response.url} has responded with ${response.status}`);
      await settle(service, response);
    }
  }
  await ownCredential(service);
  await claimInRoom(service);
  await importBadge(service);
  await failOperation(service);
  await insertRest(service);
  await insertExport(service);
  return service;
}

async function settle(service: TestService, response: Response): Promise<Operation | undefined> {
  const location = response.headers.get('location');
  if (response.status !== 202 || !location?.includes('/operations/')) return undefined;
  return (await (await service.call(`${location}?wait=30`)).json()) as Operation;
}

async function createToken(service: TestService, fields: object, creator = newWallet()): Promise<number> {
  const json = await signedToken({ ...fields }, creator);
  const operation = await settle(service, await service.call('/v1/tokens', { json, key: service.apiKey }));
  return operation?.resourceId ?? 0;
}

/** A badge of another service, with people in every state. */
async function importBadge(service: TestService): Promise<void> {
  const token = arrivingToken({ validityDays: 1 });
  const claimed = { claimedAtTimestamp: 1_600_000_000_000 };
  const ended = { atTimestamp: 1_600_000_001_000 };
  const renewed = { renewedUntilTimestamp: Date.now() + DAY_MS };
  await importInto(service, [
    token,
    arrivingPerson(token, { address: newWallet().address }, claimed),
    arrivingPerson(token, { address: newWallet().address }, { ...claimed, ...renewed }),
    arrivingPerson(token, { address: newWallet().address }, { ended: { ...ended, how: 'burnt' } }),
    arrivingPerson(token, { address: newWallet().address }, { ended: { ...ended, how: 'revoked' } }),
    arrivingPerson(token, { email: 'arrived@example.org' }, { name: 'Ada' }),
    arrivingPerson(token, { algorithm: 'md5', emailHash: '0'.repeat(32), salt: 'salt' }),
    arrivingLink(token, 'a code'),
  ]);
}

/** Somebody owns a badge that ends, has its credential, and a badge that was renewed. */
async function ownCredential(service: TestService): Promise<void> {
  const { address } = newWallet();
  const tokenId = await createToken(service, {
    headline: 'Ünïcödé "quoted" \\ 🏅\n',
    customAttributes: ATTRIBUTES,
    links: ['https://example.org/?a=1&b=2'],
    startDateTimestamp: 1_767_225_600_000,
    endDateTimestamp: 1_767_229_200_000,
    validityDays: 3,
    criteria: 'By being there',
  });
  await settle(
    service,
    await service.call(`/v1/tokens/${tokenId}/airdrop`, { json: { address }, key: service.apiKey }),
  );
  await service.call(`/v1/tokens/${tokenId}/credentials/${address}`);
  const json = { addresses: [address], validUntilTimestamp: Date.now() + 30 * DAY_MS };
  await settle(service, await service.call(`/v1/tokens/${tokenId}/renew`, { json, key: service.apiKey }));
  const response = await service.call(`/v1/tokens/${tokenId}/credentials/${address}`);
  if (!response.ok) throw new Error(await response.text());
}

/** Two clients have used the code of a room. */
async function claimInRoom(service: TestService): Promise<void> {
  const creator = newWallet();
  const fields = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['Ada'] };
  const tokenId = await createToken(service, fields, creator);
  const json = {
    maxClaims: 5,
    maxClaimsPerClient: 2,
    signature: await signTokenId(creator, 'AllowlistedAddress', tokenId),
    expiresAtTimestamp: Date.now() + DAY_MS,
  };
  const path = `/v1/tokens/${tokenId}/claimLinks`;
  const created = await service.call(path, { json, key: service.apiKey });
  const [link] = ((await created.json()) as { items: (CreatedClaimLink & ClaimLink)[] }).items;
  const claim = { claimingAddress: newWallet().address, claimCode: link?.code };
  await settle(service, await service.call(`/v1/tokens/${tokenId}/claim`, { json: claim }));
}

/** Two claims of the last badge: one of them fails when it is settled. */
async function failOperation(service: TestService): Promise<void> {
  const tokenId = await createToken(service, { headline: 'One', totalClaimCount: 1 });
  const claim = () =>
    service.call(`/v1/tokens/${tokenId}/claim`, {
      json: { claimingAddress: newWallet().address },
      key: service.apiKey,
    });
  await Promise.all((await Promise.all([claim(), claim()])).map((response) => settle(service, response)));
}

/** What a request writes only after days, or what nothing writes yet. */
async function insertRest({ databaseUrl }: TestService): Promise<void> {
  await query(
    databaseUrl,
    'insert into mail_unsubscriptions (email_hash, community_id) values ($1, $2), ($1, $3)',
    [randomBytes(32), 'demo', ''],
  );
  await query(
    databaseUrl,
    "insert into kept_addresses (address, community_id, email_hash) values ($1, 'demo', $2)",
    [randomBytes(20), randomBytes(32)],
  );
  await query(
    databaseUrl,
    'insert into holders (email_hash, move_nonce, default_address) values ($1, 7, $2)',
    [randomBytes(32), randomBytes(20)],
  );
  await query(databaseUrl, 'insert into hidden_tokens select token_id, address from claims limit 2');
  await query(databaseUrl, "insert into refused_communities (address, community_id) values ($1, 'demo')", [
    randomBytes(20),
  ]);
  // Times that PostgreSQL writes in another way than ISO 8601.
  await query(
    databaseUrl,
    `update invitations set earlier_sent_at = array['9999-12-31 23:59:59.999Z', '12026-01-01 00:00Z']::timestamptz[]
     where sequence = (select max(sequence) from invitations)`,
  );
  await query(databaseUrl, "update nft_types set alias = 'a' where deleted_at is null");
}
