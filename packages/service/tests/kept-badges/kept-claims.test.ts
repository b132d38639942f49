import { randomUUID } from 'node:crypto';
import type {
  CreatedClaimLink,
  CreatedClaimLinks,
  CreatedSession,
  Operation,
  Owner,
  Problem,
  Recipient,
} from '@badge/protocol';
import { newAddress, newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockCurrentToken } from '../../src/storage/token-locks.ts';
import { signedChallenge } from '../../src/testing/access-matrix-fixture.ts';
import { createEmailSession } from '../../src/testing/email-sessions.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

// What people with a session by e-mail do with the badges that are kept for them.

const creator = newWallet();
const LISTED = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['somebody'] };
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ BADGE_TRUST_PROXY: '127.0.0.1' });
});
afterAll(async () => await service.stop());

const json = async <T>(response: Response | Promise<Response>) => (await (await response).json()) as T;

/** Waits for the operation of a response. Returns its final state. */
async function settle(response: Response): Promise<Operation> {
  expect(await response.clone().text()).toBe('{}');
  return await json(service.call(`${response.headers.get('location')}?wait=20`));
}

async function createToken(fields: object = {}): Promise<number> {
  const body = { ...(await signedToken({ headline: randomUUID(), ...fields }, creator)) };
  return Number(
    (await settle(await service.call('/v1/tokens', { json: body, key: service.apiKey }))).resourceId,
  );
}

async function createLink(tokenId: number, fields: object = { count: 1 }): Promise<CreatedClaimLink> {
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const response = await service.call(`/v1/tokens/${tokenId}/claimLinks`, {
    json: { signature, ...fields },
    key: service.apiKey,
  });
  const [link] = (await json<CreatedClaimLinks>(response)).items;
  return link as CreatedClaimLink;
}

const room = (fields: object = {}) => ({
  maxClaims: 3,
  expiresAtTimestamp: Date.now() + 3_600_000,
  ...fields,
});
const newEmail = () => `${randomUUID()}@example.org`;
const signIn = (email = newEmail()) => createEmailSession(service, email);
const claim = (tokenId: number, key: string, body: object = {}, headers: Record<string, string> = {}) =>
  service.call(`/v1/tokens/${tokenId}/claim`, { json: body, key, headers });
const nameOf = async (response: Response) =>
  response.status === 202
    ? ((await settle(response)).error?.name ?? 'success')
    : (await json<Problem>(response)).name;
const ownersOf = async (tokenId: number) =>
  (await json<{ data: Owner[] }>(service.call(`/v1/tokens/${tokenId}/owners`))).data;

test('who has proven an e-mail claims for one address in each community, and only once', async () => {
  const [first, second] = [await createToken(), await createToken()];
  const email = newEmail();
  const key = await signIn(email);
  expect(await nameOf(await claim(first, key))).toBe('success');
  expect(await nameOf(await claim(first, await signIn(email.toUpperCase())))).toBe(
    'ClaimingAddressAlreadyHasToken',
  );
  expect(await nameOf(await claim(second, key))).toBe('success');
  const [owner] = await ownersOf(first);
  expect(await ownersOf(second)).toMatchObject([{ address: owner?.address }]);
  expect(await nameOf(await claim(first, await signIn()))).toBe('success');
  expect(new Set((await ownersOf(first)).map(({ address }) => address)).size).toBe(2);
});

test('one e-mail has another address in another community', async () => {
  const community = { uniqId: 'other', displayId: 'other', name: 'Other' };
  await service.call('/v1/communities', { json: community, key: service.adminKey });
  const body = await signedToken({ communityId: 'other' }, creator);
  const accepted = await service.call('/v1/tokens', { json: body, key: service.adminKey });
  const [inDemo, inOther] = [await createToken(), Number((await settle(accepted)).resourceId)];
  const key = await signIn();
  for (const tokenId of [inDemo, inOther]) expect(await nameOf(await claim(tokenId, key))).toBe('success');
  const [[demo], [other]] = [await ownersOf(inDemo), await ownersOf(inOther)];
  expect([demo?.isKept, other?.isKept]).toEqual([true, true]);
  expect(demo?.address).not.toBe(other?.address);
});

