import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { verifyCredential } from '@badge/credentials';
import type { Operation, OwnerState, Problem, Token } from '@badge/protocol';
import { newAddress, signedToken } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { countWrongTokenCounts } from '@badge/test-support/token-counts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleFiles } from '../../../../tests/acceptance/sample-files.ts';
import { type Arrival, ArrivalError, type ArrivingToken } from '../../src/arrivals/arrival.ts';
import { importArrivals } from '../../src/domain/imports/import-arrivals.ts';
import { parseAddress } from '../../src/signatures/address.ts';
import {
  arrivingLink,
  arrivingPerson,
  arrivingToken,
  IMPORTER,
  importInto,
  inOrder,
  pictureOf,
} from '../../src/testing/arrivals.ts';
import { all, judgeAll } from '../../src/testing/credentials-fixture.ts';
import { createEmailSession } from '../../src/testing/email-sessions.ts';
import { startOtherProcess, startTestService, type TestService } from '../../src/testing/services.ts';

const DAY_MS = 86_400_000;
/** For what the worker does. */
const WAIT = { timeout: 20_000 };
const CLAIMED_AT = 1_600_000_000_000;
const png = Buffer.from(sampleFiles['image/png']);
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_RATE_LIMIT: 'off' });
});
afterAll(async () => {
  expect(await countWrongTokenCounts(service.databaseUrl)).toBe(0);
  await service.stop();
});

const json = async <T>(path: string, init: Parameters<TestService['call']>[1] = {}) =>
  (await (await service.call(path, init)).json()) as T;
const sql = <Row extends object>(text: string, ...values: unknown[]) =>
  query<Row>(service.databaseUrl, text, values);

async function tokenOf({ source }: ArrivingToken): Promise<Token> {
  const [row] = await sql<{ token_id: string }>(
    'select token_id from tokens where imported_id = $1',
    source.id,
  );
  return await json(`/v1/tokens/${row?.token_id}`);
}

const ownerOf = (tokenId: number, address: string) =>
  json<OwnerState>(`/v1/tokens/${tokenId}/owners/${address}`);

/** The result of a claim: `success`, or the name of the error. */
async function claim(tokenId: number, body: object, key?: string): Promise<string> {
  const response = await service.call(`/v1/tokens/${tokenId}/claim`, {
    json: body,
    ...(key === undefined ? {} : { key }),
  });
  if (response.status !== 202) return ((await response.json()) as Problem).name;
  const { status, error } = await json<{ status: string; error: Problem | null }>(
    `${response.headers.get('location')}?wait=20`,
  );
  return error?.name ?? status;
}

const summaryOf = ({ claimedCount, contributorCount, recipientCount, claimabilityAttributes }: Token) => ({
  claimedCount,
  contributorCount,
  recipientCount,
  total: claimabilityAttributes.totalClaimCount,
  remaining: claimabilityAttributes.remainingClaimCount,
});

test('a badge arrives with its picture and its owner, and only once', async () => {
  const token = arrivingToken({ headline: 'Arrived', createdAtTimestamp: 5, picture: pictureOf(png) });
  const arrivals = [token, arrivingPerson(token, { address: newAddress() })];
  const first = await importInto(service, arrivals);
  const { tokenId, importedFrom, createdByAddress, createdAtTimestamp, imageUrl } = await tokenOf(token);
  expect(first.lines).toEqual([`imported: token ${tokenId}: ${token.headline}`, 'imported: has the badge']);
  expect(importedFrom).toEqual({ ...token.source, importedAtTimestamp: expect.any(Number) });
  expect([createdByAddress.toLowerCase(), createdAtTimestamp]).toEqual([IMPORTER, 5]);
  const picture = await service.call(new URL(imageUrl).pathname);
  expect(Buffer.from(await picture.arrayBuffer()).equals(png)).toBe(true);
  const again = await importInto(service, arrivals);
  expect(again.lines).toEqual([`skipped: is there already as token ${tokenId}`, 'skipped: is there already']);
  expect(again.result).toEqual({ lines: 2, imported: 0, skipped: 2, problems: 0 });
});

test('a badge of this community does not come back to it', async () => {
  const created = arrivingToken();
  await importInto(service, [created]);
  const { tokenId, createdAtTimestamp } = await tokenOf(created);
  const id = String(tokenId);
  const source = { service: new URL(service.context.settings.publicUrl).host, id, url: null };
  const own = arrivingToken({ source, createdAtTimestamp });
  const { lines } = await importInto(service, [own, arrivingPerson(own, { address: newAddress() })]);
  expect(lines).toEqual([
    `skipped: is token ${id} of this community`,
    `skipped: its badge is token ${id} of this community`,
  ]);
  expect((await tokenOf(created)).claimedCount).toBe(0);
  // Another installation can have the same address.
  const other = arrivingToken({ source, createdAtTimestamp: createdAtTimestamp - 1 });
  expect((await importInto(service, [other], { isDryRun: true })).result.imported).toBe(1);
});

