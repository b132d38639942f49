import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findBakedCredentials, verifyCredential } from '@badge/credentials';
import type { CreatedApiKey, IssuerKey, IssuerKeys, Problem, Token } from '@badge/protocol';
import { newWallet, signedBurn, type Wallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { describe, expect, test } from 'vitest';
import { sampleFiles } from '../../../../tests/acceptance/sample-files.ts';
import { readConfig } from '../../src/config.ts';
import { inspectIssuerKeys } from '../../src/doctor/inspect-issuer-keys.ts';
import { writeStatusLists } from '../../src/publish-status-lists.ts';
import { parseAddress } from '../../src/signatures/address.ts';
import { findCredentialStates, insertCredentials } from '../../src/storage/credentials.ts';
import { listIssuerKeys, replaceOlderIssuerKeys } from '../../src/storage/issuer-keys.ts';
import { ATTRIBUTES, all, credentialsFixture, judgeAll } from '../../src/testing/credentials-fixture.ts';
import { startOtherProcess, startTestService, type TestService } from '../../src/testing/services.ts';

const fixture = credentialsFixture();
const { finish, createToken, airdrop, createBadge, readCredential } = fixture;

async function readProblem(response: Response): Promise<string> {
  const { name } = (await response.json()) as Problem;
  return `${response.status} ${name}`;
}

const change = async (tokenId: number, { address }: Wallet, action: string, json: object = {}) =>
  finish(
    await fixture.service.call(`/v1/tokens/${tokenId}/owners/${address}/${action}`, {
      key: fixture.service.apiKey,
      json: { reason: 'a reason', ...json },
    }),
  );

describe('the judges accept', () => {
  test.each(Object.entries(sampleFiles))(
    'the credential of a badge with an uploaded %s, and its picture contains it',
    async (_contentType, bytes) => {
      const form = new FormData();
      form.append('name', 'Test');
      form.append('assetFile', new Blob([bytes]), 'file');
      const created = await fixture.service.call('/v1/communities/demo/nftTypes', {
        method: 'POST',
        key: fixture.service.apiKey,
        body: form,
      });
      const { nftTypeId } = (await created.json()) as { nftTypeId: string };
      const { path, tokenId } = await createBadge({ nftTypeId });
      const { credential, text } = await readCredential(path);
      expect(await judgeAll(credential)).toEqual(all('valid'));
      // The hash is that of the picture that the token has.
      const { imageUrl } = (await (await fixture.service.call(`/v1/tokens/${tokenId}`)).json()) as Token;
      await expectHash(text, await (await fixture.service.call(new URL(imageUrl).pathname)).arrayBuffer());
      const png = await fixture.service.call(`${path}.png`);
      expect(png.headers.get('content-type')).toBe('image/png');
      expect(findBakedCredentials(new Uint8Array(await png.arrayBuffer()))).toEqual([text]);
    },
  );
});

async function expectHash(credential: string, picture: ArrayBuffer): Promise<void> {
  const { content } = await verifyCredential(credential);
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', picture)).toString('hex');
  expect(content?.picture?.sha256).toBe(hash);
}

describe('a credential', () => {
  test('says what the badge is, whose it is, and who gave it', async () => {
    const fields = { headline: 'Speaker', description: 'A talk', customAttributes: ATTRIBUTES };
    const { tokenId, wallet, path } = await createBadge({ ...fields, criteria: 'Gave a talk.' });
    const { text } = await readCredential(path);
    const { verdict, content } = await verifyCredential(text);
    expect(verdict).toBe('statusUnknown');
    expect(content).toMatchObject({
      name: 'Speaker',
      description: 'A talk',
      narrative: 'Gave a talk.',
      wallet: { chainId: 80_001, address: wallet.address },
      picture: { url: `http://localhost:${fixture.service.port}/images/token/${tokenId}.png` },
      issuer: {
        name: 'Demo community',
        pictureUrl: `http://localhost:${fixture.service.port}/images/logo.png`,
      },
    });
    expect(content?.results.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'text: a "text" \\ with\nlines',
      'empty: ',
      'integer: 5',
      'fraction: 1e-7',
      'yes: true',
      'day: 2026-01-31',
      'time: 2026-01-01T00:00:00.000Z',
      'Ünïcödé 日本: 🏅',
    ]);
    await expectHash(text, await (await fixture.service.call(`/images/token/${tokenId}.png`)).arrayBuffer());
  });

  test('says how a badge without criteria was given', async () => {
    const narrativeOf = async (path: string) =>
      (await verifyCredential((await readCredential(path)).text)).content?.narrative;
    expect(await narrativeOf((await createBadge({ totalClaimCount: 7 })).path)).toBe(
      'Demo community offered this badge to everyone. It can be taken 7 times.',
    );
    const { address } = newWallet();
    const listed = { isAllowlistRequired: true, totalClaimCount: null, contributors: [address] };
    const tokenId = await createToken(listed);
    const json = { claimingAddress: address };
    await finish(
      await fixture.service.call(`/v1/tokens/${tokenId}/claim`, { key: fixture.service.apiKey, json }),
    );
    expect(await narrativeOf(`/v1/tokens/${tokenId}/credentials/${address}`)).toBe(
      'Demo community decided who can have this badge, and this person has taken it.',
    );
  });

  test('changes with the criteria and with the name of the community, and only then', async () => {
    const { tokenId, path } = await createBadge();
    const { text, headers } = await readCredential(path);
    const etag = headers.get('etag') ?? '';
    const again = await fixture.service.call(path, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
    await airdrop(tokenId, newWallet());
    expect((await readCredential(path)).text).toBe(text);
    const patch = (target: string, body: object) =>
      fixture.service.call(target, {
        method: 'PATCH',
        key: fixture.service.adminKey,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    await patch(`/v1/tokens/${tokenId}`, { criteria: 'Helped.' });
    expect((await readCredential(path)).text).toContain('Helped.');
    await patch('/v1/communities/demo', { name: 'Other name' });
    expect((await readCredential(path)).text).toContain('Other name');
    await patch('/v1/communities/demo', { name: 'Demo community' });
    await patch(`/v1/tokens/${tokenId}`, { criteria: null });
    expect((await readCredential(path)).text).toBe(text);
  });

  test('is sent as the ending or the header asks', async () => {
    const { path } = await createBadge();
    const typeOf = async (suffix: string, accept?: string) => {
      const response = await fixture.service.call(
        path + suffix,
        accept === undefined ? {} : { headers: { accept } },
      );
      await response.arrayBuffer();
      return response.headers.get('content-type');
    };
    const json = 'application/vc+json';
    expect(await typeOf('')).toBe(json);
    expect(await typeOf('', 'text/html, */*')).toBe(json);
    expect(await typeOf('', 'application/vc, application/json;q=0.5')).toBe(json);
    expect(await typeOf('', 'image/png')).toBe('image/png');
    expect(await typeOf('', 'image/png;q=0.1, application/json')).toBe(json);
    expect(await typeOf('.png', 'application/json')).toBe('image/png');
    expect(await typeOf('.json', 'image/png')).toBe(json);
    expect((await fixture.service.call(path)).headers.get('vary')).toContain('Accept');
  });

  test('of an address in lower case is the same', async () => {
    const { path } = await createBadge();
    expect((await readCredential(path.toLowerCase().replace('tokenid', 'tokenId'))).text).toBe(
      (await readCredential(path)).text,
    );
  });

  test.each([
    ['no address', (tokenId: number) => `/v1/tokens/${tokenId}/credentials/ada.json`, '400 InvalidRequest'],
    ['no token', () => `/v1/tokens/999999999/credentials/${newWallet().address}`, '404 TokenNotFound'],
    [
      'an address that never had the token',
      (tokenId: number) => `/v1/tokens/${tokenId}/credentials/${newWallet().address}.png`,
      '404 OwnerNotFound',
    ],
  ])('of %s does not exist', async (_what, pathOf, problem) => {
    expect(await readProblem(await fixture.service.call(pathOf(await createToken())))).toBe(problem);
  });
});

describe('a badge that is', () => {
  test('revoked has no credential, and the former one is revoked', async () => {
    const { tokenId, wallet, path } = await createBadge();
    const { credential } = await readCredential(path);
    await change(tokenId, wallet, 'revoke');
    expect(await readProblem(await fixture.service.call(path))).toBe('410 CredentialRevoked');
    expect(await readProblem(await fixture.service.call(`${path}.png`))).toBe('410 CredentialRevoked');
    expect(await judgeAll(credential)).toEqual(all('revoked'));
  });

  test('burnt has none', async () => {
    const { tokenId, wallet, path } = await createBadge();
    const { credential } = await readCredential(path);
    await finish(
      await fixture.service.call(`/v1/tokens/${tokenId}/burn`, { json: await signedBurn(tokenId, wallet) }),
    );
    expect(await readProblem(await fixture.service.call(path))).toBe('410 CredentialRevoked');
    expect(await judgeAll(credential)).toEqual(all('revoked'));
  });

  test('moved has one for the new address, and moved back one with a new index', async () => {
    const { tokenId, wallet, path } = await createBadge();
    const { credential: first } = await readCredential(path);
    const receiver = newWallet();
    await change(tokenId, wallet, 'move', { toAddress: receiver.address });
    expect(await readProblem(await fixture.service.call(path))).toBe('410 CredentialRevoked');
    const moved = await readCredential(path.replace(wallet.address, receiver.address));
    expect(moved.credential.validFrom).toBe(first.validFrom);
    expect(await judgeAll(moved.credential)).toEqual(all('valid'));
    await change(tokenId, receiver, 'move', { toAddress: wallet.address });
    const back = await readCredential(path);
    expect(await judgeAll(back.credential)).toEqual(all('valid'));
    expect(await judgeAll(first)).toEqual(all('revoked'));
    expect(await judgeAll(moved.credential)).toEqual(all('revoked'));
  });

  test('reinstated has a new credential, and the former one stays revoked', async () => {
    const { tokenId, wallet, path } = await createBadge();
    const { credential: former } = await readCredential(path);
    await change(tokenId, wallet, 'revoke');
    await change(tokenId, wallet, 'reinstate');
    const { credential } = await readCredential(path);
    expect(credential.id).not.toBe(former.id);
    expect(credential.validFrom).toBe(former.validFrom);
    expect(await judgeAll(credential)).toEqual(all('valid'));
    expect(await judgeAll(former)).toEqual(all('revoked'));
  });

  test('revoked before its first credential was made gets none', async () => {
    const { tokenId, wallet, path } = await createBadge();
    await change(tokenId, wallet, 'revoke');
    expect(await readProblem(await fixture.service.call(path))).toBe('410 CredentialRevoked');
    await change(tokenId, wallet, 'reinstate');
    expect(await judgeAll((await readCredential(path)).credential)).toEqual(all('valid'));
  });

  test('revoked while credentials are made never has a valid one', async () => {
    const tokenId = await createToken({ totalClaimCount: 1_000 });
    const wallets = Array.from({ length: 12 }, newWallet);
    await Promise.all(wallets.map((wallet) => airdrop(tokenId, wallet)));
    const pathOf = ({ address }: Wallet) => `/v1/tokens/${tokenId}/credentials/${address}`;
    const handedOut = await Promise.all(
      wallets.map(async (wallet) => {
        const [first, , second] = await Promise.all([
          fixture.service.call(pathOf(wallet)),
          change(tokenId, wallet, 'revoke'),
          fixture.service.call(pathOf(wallet)),
        ]);
        expect(await readProblem(await fixture.service.call(pathOf(wallet)))).toBe('410 CredentialRevoked');
        return await Promise.all([first, second].filter(({ ok }) => ok).map((response) => response.json()));
      }),
    );
    for (const credential of handedOut.flat()) {
      expect((await verifyWithList(JSON.stringify(credential))).verdict).toBe('revoked');
    }
  });
});

const verifyWithList = (text: string, { call }: Pick<TestService, 'call'> = fixture.service) =>
  verifyCredential(text, {
    fetchStatusList: async (url) => new Uint8Array(await (await call(new URL(url).pathname)).arrayBuffer()),
  });

describe('the status list', () => {
  test('can be read from every page, and is kept for a minute', async () => {
    const { credential } = await readCredential((await createBadge()).path);
    const { statusListCredential: url, statusListIndex } = credential.credentialStatus;
    expect(Number(statusListIndex)).toBeLessThan(131_072);
    const response = await fixture.service.call(new URL(url).pathname, {
      headers: { Origin: 'https://other.example' },
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=60',
      'content-type': 'application/vc+json',
    });
    const list = (await response.json()) as { id: string; credentialSubject: { encodedList: string } };
    expect(list.id).toBe(url);
    const headers = { 'If-None-Match': response.headers.get('etag') ?? '' };
    expect((await fixture.service.call(new URL(url).pathname, { headers })).status).toBe(304);
  });

  test('of another community is another one', async () => {
    const json = { uniqId: 'separate', displayId: 'separate', name: 'Separate' };
    await fixture.service.call('/v1/communities', { key: fixture.service.adminKey, json });
    const lists = await Promise.all(
      ['demo', 'separate'].map(async (communityId) => {
        const { path } = await createBadge({ communityId }, fixture.service.adminKey);
        return (await readCredential(path)).credential;
      }),
    );
    const [one, other] = lists;
    expect(one?.credentialStatus.statusListCredential).not.toBe(other?.credentialStatus.statusListCredential);
    expect(one?.issuer.id).not.toBe(other?.issuer.id);
  });

  test('is written as a file that replaces the service', async () => {
    const { tokenId, wallet, path } = await createBadge();
    const { text, credential } = await readCredential(path);
    const listId = credential.credentialStatus.statusListCredential.split('/').at(-1) ?? '';
    const files = new Map<string, Buffer>();
    const config = readConfig({
      DATABASE_URL: fixture.service.databaseUrl,
      BADGE_DATA_DIR: fixture.service.dataDir,
      BADGE_ISSUER_SEED_FILE: join(fixture.directory, 'seed'),
      LOG_LEVEL: 'silent',
    });
    const publish = () => writeStatusLists(config, async (id, bytes) => void files.set(id, bytes));
    const verify = async () =>
      (await verifyCredential(text, { fetchStatusList: async () => files.get(listId) ?? '' })).verdict;
    expect((await publish()).signed).toBe(files.size);
    expect(await verify()).toBe('valid');
    expect(files.get(listId)?.toString()).toBe(
      await (await fixture.service.call(`/status/${listId}`)).text(),
    );
    await change(tokenId, wallet, 'revoke');
    expect(await verify()).toBe('valid');
    await publish();
    expect(await verify()).toBe('revoked');
  });
});

describe('the keys of a community', () => {
  const keysOf = async (communityId: string, { call }: Pick<TestService, 'call'> = fixture.service) =>
    ((await (await call(`/v1/communities/${communityId}/issuerKeys`)).json()) as IssuerKeys).data;
  const rotate = (
    communityId: string,
    json: object = {},
    { call, adminKey }: TestService = fixture.service,
  ) => call(`/v1/communities/${communityId}/issuerKeys`, { key: adminKey, json });

  async function createCommunity(uniqId: string): Promise<string> {
    const json = { uniqId, displayId: uniqId, name: uniqId };
    await fixture.service.call('/v1/communities', { key: fixture.service.adminKey, json });
    return uniqId;
  }

  test('exist before the first credential, and sign all of them', async () => {
    const communityId = await createCommunity('first-key');
    const [key, ...others] = await keysOf(communityId);
    expect(others).toEqual([]);
    expect(key).toMatchObject({ did: expect.stringMatching(/^did:key:z6Mk/), isCurrent: true });
    const { path } = await createBadge({ communityId }, fixture.service.adminKey);
    expect((await readCredential(path)).credential.issuer.id).toBe(key?.did);
    expect(await keysOf(communityId)).toEqual([key]);
  });

  test('are rotated, and credentials with the former key stay valid', async () => {
    const communityId = await createCommunity('rotated');
    const { path, tokenId, wallet } = await createBadge({ communityId }, fixture.service.adminKey);
    const before = await readCredential(path);
    const response = await rotate(communityId);
    expect(response.status).toBe(201);
    const next = (await response.json()) as IssuerKey;
    const [former] = (await keysOf(communityId)).slice(1);
    expect(await keysOf(communityId)).toEqual([next, { ...former, isCurrent: false }]);
    expect((await readCredential(path)).text).toBe(before.text);
    expect(await judgeAll(before.credential)).toEqual(all('valid'));
    const other = newWallet();
    await airdrop(tokenId, other);
    const after = await readCredential(path.replace(wallet.address, other.address));
    expect(after.credential.issuer.id).toBe(next.did);
    expect(await judgeAll(after.credential)).toEqual(all('valid'));
    // The former key still signs its status list.
    await finish(
      await fixture.service.call(`/v1/tokens/${tokenId}/owners/${wallet.address}/revoke`, {
        key: fixture.service.adminKey,
        json: { reason: 'a reason' },
      }),
    );
    expect(await judgeAll(before.credential)).toEqual(all('revoked'));
    expect(await judgeAll(after.credential)).toEqual(all('valid'));
  });

  test('are rotated by owners, but only the operator can say that the seed was replaced', async () => {
    const created = await fixture.service.call('/v1/communities/demo/apiKeys', {
      key: fixture.service.adminKey,
      json: { name: 'owner', role: 'owner' },
    });
    const { apiKey } = (await created.json()) as CreatedApiKey;
    const rotateAsOwner = (json: object) =>
      fixture.service.call('/v1/communities/demo/issuerKeys', { key: apiKey, json });
    expect(await readProblem(await rotateAsOwner({ isSeedReplaced: true }))).toBe('403 ApiKeyNotAllowed');
    expect((await rotateAsOwner({ isSeedReplaced: false })).status).toBe(201);
  });

  test('are rotated five times a day, by the operator more often, and listed in pages', async () => {
    const communityId = await createCommunity('rotating');
    const path = `/v1/communities/${communityId}`;
    const json = { name: 'owner', role: 'owner' };
    const created = await fixture.service.call(`${path}/apiKeys`, { key: fixture.service.adminKey, json });
    const { apiKey } = (await created.json()) as CreatedApiKey;
    await keysOf(communityId);
    const rotateAsOwner = () => fixture.service.call(`${path}/issuerKeys`, { key: apiKey, json: {} });
    const responses = await Promise.all(Array.from({ length: 7 }, rotateAsOwner));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429]);
    const refused = responses.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect((await rotate(communityId)).status).toBe(201);
    const keys = await keysOf(communityId);
    expect(keys.map(({ isCurrent }) => isCurrent)).toEqual([true, ...Array(6).fill(false)]);
    const page = await fixture.service.call(`${path}/issuerKeys?limit=2&offset=1`);
    expect(await page.json()).toEqual({ limit: 2, offset: 1, data: keys.slice(1, 3) });
  });

  test('are not made twice by one request that is repeated', async () => {
    const communityId = await createCommunity('repeated');
    const init = { key: fixture.service.adminKey, json: {}, headers: { 'Idempotency-Key': 'rotate-once' } };
    const path = `/v1/communities/${communityId}/issuerKeys`;
    const first = await (await fixture.service.call(path, init)).json();
    expect(await (await fixture.service.call(path, init)).json()).toEqual(first);
    expect(await keysOf(communityId)).toEqual([first]);
  });

  test('of another seed sign nothing', async () => {
    const { path } = await createBadge();
    const { credential } = await readCredential(path);
    const list = new URL(credential.credentialStatus.statusListCredential).pathname;
    const fresh = await createBadge();
    const other = await startOtherProcess(fixture.service, {
      BADGE_ISSUER_SEED_FILE: join(fixture.directory, 'other-seed'),
    });
    try {
      for (const url of [path, `${path}.png`, fresh.path, list]) {
        expect(await readProblem(await other.call(url)), url).toBe('409 CredentialsUnavailable');
      }
      expect(await readProblem(await rotate('demo', {}, other))).toBe('409 CredentialsUnavailable');
      // Neither a key nor a credential was recorded.
      expect((await readCredential(fresh.path)).credential.issuer.id).toBe(credential.issuer.id);
      // Which keys there are is known without the seed.
      expect(await keysOf('demo', other)).toEqual(await keysOf('demo'));
      const recorded = { issuerKeys: await listIssuerKeys(fixture.service.context.database) };
      const inspect = (seed: string) =>
        inspectIssuerKeys(recorded, readConfig({ BADGE_ISSUER_SEED_FILE: join(fixture.directory, seed) }));
      expect(inspect('seed')).toMatchObject({ level: 'ok', found: expect.stringMatching(/all of them/) });
      expect(inspect('other-seed')).toMatchObject({
        level: 'problem',
        found: expect.stringContaining(credential.issuer.id),
      });
      await stat(join(fixture.directory, 'seed'));
    } finally {
      await other.stop();
    }
  });

  test('can follow from a new seed if the operator says that the former one is lost', async () => {
    const communityId = await createCommunity('new-seed');
    const { path } = await createBadge({ communityId }, fixture.service.adminKey);
    const before = await readCredential(path);
    const other = await startOtherProcess(fixture.service, {
      BADGE_ISSUER_SEED_FILE: join(fixture.directory, 'other-seed'),
    });
    try {
      expect((await rotate(communityId, { isSeedReplaced: true }, other)).status).toBe(201);
      const after = await readCredential(path, other);
      expect(after.credential.id).not.toBe(before.credential.id);
      expect((await verifyWithList(after.text, other)).verdict).toBe('valid');
      // Whoever knows the former seed can still sign with the former keys, so nobody may trust them.
      expect(await keysOf(communityId)).toEqual([
        expect.objectContaining({ did: after.credential.issuer.id, isCurrent: true }),
      ]);
      expect((await rotate(communityId, {}, other)).status).toBe(201);
      expect((await keysOf(communityId)).map(({ did }) => did)).toEqual([
        expect.stringMatching(/^did:key:/),
        after.credential.issuer.id,
      ]);
      // The former seed signs nothing any more, except what its own keys have signed.
      expect(await readProblem(await fixture.service.call(path))).toBe('409 CredentialsUnavailable');
      expect((await verifyWithList(before.text)).verdict).toBe('revoked');
      const recorded = (await listIssuerKeys(fixture.service.context.database)).filter(
        (key) => key.communityId === communityId,
      );
      expect(
        inspectIssuerKeys(
          { issuerKeys: recorded },
          readConfig({ BADGE_ISSUER_SEED_FILE: join(fixture.directory, 'other-seed') }),
        ),
      ).toMatchObject({ level: 'ok', found: '2, all of them keys that the seed gives' });
    } finally {
      await other.stop();
    }
  });

  test('whose seed is just being replaced get no credential any more', async () => {
    const communityId = await createCommunity('replaced-meanwhile');
    await keysOf(communityId);
    const { tokenId, wallet } = await createBadge({ communityId }, fixture.service.adminKey);
    const { database } = fixture.service.context;
    const choice = { communityId, generation: 1, baseUrl: 'https://status.example' };
    const owner = { tokenId, address: parseAddress(wallet.address) };
    let insertion: Promise<void> | undefined;
    await fixture.service.context.transaction(async (tx) => {
      await replaceOlderIssuerKeys(tx, { communityId, generation: 2 });
      insertion = insertCredentials(database, choice, [owner], { mayWait: true });
      const waited = await Promise.race([insertion, setTimeout(500, 'waits')]);
      expect(waited).toBe('waits');
    });
    await insertion;
    expect((await findCredentialStates(database, [owner]))[0]?.credential).toBeNull();
  });
});

test('without a seed, production has no credentials, and badges are given as ever', async () => {
  const production = await startTestService({
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: `0x${'2'.repeat(40)}`,
    PUBLIC_URL: 'https://badge.example',
  });
  try {
    await production.call('/v1/communities', {
      key: production.adminKey,
      json: { uniqId: 'demo', displayId: 'demo', name: 'Demo' },
    });
    expect(await (await production.call('/v1/communities/demo/issuerKeys')).json()).toMatchObject({
      data: [],
    });
    await query(
      production.databaseUrl,
      `with operation as (
         insert into operations
           (operation_id, operation_type, status, community_id, request_bytes, resource_id, completed_at)
         select gen_random_uuid(), type, 'success', 'demo', 1, 1, now() from unnest(array['createToken', 'claim']) as type
         returning operation_id, operation_type
       ), token as (
         insert into tokens (token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
           is_signature_required, is_allowlist_required, total_claim_count, remaining_claim_count, custom_attributes,
           signature, created_at)
         select 1, operation_id, 'demo', $1, 'A', '', '[]', 'defaultOrangeRed', false, false, 1, 0, '[]', $2, now()
         from operation where operation_type = 'createToken'
       )
       insert into claims (token_id, address, operation_id, claimed_at)
       select 1, $3, operation_id, now() from operation where operation_type = 'claim'`,
      [Buffer.alloc(20), Buffer.alloc(65), Buffer.alloc(20, 1)],
    );
    const response = await production.call(`/v1/tokens/1/credentials/0x${'01'.repeat(20)}`);
    expect(await readProblem(response)).toBe('409 CredentialsUnavailable');
  } finally {
    await production.stop();
  }
});

test('publishing writes only what has changed', async () => {
  const { publishStatus } = await import('../../src/cli/publish-status.ts');
  await readCredential((await createBadge()).path);
  const target = join(fixture.directory, 'lists');
  const config = readConfig({
    DATABASE_URL: fixture.service.databaseUrl,
    BADGE_DATA_DIR: fixture.service.dataDir,
    BADGE_ISSUER_SEED_FILE: join(fixture.directory, 'seed'),
    LOG_LEVEL: 'silent',
  });
  expect(await publishStatus(config, target)).toBe(0);
  const [name = ''] = await readdir(target);
  const { mtimeMs } = await stat(join(target, name));
  expect(await publishStatus(config, target)).toBe(0);
  expect((await stat(join(target, name))).mtimeMs).toBe(mtimeMs);
  expect(JSON.parse(await readFile(join(target, name), 'utf8'))).toMatchObject({
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
  });
});