test('nothing but a code is sent with the session, and everybody else sends an address', async () => {
  const tokenId = await createToken();
  const key = await signIn();
  const sent = { claimingAddress: newAddress(), signature: '0x', identifier: 'ada' };
  const refused = await json<Problem>(claim(tokenId, key, sent));
  expect(refused.errors).toEqual(
    Object.keys(sent).map((field) => ({
      pointer: `/${field}`,
      detail: 'must not be sent with this session',
    })),
  );
  for (const other of [service.apiKey, service.adminKey]) {
    const { errors } = await json<Problem>(claim(tokenId, other));
    expect(errors).toEqual([{ pointer: '/claimingAddress', detail: 'is required' }]);
  }
  const withoutKey = await json<Problem>(service.call(`/v1/tokens/${tokenId}/claim`, { json: {} }));
  expect(withoutKey.errors).toEqual([{ pointer: '/claimingAddress', detail: 'is required' }]);
  expect(await ownersOf(tokenId)).toEqual([]);
});

test('a repetition is the same operation: with a key always, without one until it is settled', async () => {
  const tokenId = await createToken();
  const key = await signIn();
  const locationOf = async (headers = {}) =>
    (await claim(tokenId, key, {}, headers)).headers.get('location') ?? 'none';
  const idempotencyKey = { 'Idempotency-Key': randomUUID() };
  const [first, repeated] = await service.context.transaction(async (tx) => {
    await lockCurrentToken(tx, tokenId);
    return [await locationOf(), await locationOf()];
  });
  expect(repeated).toBe(first);
  expect(await json(service.call(`${first}?wait=20`))).toMatchObject({
    status: 'success',
    resourceId: tokenId,
  });
  expect(await nameOf(await claim(tokenId, key))).toBe('ClaimingAddressAlreadyHasToken');
  const other = await createToken();
  const sent = await claim(other, key, {}, idempotencyKey);
  const operation = await settle(sent);
  const replayed = await claim(other, key, {}, idempotencyKey);
  expect(replayed.headers.get('idempotency-replayed')).toBe('true');
  expect(await settle(replayed)).toEqual(operation);
});

test('a code gives its place, and a room counts no client', async () => {
  const listed = await createToken(LISTED);
  expect(await nameOf(await claim(listed, await signIn()))).toBe('AddressNotAllowlisted');
  const { code } = await createLink(listed);
  expect(await nameOf(await claim(listed, await signIn(), { claimCode: code }))).toBe('success');
  expect(await nameOf(await claim(listed, await signIn(), { claimCode: code }))).toBe('ClaimCodeUsed');
  expect(await nameOf(await claim(listed, await signIn(), { claimCode: 'unknown' }))).toBe(
    'ClaimCodeInvalid',
  );
  const { code: roomCode } = await createLink(listed, room({ maxClaimsPerClient: 1 }));
  const claims: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    claims.push(await nameOf(await claim(listed, await signIn(), { claimCode: roomCode })));
  }
  expect(claims).toEqual(['success', 'success', 'success', 'ClaimCodeUsed']);
});

test('a token or a code that needs a signature says why it needs a wallet', async () => {
  const signed = await createToken({ isSignatureRequired: true });
  const key = await signIn();
  const refusal = await json<Problem>(claim(signed, key));
  expect(refusal).toMatchObject({ name: 'SignatureRequired', detail: expect.stringContaining('wallet') });
  const listed = await createToken(LISTED);
  const { code } = await createLink(listed, room({ isSignatureRequired: true }));
  expect(await nameOf(await claim(listed, key, { claimCode: code }))).toBe('SignatureRequired');
});

test('wrong short codes are limited as for everybody, and the uses of a right one are not', async () => {
  const listed = await createToken(LISTED);
  const { code } = await createLink(listed, room({ maxClaims: 100 }));
  const keys = await Promise.all(Array.from({ length: 30 }, () => signIn()));
  const right = await Promise.all(keys.map((key) => claim(listed, key, { claimCode: code })));
  expect(right.map(({ status }) => status)).toEqual(right.map(() => 202));
  const [key = ''] = keys;
  const client = { 'X-Forwarded-For': '192.0.2.77' };
  const wrong = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      claim(listed, key, { claimCode: `0000-00${String(index).padStart(2, '0')}` }, client),
    ),
  );
  expect(wrong.some(({ status }) => status === 429)).toBe(true);
});