test('the page of a badge at the other service leads to its token, also after a replacement', async () => {
  const token = arrivingToken({}, 'https://badges.example/a?b=c&d');
  await importInto(service, [token]);
  const { tokenId } = await tokenOf(token);
  const old = `/from/demo/badges.example/${encodeURIComponent(token.source.id)}`;
  const follow = async (path: string) => {
    const { status, headers } = await service.call(path, { redirect: 'manual' });
    return `${status} ${headers.get('location')}`;
  };
  expect(await follow(`${old}?owner=0x1`)).toBe(`302 /token/${tokenId}?owner=0x1`);
  expect(await follow(`${old}/claim`)).toBe(`302 /claim/${tokenId}`);
  for (const path of ['/from/other/badges.example/x', `${old}x`, '/from/demo/%00/x'])
    expect((await service.call(path)).status).toBe(404);
  const arrivals = [token, arrivingPerson(token, { address: newAddress() })];
  const corrected = arrivingToken();
  await importInto(service, [corrected]);
  const { tokenId: replacementTokenId } = await tokenOf(corrected);
  const response = await service.call(`/v1/tokens/${tokenId}/replace`, {
    key: service.apiKey,
    json: { replacementTokenId },
  });
  await service.call(`${response.headers.get('location')}?wait=20`);
  expect(await follow(old)).toBe(`302 /token/${replacementTokenId}`);
  // Whoever arrives later has the replacement.
  expect((await importInto(service, arrivals)).lines).toEqual([
    `skipped: is there already as token ${replacementTokenId}`,
    'imported: has the badge',
  ]);
  expect(await tokenOf(corrected)).toMatchObject({ claimedCount: 1, recipientCount: 1 });
});

test('many badges with one picture store it once, and it is no design of the community', async () => {
  const community = { uniqId: 'pictures', displayId: 'pictures', name: 'Pictures' };
  await service.call('/v1/communities', { key: service.adminKey, json: community });
  const tokens = Array.from({ length: 60 }, () => arrivingToken({ picture: pictureOf(png) }));
  const other = arrivingToken({ picture: pictureOf(Buffer.from(sampleFiles['image/jpeg'])) });
  const { result } = await importInto(service, [...tokens, other], { communityId: 'pictures' });
  expect(result.imported).toBe(61);
  const stored = await sql(`select from nft_types where community_id = 'pictures'`);
  expect(stored).toHaveLength(2);
  const listed = await json<{ data: { isUserAdded: boolean }[] }>('/v1/communities/pictures/nftTypes', {
    key: service.adminKey,
  });
  expect(listed.data.filter(({ isUserAdded }) => isUserAdded)).toEqual([]);
});

describe('owners', () => {
  test('keep their times and what has become of their badge, without an event', async () => {
    const token = arrivingToken({ validityDays: 1 });
    const until = Date.now() + DAY_MS;
    const [expired, renewed, burnt, revoked] = [newAddress(), newAddress(), newAddress(), newAddress()];
    const claimed = { claimedAtTimestamp: CLAIMED_AT };
    const ended = (how: 'burnt' | 'revoked') => ({ atTimestamp: CLAIMED_AT + 1_000, how });
    const events = () => sql('select from events union all select from event_outbox');
    const before = (await events()).length;
    const { lines } = await importInto(service, [
      token,
      arrivingPerson(token, { address: expired }, claimed),
      arrivingPerson(token, { address: renewed }, { ...claimed, renewedUntilTimestamp: until }),
      arrivingPerson(token, { address: burnt }, { ...claimed, ended: ended('burnt') }),
      arrivingPerson(token, { address: revoked }, { ...claimed, ended: ended('revoked') }),
    ]);
    expect(lines.slice(1)).toEqual([
      'imported: has the badge',
      'imported: has the badge',
      'imported: had the badge',
      'imported: had the badge',
    ]);
    const { tokenId, ...counts } = await tokenOf(token);
    const statesOf = (addresses: string[]) =>
      Promise.all(addresses.map((address) => ownerOf(tokenId, address)));
    expect(await statesOf([expired, renewed, burnt, revoked])).toMatchObject([
      { status: 'expired', statusChangedAtTimestamp: CLAIMED_AT + DAY_MS },
      { status: 'held', validUntilTimestamp: until },
      { status: 'burnt', statusChangedAtTimestamp: CLAIMED_AT + 1_000 },
      { status: 'revoked', statusChangedAtTimestamp: CLAIMED_AT + 1_000 },
    ]);
    const { data } = await json<{ data: object[] }>(`/v1/tokens/${tokenId}/owners`);
    expect(data).toMatchObject([{ claimedAtTimestamp: CLAIMED_AT }]);
    expect(summaryOf({ tokenId, ...counts })).toMatchObject({ claimedCount: 4, contributorCount: 4 });
    // Until the worker has walked over the owners.
    await expect
      .poll(() => sql('select from expiry_turns where token_id = $1 and next_at <= now()', tokenId), WAIT)
      .toEqual([]);
    expect(await events()).toHaveLength(before);
    expect(await claim(tokenId, { claimingAddress: burnt }, service.apiKey)).toBe(
      'ClaimingAddressAlreadyHasToken',
    );
    await service.call(`/v1/tokens/${tokenId}/owners/${revoked}/reinstate`, {
      key: service.apiKey,
      json: { reason: 'a reason' },
    });
    await expect.poll(async () => (await ownerOf(tokenId, revoked)).status, WAIT).toBe('expired');
  });

  test('have a history, without who did what at the other service', async () => {
    const token = arrivingToken();
    const lost = { atTimestamp: CLAIMED_AT + 5, how: 'revoked' as const };
    await importInto(service, [
      token,
      arrivingPerson(token, { address: newAddress() }, { claimedAtTimestamp: CLAIMED_AT, ended: lost }),
    ]);
    const path = `/v1/tokens/${(await tokenOf(token)).tokenId}/recipients`;
    const key = service.apiKey;
    const { data: people } = await json<{ data: { recipientId: string }[] }>(path, { key });
    const { data } = await json<{ data: object[] }>(`${path}/${people[0]?.recipientId}/history`, { key });
    expect(data).toEqual([
      { type: 'added', createdAtTimestamp: CLAIMED_AT, actor: null, detail: 'import' },
      { type: 'claimed', createdAtTimestamp: CLAIMED_AT, actor: null, detail: null },
      { type: 'revoked', createdAtTimestamp: CLAIMED_AT + 5, actor: null, detail: null },
    ]);
  });

  test('that were moved are one person, counted once', async () => {
    const token = arrivingToken();
    const [from, to] = [newAddress(), newAddress()];
    const moved = { atTimestamp: CLAIMED_AT + 5, how: 'moved' as const };
    await importInto(service, [
      token,
      arrivingPerson(token, { address: from }, { claimedAtTimestamp: CLAIMED_AT, ended: moved }),
      arrivingPerson(token, { address: to }, { claimedAtTimestamp: CLAIMED_AT, movedFrom: from }),
    ]);
    const { tokenId, ...counts } = await tokenOf(token);
    expect(summaryOf({ tokenId, ...counts })).toMatchObject({ claimedCount: 1, recipientCount: 1 });
    expect(await ownerOf(tokenId, from)).toMatchObject({ status: 'moved' });
    expect(await ownerOf(tokenId, to)).toMatchObject({ status: 'held', claimedAtTimestamp: CLAIMED_AT });
  });

  test('are subtracted from the claims of an open badge, which never gets too few', async () => {
    const [roomy, full] = [arrivingToken({ totalClaimCount: 10 }), arrivingToken({ totalClaimCount: 1 })];
    const owners = (token: ArrivingToken) =>
      [newAddress(), newAddress(), newAddress()].map((address) => arrivingPerson(token, { address }));
    await importInto(service, [roomy, ...owners(roomy), full, ...owners(full)]);
    const [{ tokenId, ...rest }, fullToken] = [await tokenOf(roomy), await tokenOf(full)];
    expect(summaryOf({ tokenId, ...rest })).toMatchObject({ claimedCount: 3, total: 10, remaining: 7 });
    expect(summaryOf(fullToken)).toMatchObject({ claimedCount: 3, total: 3, remaining: 0 });
    expect(await claim(tokenId, { claimingAddress: newAddress() }, service.apiKey)).toBe('success');
    const claimed = await claim(fullToken.tokenId, { claimingAddress: newAddress() }, service.apiKey);
    expect(claimed).toBe('NoTokensLeft');
  });

  test('without a time have the badge since now; those who lost it, since then', async () => {
    const token = arrivingToken();
    const [held, burnt] = [newAddress(), newAddress()];
    const startMs = Date.now();
    await importInto(service, [
      token,
      arrivingPerson(token, { address: held }),
      arrivingPerson(token, { address: burnt }, { ended: { atTimestamp: 7, how: 'burnt' } }),
    ]);
    const times = await sql<{ claimed_at: Date }>(
      'select claimed_at from claims where token_id = $1 order by claimed_at',
      (await tokenOf(token)).tokenId,
    );
    expect(times[0]?.claimed_at.getTime()).toBe(7);
    expect(times[1]?.claimed_at.getTime()).toBeGreaterThanOrEqual(startMs);
  });

  test('with an e-mail find the badge when they sign in, and are known to the community', async () => {
    const token = arrivingToken();
    const email = `${newAddress()}@example.org`;
    const { lines } = await importInto(service, [
      token,
      arrivingPerson(token, { email: email.toUpperCase() }, { name: 'Ada', note: 'first row' }),
    ]);
    expect(lines[1]).toBe('imported: has the badge with an e-mail');
    const { tokenId } = await tokenOf(token);
    const key = await createEmailSession(service, email);
    const own = await json<{ data: object[] }>('/v1/sessions/current/tokens', { key });
    expect(own.data).toMatchObject([{ badgeTokenId: tokenId, claimStatus: 'claimed' }]);
    const people = await json<{ data: object[] }>(`/v1/tokens/${tokenId}/recipients`, {
      key: service.apiKey,
    });
    expect(people.data).toMatchObject([{ name: 'Ada', note: 'first row', way: 'import', status: 'claimed' }]);
    expect(JSON.stringify(people.data).toLowerCase()).toContain(email.toLowerCase());
  });

  test('have credentials that verify, until the badge is lost', async () => {
    const token = arrivingToken({ picture: pictureOf(png), criteria: 'For a talk.' });
    const [held, revoked] = [newAddress(), newAddress()];
    await importInto(service, [
      token,
      arrivingPerson(token, { address: held }, { claimedAtTimestamp: CLAIMED_AT }),
      arrivingPerson(token, { address: revoked }, { ended: { atTimestamp: 7, how: 'revoked' } }),
    ]);
    const { tokenId } = await tokenOf(token);
    const path = (address: string) => `/v1/tokens/${tokenId}/credentials/${address}`;
    const text = await (await service.call(path(held))).text();
    const list = JSON.parse(text).credentialStatus.statusListCredential;
    const statusLists = async () => await (await service.call(new URL(list).pathname)).text();
    const before = await verifyCredential(text, { fetchStatusList: statusLists });
    expect(before).toMatchObject({ verdict: 'valid' });
    expect(before.content?.narrative).toMatch(
      /^For a talk\.\n\nImported from badges\.example on [\d-]{10}\. Who made it there has not signed it here\.$/,
    );
    expect(await judgeAll(JSON.parse(text))).toEqual(all('valid'));
    expect((await service.call(path(revoked))).status).toBe(410);
    await service.call(`/v1/tokens/${tokenId}/owners/${held}/revoke`, {
      key: service.apiKey,
      json: { reason: 'a reason' },
    });
    await expect.poll(async () => (await service.call(path(held))).status, WAIT).toBe(410);
    expect((await verifyCredential(text, { fetchStatusList: statusLists })).verdict).toBe('revoked');
  });
});