test('a refused claim records no address, and the audit log names no person', async () => {
  const listed = await createToken(LISTED);
  const email = newEmail();
  const key = await signIn(email);
  const count = async () =>
    (await query<{ count: number }>(service.databaseUrl, 'select count(*)::integer from kept_addresses'))[0]
      ?.count;
  const before = await count();
  expect(await nameOf(await claim(listed, key))).toBe('AddressNotAllowlisted');
  expect(await count()).toBe(before);
  expect(await nameOf(await claim(await createToken(), key))).toBe('success');
  expect(await count()).toBe((before ?? 0) + 1);
  const [entry] = await query<object>(
    service.databaseUrl,
    "select actor, address, api_key_id from audit_log where action = 'claim' order by recorded_at desc limit 1",
  );
  expect(entry).toEqual({ actor: 'email', address: null, api_key_id: null });
  expect(await dumpTables(service.databaseUrl)).not.toContain(email);
});

test('a token that was replaced is claimed as its replacement with a code, and otherwise refused', async () => {
  const replaced = await createToken(LISTED);
  const { code } = await createLink(replaced);
  const replacementTokenId = await createToken({ ...LISTED, contributors: [creator.address] });
  const path = `/v1/tokens/${replaced}/replace`;
  await settle(await service.call(path, { json: { replacementTokenId }, key: service.apiKey }));
  const key = await signIn();
  expect(await nameOf(await claim(replaced, key))).toBe('TokenReplaced');
  const operation = await settle(await claim(replaced, key, { claimCode: code }));
  expect(operation).toMatchObject({ status: 'success', resourceId: replacementTokenId });
});

test('owners and recipients say whose badge is kept, in JSON and in CSV', async () => {
  const tokenId = await createToken();
  expect(await nameOf(await claim(tokenId, await signIn()))).toBe('success');
  expect(await nameOf(await claim(tokenId, service.apiKey, { claimingAddress: newAddress() }))).toBe(
    'success',
  );
  expect((await ownersOf(tokenId)).map(({ isKept }) => isKept)).toEqual([true, false]);
  const path = `/v1/tokens/${tokenId}`;
  const key = service.apiKey;
  for (const list of [
    `${path}/owners?search=0x`,
    `${path}/owners?status=all`,
    `${path}/recipients?order=oldest`,
  ]) {
    const { data } = await json<{ data: { isKept: boolean }[] }>(service.call(list, { key }));
    expect(data.map(({ isKept }) => isKept)).toEqual([true, false]);
    const csv = await service.call(list, { key, headers: { Accept: 'text/csv' } });
    const [head = '', ...lines] = (await csv.text()).trim().split('\r\n');
    const column = head.split(',').indexOf('isKept');
    expect(lines.map((line) => line.split(',')[column])).toEqual(['true', 'false']);
  }
});

const recipientsOf = async (tokenId: number) =>
  (
    await json<{ data: Recipient[] }>(
      service.call(`/v1/tokens/${tokenId}/recipients`, { key: service.apiKey }),
    )
  ).data;

test('organizers see the e-mail of who has claimed with one, whichever way', async () => {
  const [open, listed] = [await createToken(), await createToken(LISTED)];
  const { code } = await createLink(listed);
  const { code: roomCode } = await createLink(listed, room());
  const emails = [newEmail(), newEmail(), newEmail()];
  const [ofOpen = '', ofLink = '', ofRoom = ''] = await Promise.all(emails.map(signIn));
  expect(await nameOf(await claim(open, ofOpen))).toBe('success');
  expect(await nameOf(await claim(listed, ofLink, { claimCode: code }))).toBe('success');
  expect(await nameOf(await claim(listed, ofRoom, { claimCode: roomCode }))).toBe('success');
  const known = [...(await recipientsOf(open)), ...(await recipientsOf(listed))];
  expect(known.filter(({ isKept }) => isKept)).toMatchObject([
    { email: emails[0], way: 'open', status: 'claimed' },
    { email: emails[2], way: 'room', status: 'claimed' },
    { email: emails[1], way: 'link', status: 'claimed' },
  ]);
});