describe('people who can claim', () => {
  test('do so with their address, their e-mail or their name, and only they', async () => {
    const token = arrivingToken();
    const [address, email] = [newAddress(), `${newAddress()}@example.org`];
    const waits = { isOwner: false };
    const { lines } = await importInto(service, [
      token,
      arrivingPerson(token, { address }, waits),
      arrivingPerson(token, { email }, waits),
      arrivingPerson(token, { identifier: 'ada' }),
    ]);
    expect(lines.slice(1)).toEqual([
      ...Array(2).fill('imported: can claim the badge'),
      'imported: can claim the badge with a link that an organiser makes',
    ]);
    const { tokenId, ...counts } = await tokenOf(token);
    expect(summaryOf({ tokenId, ...counts })).toMatchObject({ claimedCount: 0, contributorCount: 3 });
    const key = service.apiKey;
    expect(await claim(tokenId, { claimingAddress: newAddress() }, key)).toBe('AddressNotAllowlisted');
    expect(await claim(tokenId, { claimingAddress: address }, key)).toBe('success');
    expect(await claim(tokenId, { claimingAddress: newAddress(), identifier: 'ada' }, key)).toBe('success');
    const session = await createEmailSession(service, email);
    expect(await claim(tokenId, {}, session)).toBe('success');
    expect(summaryOf(await tokenOf(token))).toMatchObject({ claimedCount: 3, recipientCount: 3 });
  });

  test.each([
    ['sha256', 'salt', (email: string) => email],
    ['sha256', '', (email: string) => email],
    ['md5', 'a $ "salt"', (email: string) => email],
    ['sha256', 'é$', (email: string) => email.toUpperCase().replace('EXAMPLE.ORG', 'example.org')],
  ] as const)('are found by the %s of their e-mail with the salt "%s"', async (algorithm, salt, spell) => {
    const token = arrivingToken();
    const email = `${randomUUID()}@example.org`;
    const hash = createHash(algorithm).update(`${email}${salt}`).digest('hex');
    const other = createHash(algorithm).update(`other${salt}`).digest('hex');
    const arrivals = [hash, other].map((emailHash) =>
      arrivingPerson(token, { algorithm, emailHash, salt }, { claimedAtTimestamp: CLAIMED_AT }),
    );
    const { lines } = await importInto(service, [token, ...arrivals]);
    expect(lines.slice(1)).toEqual(Array(2).fill('imported: can claim the badge'));
    const { tokenId } = await tokenOf(token);
    const stranger = await createEmailSession(service, `${randomUUID()}@example.org`);
    expect(await claim(tokenId, {}, stranger)).toBe('AddressNotAllowlisted');
    const key = await createEmailSession(service, spell(email));
    expect(await claim(tokenId, {}, key)).toBe('success');
    expect(await claim(tokenId, {}, key)).toBe('ClaimingAddressAlreadyHasToken');
    const people = await json<{ data: object[] }>(`/v1/tokens/${tokenId}/recipients`, {
      key: service.apiKey,
    });
    expect(people.data).toContainEqual(
      expect.objectContaining({ way: 'import', status: 'claimed', addedAtTimestamp: CLAIMED_AT }),
    );
    expect((await importInto(service, [token, ...arrivals])).result).toMatchObject({ skipped: 3 });
  });

  test('are found by a hash only if it was imported', async () => {
    const email = `${randomUUID()}@example.org`;
    const contributor = `md5$${createHash('md5').update(email).digest('hex')}$`;
    const fields = { isAllowlistRequired: true, totalClaimCount: null, contributors: [contributor] };
    const created = await service.call('/v1/tokens', {
      key: service.apiKey,
      json: await signedToken(fields),
    });
    const { resourceId } = await json<Operation>(`${created.headers.get('location')}?wait=20`);
    const key = await createEmailSession(service, email);
    expect(await claim(Number(resourceId), {}, key)).toBe('AddressNotAllowlisted');
  });

  test('can be those who have the badge, too', async () => {
    const token = arrivingToken();
    const [joined, first] = [newAddress(), newAddress()];
    const waits = { isOwner: false };
    const { lines } = await importInto(service, [
      token,
      arrivingPerson(token, { address: joined }, { ...waits, name: 'Ada' }),
      arrivingPerson(token, { address: joined }, { note: 'was there' }),
      arrivingPerson(token, { address: first }),
      arrivingPerson(token, { address: first.toLowerCase() }, waits),
    ]);
    expect(lines.slice(1)).toEqual([
      'imported: can claim the badge',
      'imported: has the badge',
      'imported: has the badge',
      'skipped: is in this source already',
    ]);
    const { tokenId, ...counts } = await tokenOf(token);
    expect(summaryOf({ tokenId, ...counts })).toMatchObject({ claimedCount: 2, contributorCount: 2 });
    const people = await json<{ data: object[] }>(`/v1/tokens/${tokenId}/recipients`, {
      key: service.apiKey,
    });
    expect(people.data).toContainEqual(
      expect.objectContaining({ name: 'Ada', note: 'was there', status: 'claimed' }),
    );
    expect(people.data).toHaveLength(2);
  });

  test('and owners who are there get what another file says about them, unless something is recorded', async () => {
    const token = arrivingToken();
    const [owner, listed, known] = [newAddress(), newAddress(), newAddress()];
    const people = (name: string | null) => [
      token,
      arrivingPerson(token, { address: owner }, { name }),
      arrivingPerson(token, { address: listed }, { name, isOwner: false }),
      arrivingPerson(token, { address: known }, { name: 'Ada', note: name }),
    ];
    await importInto(service, people(null));
    const isNew = 'imported: is there already; the name, e-mail or note is new';
    const planned = await importInto(service, people('Bob'), { isDryRun: true });
    expect(planned.lines.slice(1)).toEqual([isNew, isNew, 'skipped: is there already']);
    expect((await importInto(service, people('Bob'))).lines).toEqual(planned.lines);
    expect((await importInto(service, people('Eve'))).result).toMatchObject({ imported: 0, skipped: 4 });
    const { tokenId, ...counts } = await tokenOf(token);
    expect(summaryOf({ tokenId, ...counts })).toMatchObject({
      claimedCount: 2,
      contributorCount: 3,
      recipientCount: 3,
    });
    const key = service.apiKey;
    const { data } = await json<{ data: object[] }>(`/v1/tokens/${tokenId}/recipients`, { key });
    for (const [address, name] of [
      [owner, 'Bob'],
      [listed, 'Bob'],
      [known, 'Ada'],
    ])
      expect(data).toContainEqual(expect.objectContaining({ address, name, note: null }));
  });

  test('have nothing of somebody who has lost the badge and has no address', async () => {
    const token = arrivingToken();
    const ended = { atTimestamp: 7, how: 'revoked' as const };
    const { lines } = await importInto(service, [
      token,
      arrivingPerson(token, { identifier: 'ada' }, { ended }),
    ]);
    expect(lines[1]).toBe('skipped: has lost the badge, and has no address');
    expect(summaryOf(await tokenOf(token))).toMatchObject({ contributorCount: 0, recipientCount: 0 });
  });
});

describe('links', () => {
  test('work as before', async () => {
    const token = arrivingToken();
    const expiresAtTimestamp = Date.now() + DAY_MS;
    const code = (number: number) =>
      `${token.source.id}${number}`.toUpperCase().replaceAll(/[^0-9A-Z]/g, 'A');
    const normal = (number: number) => code(number).replaceAll('O', '0').replaceAll(/[IL]/g, '1');
    const room = { maxClaims: 3, claimCount: 2, maxClaimsPerClient: null };
    const arrivals = [
      token,
      arrivingPerson(token, { identifier: 'ada' }, { isOwner: false }),
      arrivingLink(token, normal(1), { expiresAtTimestamp }),
      arrivingLink(token, normal(2), { expiresAtTimestamp: 1 }),
      arrivingLink(token, normal(3), { expiresAtTimestamp, room }),
      arrivingLink(token, normal(4), {
        person: { identifier: 'ada', name: null, email: null, note: null },
      }),
      arrivingLink(token, normal(5), { person: { identifier: null, name: 'Bob', email: null, note: null } }),
    ];
    const { lines } = await importInto(service, arrivals);
    expect(lines.slice(2)).toEqual([
      'imported: a link',
      'imported: a link',
      'imported: a code for a room',
      'imported: a link',
      'imported: a link',
    ]);
    expect((await importInto(service, arrivals)).result).toMatchObject({ skipped: 7 });
    const { tokenId } = await tokenOf(token);
    const use = (number: number) =>
      claim(tokenId, { claimingAddress: newAddress(), claimCode: code(number) });
    expect([await use(1), await use(1)]).toEqual(['success', 'ClaimCodeUsed']);
    expect(await use(2)).toBe('ClaimCodeInvalid');
    expect([await use(3), await use(3)]).toEqual(['success', 'ClaimCodeUsed']);
    expect(await use(4)).toBe('success');
    const ada = { claimingAddress: newAddress(), identifier: 'ada' };
    expect(await claim(tokenId, ada, service.apiKey)).toBe('ClaimingAddressAlreadyHasToken');
    const people = await json<{ data: { name: string | null }[] }>(`/v1/tokens/${tokenId}/recipients`, {
      key: service.apiKey,
    });
    expect(people.data.filter(({ name }) => name === 'Bob')).toMatchObject([
      { way: 'link', status: 'linked' },
    ]);
  });

  test('for a room find their badge by the id that it had', async () => {
    const token = arrivingToken({}, '123456789');
    const room = { maxClaims: 9, claimCount: 0, maxClaimsPerClient: 5 };
    const fields = { expiresAtTimestamp: Date.now() + DAY_MS, room };
    await importInto(service, [token, arrivingLink(token, '123456789 7K2M9QPD', fields)]);
    const { tokenId } = await tokenOf(token);
    const body = { claimingAddress: newAddress(), claimCode: '7k2m-9qpd' };
    expect(await claim(tokenId, body)).toBe('success');
    const other = arrivingToken({}, '987654321');
    await importInto(service, [other]);
    expect(await claim((await tokenOf(other)).tokenId, body)).toBe('ClaimCodeInvalid');
  });

  test('are problems if they cannot be kept', async () => {
    const [token, other] = [arrivingToken(), arrivingToken()];
    const code = newAddress();
    const person = { identifier: 'nobody', name: null, email: null, note: null };
    const room = { maxClaims: 1, claimCount: 2, maxClaimsPerClient: null };
    const { lines } = await importInto(service, [
      token,
      other,
      arrivingLink(token, code),
      arrivingLink(other, code),
      arrivingLink(other, `${code}1`, { person }),
      arrivingLink(other, `${code}2`, { room, expiresAtTimestamp: 1 }),
      arrivingLink(other, `${code}3`, { room }),
      arrivingLink(other, `${code}4`, { codeHash: '0x12' }),
    ]);
    expect(lines.slice(3)).toEqual([
      'problem: its code is in use here already',
      'problem: its identifier is not on the list of the badge',
      'problem: the counts of the code for a room are not possible',
      'problem: a code for a room has no end',
      'problem: codeHash is not 0x and 64 hex digits',
    ]);
  });
});