describe('an e-mail on the list claims without a code', () => {
  const contribute = async (fields: object) => {
    const email = newEmail();
    const entry = { contributor: email, ...fields };
    const tokenId = await createToken({ ...LISTED, contributors: ['first', entry] });
    return { email, tokenId };
  };
  const change = async (path: string, method: string, body: object = {}) => {
    const response = await service.call(path, {
      method,
      key: service.apiKey,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBeLessThan(300);
  };

  test('if it is an entry itself, in any case of its letters', async () => {
    const { email, tokenId } = await contribute({});
    expect(await nameOf(await claim(tokenId, await signIn(email.toUpperCase())))).toBe('success');
    expect(await nameOf(await claim(tokenId, await signIn(email)))).toBe('ClaimingAddressAlreadyHasToken');
    expect(await nameOf(await claim(tokenId, await signIn()))).toBe('AddressNotAllowlisted');
    expect(await recipientsOf(tokenId)).toHaveLength(2);
  });

  test.each(['bücher', 'BÜCHER', 'xn--bcher-kva'])('if its domain is international: %s', async (label) => {
    const local = randomUUID();
    const contributors = [`${local}@${label}.example`];
    const tokenId = await createToken({ ...LISTED, contributors });
    expect(await nameOf(await claim(tokenId, await signIn(`${local}@bücher.example`)))).toBe('success');
    expect(await recipientsOf(tokenId)).toMatchObject([{ identifier: contributors[0], status: 'claimed' }]);
  });

  test('if the community has said that it is the e-mail of an entry, when it added the entry or later', async () => {
    const email = newEmail();
    const entry = { contributor: 'ada', email };
    const tokenId = await createToken({ ...LISTED, contributors: [entry, 'ben'] });
    expect(await nameOf(await claim(tokenId, await signIn(email)))).toBe('success');
    const ofBen = newEmail();
    const items = [{ contributor: 'ben', email: ofBen }];
    await change(`/v1/tokens/${tokenId}/recipients`, 'PUT', { items });
    expect(await nameOf(await claim(tokenId, await signIn(ofBen)))).toBe('success');
    expect(await recipientsOf(tokenId)).toMatchObject([
      { identifier: 'ben', email: ofBen, way: 'list', isKept: true },
      { identifier: 'ada', email, way: 'list', isKept: true },
    ]);
  });

  test('if a link was made for it, and not if its e-mail was taken back or its link was revoked', async () => {
    const tokenId = await createToken(LISTED);
    const emails = [newEmail(), newEmail(), newEmail(), newEmail()];
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const path = `/v1/tokens/${tokenId}/claimLinks`;
    const people = emails.map((email) => ({ email }));
    const body = { signature, count: people.length, people };
    await service.call(path, { json: body, key: service.apiKey });
    const linkOf = new Map((await recipientsOf(tokenId)).map((one) => [one.email, one]));
    const [good = '', revoked = '', taken = '', expired = ''] = emails;
    await change(`${path}/${linkOf.get(revoked)?.claimLinkId}`, 'DELETE');
    await change(`/v1/tokens/${tokenId}/recipients/${linkOf.get(taken)?.recipientId}`, 'PATCH', {
      email: null,
    });
    await query(service.databaseUrl, 'update claim_links set expires_at = now() where claim_link_id = $1', [
      linkOf.get(expired)?.claimLinkId,
    ]);
    for (const email of [revoked, taken, expired]) {
      expect(await nameOf(await claim(tokenId, await signIn(email)))).toBe('AddressNotAllowlisted');
    }
    expect(await nameOf(await claim(tokenId, await signIn(good)))).toBe('success');
    expect((await recipientsOf(tokenId)).filter(({ isKept }) => isKept)).toMatchObject([
      { email: good, recipientId: linkOf.get(good)?.recipientId, status: 'claimed', way: 'link' },
    ]);
  });

  test('two people with one e-mail get one badge, and a second entry stays', async () => {
    const email = newEmail();
    const contributors = ['ada', 'ben'].map((contributor) => ({ contributor, email }));
    const tokenId = await createToken({ ...LISTED, contributors });
    const key = await signIn(email);
    expect(await nameOf(await claim(tokenId, key))).toBe('success');
    expect(await nameOf(await claim(tokenId, key))).toBe('ClaimingAddressAlreadyHasToken');
    expect((await recipientsOf(tokenId)).map(({ status }) => status).toSorted()).toEqual([
      'claimed',
      'listed',
    ]);
  });
});

test('who claims is stored only encrypted, also in the request, which loses it when the claim fails', async () => {
  const tokenId = await createToken({ totalClaimCount: 1 });
  const emails = [newEmail(), newEmail()];
  const keys = await Promise.all(emails.map(signIn));
  const sent = await service.context.transaction(async (tx) => {
    await lockCurrentToken(tx, tokenId);
    const responses = await Promise.all(keys.map((key) => claim(tokenId, key)));
    const pending = await query(service.databaseUrl, "select from operations where request ? 'claimer'");
    expect(pending).toHaveLength(2);
    return responses;
  });
  expect((await Promise.all(sent.map(nameOf))).toSorted()).toEqual(['NoTokensLeft', 'success']);
  const dump = await dumpTables(service.databaseUrl);
  for (const email of emails) expect(dump).not.toContain(email);
  const stored = await query(
    service.databaseUrl,
    "select from operations where request::text like '%claimer%'",
  );
  expect(stored).toEqual([]);
});

describe('the owner gives a badge up', () => {
  const burn = (tokenId: number, key: string, body: object = {}) =>
    service.call(`/v1/tokens/${tokenId}/burn`, { json: body, key });
  const burntBy = async () =>
    (
      await query<{ actor: string; address: Buffer | null }>(
        service.databaseUrl,
        "select actor, address from audit_log where action = 'burn' order by audit_entry_id desc limit 1",
      )
    )[0];

  test('with a session by e-mail, once', async () => {
    const tokenId = await createToken();
    const email = newEmail();
    const key = await signIn(email);
    expect(await nameOf(await claim(tokenId, key))).toBe('success');
    expect(await nameOf(await burn(tokenId, await signIn()))).toBe('TokenNotOwned');
    expect(await nameOf(await burn(tokenId, key))).toBe('success');
    expect(await burntBy()).toEqual({ actor: 'email', address: null });
    expect(await nameOf(await burn(tokenId, key))).toBe('TokenNotOwned');
    expect(await nameOf(await claim(tokenId, key))).toBe('ClaimingAddressAlreadyHasToken');
    expect(await recipientsOf(tokenId)).toMatchObject([{ email, isKept: true, status: 'burnt' }]);
  });

  test("with a wallet's session, of whatever role, and otherwise with a signature as before", async () => {
    const wallet = newWallet();
    const signedIn = await service.call('/v1/sessions', { json: await signedChallenge(service, wallet) });
    const { sessionToken: key } = await json<CreatedSession>(signedIn);
    const tokenId = await createToken();
    const other = await createToken();
    for (const id of [tokenId, other]) {
      await settle(await claim(id, service.apiKey, { claimingAddress: wallet.address }));
    }
    expect((await json<Problem>(burn(tokenId, key, { burningAddress: wallet.address }))).errors).toEqual([
      { pointer: '/signature', detail: 'is required' },
    ]);
    expect(await nameOf(await burn(tokenId, key))).toBe('success');
    const entry = await burntBy();
    expect(entry?.actor).toBe('session');
    expect(`0x${entry?.address?.toString('hex')}`).toBe(wallet.address.toLowerCase());
    const signature = await signTokenId(wallet, 'Burn', other);
    const signed = { burningAddress: wallet.address, signature };
    expect(await nameOf(await burn(other, service.apiKey, signed))).toBe('success');
    expect(await burntBy()).toEqual({ actor: 'signature', address: null });
  });

  test('and null is the same as nothing', async () => {
    const wallet = newWallet();
    const signedIn = await service.call('/v1/sessions', { json: await signedChallenge(service, wallet) });
    const { sessionToken } = await json<CreatedSession>(signedIn);
    const tokenId = await createToken();
    const key = await signIn();
    const nothing = { burningAddress: null, signature: null };
    expect(await nameOf(await claim(tokenId, key, { claimingAddress: null, signature: null }))).toBe(
      'success',
    );
    await settle(await claim(tokenId, service.apiKey, { claimingAddress: wallet.address }));
    for (const owner of [key, sessionToken]) {
      expect(await nameOf(await burn(tokenId, owner, nothing))).toBe('success');
    }
    const missing = (fields: object) =>
      Object.keys(fields).map((field) => ({ pointer: `/${field}`, detail: 'is required' }));
    expect((await json<Problem>(burn(tokenId, service.apiKey, nothing))).errors).toEqual(missing(nothing));
    const address = { claimingAddress: null };
    expect((await json<Problem>(claim(tokenId, service.apiKey, address))).errors).toEqual(missing(address));
  });

  test('and nobody without a session, or with an ended one, sends an empty body', async () => {
    const tokenId = await createToken();
    const missing = [
      { pointer: '/burningAddress', detail: 'is required' },
      { pointer: '/signature', detail: 'is required' },
    ];
    for (const key of [service.apiKey, service.adminKey, 'unknown']) {
      expect((await json<Problem>(burn(tokenId, key))).errors).toEqual(missing);
    }
    const key = await signIn();
    expect((await service.call('/v1/sessions/current', { method: 'DELETE', key })).status).toBe(204);
    expect(await nameOf(await burn(tokenId, key))).toBe('InvalidSession');
  });
});