describe('what is wrong', () => {
  const pictureOfText = pictureOf(Buffer.from('no picture'));
  const missing = () => Promise.reject(new ArrivalError('the server responds with 404'));
  test.each<[string, Partial<ArrivingToken>, string]>([
    ['without a headline', { headline: '' }, 'headline must NOT have fewer than 1 characters'],
    ['with a NUL', { description: '\0' }, 'description must not contain NUL or a lone surrogate'],
    [
      'with an end before its start',
      { startDateTimestamp: 2, endDateTimestamp: 1 },
      'startDateTimestamp must not be',
    ],
    ['that can never be claimed', { totalClaimCount: 0 }, 'totalClaimCount must be at least 1'],
    ['with two ends', { validityDays: 1, validUntilTimestamp: 9 }, 'validityDays must not be sent with'],
    [
      'without an id',
      { source: { service: 'a', id: '', url: null } },
      'the name of its service, or its id there',
    ],
    [
      'with a script as its page',
      { source: { service: 'a', id: 'b', url: 'javascript:1' } },
      'its page is not',
    ],
    ['with another file', { picture: pictureOfText }, 'its picture cannot be used: assetFile must be'],
    [
      'with an empty file',
      { picture: pictureOf(Buffer.alloc(0)) },
      'its picture cannot be used: it is empty',
    ],
    ['without its picture', { picture: missing }, 'its picture cannot be used: the server responds with 404'],
  ])('a badge %s is a problem, and so are its people', async (_, fields, detail) => {
    const [bad, good] = [arrivingToken(fields), arrivingToken()];
    const { lines, result } = await importInto(service, [
      bad,
      arrivingPerson(bad, { address: newAddress() }),
      good,
      arrivingPerson(good, { address: newAddress() }),
    ]);
    expect(lines[0]).toContain(`problem: ${detail}`);
    expect(lines[1]).toBe('problem: its badge was not imported');
    expect(result).toEqual({ lines: 4, imported: 2, skipped: 0, problems: 2 });
    expect(await sql('select from tokens where imported_id = $1', bad.source.id)).toEqual([]);
  });

  test('people are problems, without what they are', async () => {
    const token = arrivingToken();
    const address = newAddress();
    const future = Date.now() + DAY_MS;
    const arrivals: Arrival[] = [
      token,
      arrivingPerson(token, { address: '0x12' }),
      arrivingPerson(token, { email: 'SECRET' }),
      arrivingPerson(token, { identifier: 'SECRET'.repeat(60) }),
      arrivingPerson(token, { algorithm: 'md5', emailHash: 'SECRET', salt: '' }),
      arrivingPerson(token, { address }, { email: 'SECRET' }),
      arrivingPerson(token, { address }, { name: 'SECRET\n' }),
      arrivingPerson(token, { address }, { claimedAtTimestamp: future }),
      arrivingPerson(arrivingToken(), { address }),
      { kind: 'problem', place: 'file.csv:7', detail: 'it has too few columns' },
      arrivingPerson(token, { address }),
    ];
    const { lines, result } = await importInto(service, arrivals);
    expect(lines.slice(1)).toEqual([
      'problem: the address is not one: it must be 0x and 40 hex digits',
      'problem: the e-mail must be an e-mail address, such as ada@example.org',
      'problem: the identifier must have 1 to 256 characters',
      'problem: the hash of the e-mail is not 32 hex digits',
      'problem: email must be an e-mail address, such as ada@example.org',
      expect.stringMatching(/^problem: name /),
      'problem: a time is not in the past',
      'problem: its badge is not before it in the source',
      'problem: it has too few columns',
      'imported: has the badge',
    ]);
    expect(lines.join()).not.toContain('SECRET');
    expect(result).toMatchObject({ lines: 11, imported: 2, problems: 9 });
  });

  test('pictures that do not fit into the quota are problems', async () => {
    const { context } = service;
    const settings = { ...context.settings, storageQuotaBytes: png.length };
    const community = { uniqId: 'small', displayId: 'small', name: 'Small' };
    await service.call('/v1/communities', { key: service.adminKey, json: community });
    const arrivals = [
      arrivingToken({ picture: pictureOf(png) }),
      arrivingToken({ picture: pictureOf(png) }),
      arrivingToken({ picture: pictureOf(Buffer.from(sampleFiles['image/gif'])) }),
    ];
    for (const isDryRun of [true, false]) {
      const { result, lines } = await importInto({ context: { ...context, settings } }, arrivals, {
        communityId: 'small',
        isDryRun,
      });
      expect(result).toMatchObject({ imported: 2, problems: 1 });
      expect(lines[2]).toContain('it does not fit');
    }
  });
});

/** Arrivals of every kind, in several chunks. */
function manyArrivals(): Arrival[] {
  const tokens = [arrivingToken({ picture: pictureOf(png) }), arrivingToken({ totalClaimCount: 2_000 })];
  return tokens.flatMap((token) => [
    token,
    ...Array.from({ length: 1_200 }, (_, index) =>
      arrivingPerson(token, { address: newAddress() }, { isOwner: index % 3 > 0 }),
    ),
    ...[1, 2, 3].map(() => arrivingPerson(token, { email: `${newAddress()}@example.org` })),
    arrivingPerson(token, { address: 'nobody' }),
    arrivingLink(token, newAddress()),
  ]);
}

const idsOf = (arrivals: Arrival[]) => arrivals.flatMap((one) => (one.kind === 'token' ? one.source.id : []));
async function rowsOf(arrivals: Arrival[]) {
  const [row] = await sql(
    `select count(distinct t.token_id)::integer as tokens,
       (select count(*)::integer from claims where token_id = any(array_agg(t.token_id))) as owners,
       (select count(*)::integer from allowlist_entries where token_id = any(array_agg(t.token_id))) as entries,
       (select count(*)::integer from recipients where token_id = any(array_agg(t.token_id))) as people,
       (select count(*)::integer from claim_links where token_id = any(array_agg(t.token_id))) as links
     from tokens t where imported_id = any($1)`,
    idsOf(arrivals),
  );
  return row;
}
const ALL = { tokens: 2, owners: 1_606, entries: 1_203 + 1 + 401, people: 2_408, links: 2 };

describe('an import', () => {
  test('in a dry run says what it would do, and writes nothing', async () => {
    const arrivals = manyArrivals();
    const before = await dumpTables(service.databaseUrl);
    const dry = await importInto(service, arrivals, { isDryRun: true });
    expect(await dumpTables(service.databaseUrl)).toBe(before);
    const real = await importInto(service, arrivals);
    expect(dry.lines).toEqual(real.lines.map((line) => line.replace(/: token \d+: /, ': a new token: ')));
    expect(dry.result).toEqual(real.result);
    expect(real.result).toEqual({ lines: 2_412, imported: 2_410, skipped: 0, problems: 2 });
    expect(await rowsOf(arrivals)).toEqual(ALL);
    const again = await importInto(service, arrivals, { isDryRun: true });
    expect(again.result).toEqual({ lines: 2_412, imported: 0, skipped: 2_410, problems: 2 });
  });

  test('that ends anywhere is continued by the same one', async () => {
    const arrivals = manyArrivals();
    const stop = new AbortController();
    async function* untilStopped(count: number) {
      for (const [index, arrival] of arrivals.entries()) {
        if (index === count) stop.abort();
        yield arrival;
      }
    }
    const options = { communityId: 'demo', importer: parseAddress(IMPORTER), actor: null, isDryRun: false };
    await expect(
      importArrivals(service.context, untilStopped(1_100), { ...options, signal: stop.signal }),
    ).rejects.toThrow('aborted');
    expect(await rowsOf(arrivals)).toMatchObject({ tokens: 1, links: 0, people: 1_000 });
    async function* unreadable() {
      yield* inOrder(arrivals.slice(0, 1_207));
      throw new ArrivalError('the file is damaged');
    }
    await expect(importArrivals(service.context, unreadable(), options)).rejects.toThrow(
      'the file is damaged',
    );
    expect(await rowsOf(arrivals)).toMatchObject({ tokens: 2, links: 1, people: 1_204 });
    const { result } = await importInto(service, arrivals);
    expect(result).toEqual({ lines: 2_412, imported: 2_410 - 1_206, skipped: 1_206, problems: 2 });
    expect(await rowsOf(arrivals)).toEqual(ALL);
  });

  test('by two processes at once imports each line once', async () => {
    const file = (name: string) => join(service.dataDir, name);
    const other = await startOtherProcess(service, {
      BADGE_ENCRYPTION_KEY_FILE: file('encryption-key'),
      BADGE_HOLDER_SEED_FILE: file('holder-seed'),
    });
    const arrivals = manyArrivals();
    const results = await Promise.all([importInto(service, arrivals), importInto(other, arrivals)]);
    expect(results.map(({ result }) => result.problems)).toEqual([2, 2]);
    expect(results.reduce((sum, { result }) => sum + result.imported, 0)).toBe(2_410);
    expect(await rowsOf(arrivals)).toEqual(ALL);
    const [ids] = await sql<{ gaps: string }>('select max(token_id) - count(*) as gaps from tokens');
    expect(ids).toEqual({ gaps: '0' });
    await other.stop();
  });

  test('is one entry of the audit log, of who imports', async () => {
    const entriesOf = async () => {
      const path = '/v1/auditLog?action=import&limit=1000';
      const { data } = await json<{ data: object[] }>(path, { key: service.adminKey });
      return data;
    };
    const before = (await entriesOf()).length;
    const [first, second] = [arrivingToken(), arrivingToken()];
    const person = arrivingPerson(first, { identifier: 'SECRET' });
    await importInto(service, [first, person, second, arrivingPerson(second, { address: newAddress() })]);
    await importInto(service, [arrivingToken()], { actor: null });
    await importInto(service, [arrivingToken()], { isDryRun: true });
    const entries = await entriesOf();
    expect(entries).toHaveLength(before + 1);
    expect(entries[0]).toMatchObject({ actor: 'operator', communityId: 'demo', resourceId: 'demo' });
    expect(JSON.stringify(entries)).not.toContain('SECRET');
  });
});
