import { createHash, randomUUID } from 'node:crypto';
import { findBakedCredentials, verifyCredential } from '@badge/credentials';
import type { BadgeCredential, CreatedSession, Problem } from '@badge/protocol';
import { parseEmailAddress } from '@badge/protocol';
import { newWallet, signedBurn, type Wallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { describe, expect, test } from 'vitest';
import { hashKey, makeKey } from '../../src/domain/api-keys/rules.ts';
import { hashEmail } from '../../src/domain/invitations/rules.ts';
import { requireKeptAddresses } from '../../src/domain/kept-addresses.ts';
import { toChecksumAddress } from '../../src/signatures/address.ts';
import { signedChallenge } from '../../src/testing/access-matrix-fixture.ts';
import { all, credentialsFixture, judgeAll } from '../../src/testing/credentials-fixture.ts';
import { createEmailSession } from '../../src/testing/email-sessions.ts';

const fixture = credentialsFixture();
const { finish, createToken, airdrop, createBadge, readCredential } = fixture;

const identifierOf = ({ credentialSubject }: BadgeCredential) => credentialSubject.identifier;

async function signIn(wallet: Wallet): Promise<string> {
  const json = await signedChallenge(fixture.service, wallet);
  const response = await fixture.service.call('/v1/sessions', { json });
  expect(response.status).toBe(201);
  return ((await response.json()) as CreatedSession).sessionToken;
}

/** The address at which the service keeps badges for an e-mail. */
function keptAddressOf(email: string, communityId = 'demo'): string {
  const { keptAddresses, encryption } = requireKeptAddresses(fixture.service.context);
  const parsed = parseEmailAddress(email);
  if (typeof parsed === 'string') throw new Error(parsed);
  return toChecksumAddress(
    keptAddresses.addressOf({ communityId, emailHash: hashEmail(encryption, parsed) }),
  );
}

/** Gives a badge to somebody with an e-mail, and signs them in. */
async function createKeptBadge(email = `${randomUUID()}@example.org`) {
  const tokenId = await createToken();
  const address = keptAddressOf(email);
  await airdrop(tokenId, { address: address as `0x${string}` });
  const session = await createEmailSession(fixture.service, email);
  return { tokenId, email, session, path: `/v1/tokens/${tokenId}/credentials/${address}` };
}

/** Reads a credential with a person in it, which must be accepted by every judge. */
async function readIdentified(path: string, key: string, name?: string) {
  const search = new URLSearchParams({ with: 'identity', ...(name === undefined ? {} : { name }) });
  const response = await fixture.service.call(`${path}?${search}`, { key });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const credential = JSON.parse(text) as BadgeCredential;
  expect(await judgeAll(credential)).toEqual(all('valid'));
  return { text, credential, headers: response.headers };
}

async function outcomeOf(path: string, key?: string): Promise<string> {
  const response = await fixture.service.call(path, key === undefined ? {} : { key });
  const { status } = response;
  return status === 200 ? '200' : `${status} ${((await response.json()) as Problem).name}`;
}

async function readBaked(response: Response): Promise<string> {
  const [text, ...others] = findBakedCredentials(new Uint8Array(await response.arrayBuffer()));
  expect(others).toEqual([]);
  return String(text);
}

/** What the specification of Open Badges 3.0 says: the hash of the address and the salt. */
const hashOf = (address: string, salt = '') =>
  `sha256$${createHash('sha256')
    .update(address + salt, 'utf8')
    .digest('hex')}`;

test('with a session by e-mail, the credential has the salted hash of the address, and a typed name', async () => {
  const email = `Ada.${randomUUID()}@Example.org`;
  const { path, session } = await createKeptBadge(email);
  const name = 'Ada "Augusta" Łovelace 日本';
  const { credential, headers, text } = await readIdentified(`${path}.json`, session, name);
  const [named, hashed, ...others] = identifierOf(credential) ?? [];
  expect(others).toEqual([]);
  expect(named).toEqual({ type: 'IdentityObject', hashed: false, identityHash: name, identityType: 'name' });
  expect(hashed).toEqual({
    type: 'IdentityObject',
    hashed: true,
    identityHash: hashOf(email.toLowerCase(), hashed?.salt),
    identityType: 'emailAddress',
    salt: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  for (const other of [email, email.toLowerCase().replace('ada', 'eve')]) {
    expect(hashed?.identityHash).not.toBe(hashOf(other, hashed?.salt));
  }
  expect(text).not.toContain(email.toLowerCase());
  expect(headers.get('content-type')).toBe('application/vc+json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('vary')).toBe('Authorization, X-API-Key');
  expect(headers.get('etag')).toBeNull();
  const { content } = await verifyCredential(text);
  expect(content?.identities).toMatchObject([{ text: name }, { type: 'emailAddress', text: null }]);

  // Nothing else differs from what everybody reads, and that names nobody.
  const { credential: everybodys } = await readCredential(path);
  expect(identifierOf(everybodys)).toBeUndefined();
  const { identifier: _, ...subject } = credential.credentialSubject;
  expect({ ...credential, credentialSubject: subject, proof: null }).toEqual({ ...everybodys, proof: null });

  // Each file has a salt of its own, and nothing of the name is kept.
  const { credential: next } = await readIdentified(path, session);
  expect(identifierOf(next)?.map(({ identityType }) => identityType)).toEqual(['emailAddress']);
  expect(identifierOf(next)?.[0]?.salt).not.toBe(hashed?.salt);
});

test('the session of a wallet has only the name', async () => {
  const { path, wallet } = await createBadge();
  const session = await signIn(wallet);
  const { credential } = await readIdentified(path, session, 'Ada');
  expect(identifierOf(credential)).toEqual([
    { type: 'IdentityObject', hashed: false, identityHash: 'Ada', identityType: 'name' },
  ]);
  const { credential: nameless } = await readIdentified(path, session);
  expect(identifierOf(nameless)).toBeUndefined();
  // Before and after, everybody reads a credential without a person.
  expect(identifierOf((await readCredential(path)).credential)).toBeUndefined();
});

test('the picture has the same credential in it, also if the client asks for a part or has another one', async () => {
  const { path, session } = await createKeptBadge();
  for (const [ending, headers] of [
    ['.png', { 'If-None-Match': '*' }],
    ['', { Accept: 'image/png', Range: 'bytes=0-9' }],
  ] as const) {
    const response = await fixture.service.call(`${path}${ending}?with=identity&name=Ada`, {
      key: session,
      headers,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('vary')).toBe(`${ending === '' ? 'Accept, ' : ''}Authorization, X-API-Key`);
    for (const header of ['etag', 'accept-ranges']) expect(response.headers.get(header)).toBeNull();
    const text = await readBaked(response);
    expect(await judgeAll(JSON.parse(text))).toEqual(all('valid'));
    expect(identifierOf(JSON.parse(text))).toHaveLength(2);
  }
  const text = await readBaked(await fixture.service.call(`${path}.png`));
  expect(identifierOf(JSON.parse(text))).toBeUndefined();
});

test('both files are revoked together, and there is no other one for who has lost the badge', async () => {
  const { path, wallet, tokenId } = await createBadge();
  const session = await signIn(wallet);
  const { credential } = await readIdentified(path, session, 'Ada');
  const { credential: everybodys } = await readCredential(path);
  expect(credential.credentialStatus).toEqual(everybodys.credentialStatus);
  const json = await signedBurn(tokenId, wallet);
  await finish(await fixture.service.call(`/v1/tokens/${tokenId}/burn`, { json }));
  expect(await judgeAll(credential)).toEqual(all('revoked'));
  expect(await judgeAll(everybodys)).toEqual(all('revoked'));
  expect(await outcomeOf(`${path}?with=identity`, session)).toBe('410 CredentialRevoked');
});

describe('only the owner gets it:', () => {
  test('not another wallet or e-mail, a key, or somebody without a session', async () => {
    const { path, wallet, tokenId } = await createBadge();
    const kept = await createKeptBadge();
    const { service } = fixture;
    const keys = {
      another: await signIn(newWallet()),
      email: await createEmailSession(service, `${randomUUID()}@example.org`),
      api: service.apiKey,
      operator: service.adminKey,
    };
    for (const [name, key] of Object.entries(keys)) {
      for (const owned of [path, kept.path]) {
        expect(await outcomeOf(`${owned}?with=identity`, key), name).toBe('403 RoleNotAllowed');
        expect(await outcomeOf(`${owned}.png?with=identity&name=Ada`, key), name).toBe('403 RoleNotAllowed');
      }
      // A key is ignored where everybody may read.
      expect(await outcomeOf(path, key)).toBe('200');
    }
    expect(await outcomeOf(`${path}?with=identity`)).toBe('401 ApiKeyRequired');
    expect(await outcomeOf(`${path}?with=identity`, makeKey('session'))).toBe('401 InvalidSession');
    expect(await outcomeOf(path, makeKey('session'))).toBe('200');
    // The owner of another token, and of one that does not exist.
    const session = await signIn(wallet);
    const other = path.replace(`/tokens/${tokenId}/`, `/tokens/${kept.tokenId}/`);
    expect(await outcomeOf(`${other}?with=identity`, session)).toBe('404 OwnerNotFound');
    expect(await outcomeOf(`/v1/tokens/999999/credentials/${wallet.address}?with=identity`, session)).toBe(
      '404 TokenNotFound',
    );
    expect(await outcomeOf(`/v1/tokens/1/credentials/nobody?with=identity`, session)).toBe(
      '400 InvalidRequest',
    );
  });

  test('a refusal makes no credential', async () => {
    const { path } = await createBadge();
    const count = () =>
      query<{ n: string }>(fixture.service.databaseUrl, 'select count(*) as n from credentials');
    const before = await count();
    expect(await outcomeOf(`${path}?with=identity`, await signIn(newWallet()))).toBe('403 RoleNotAllowed');
    expect(await count()).toEqual(before);
  });

  test('an e-mail is the owner only in the community that keeps the badge for it', async () => {
    const email = `${randomUUID()}@example.org`;
    const tokenId = await createToken();
    const address = keptAddressOf(email, 'other') as `0x${string}`;
    await airdrop(tokenId, { address });
    const session = await createEmailSession(fixture.service, email);
    const path = `/v1/tokens/${tokenId}/credentials/${address}`;
    expect(await outcomeOf(`${path}?with=identity`, session)).toBe('403 RoleNotAllowed');
  });

  test('a contract wallet only on the chain of the contract wallets of the community', async () => {
    const { path, wallet } = await createBadge();
    const { databaseUrl, context } = fixture.service;
    const sessionOn = async (chainId: number) => {
      const token = makeKey('session');
      await query(
        databaseUrl,
        `insert into sessions (session_id, token_hash, address, nonce, expires_at, evidence)
         values (gen_random_uuid(), $1, $2, gen_random_uuid(), now() + interval '1 hour', $3)`,
        [hashKey(token), Buffer.from(wallet.address.slice(2), 'hex'), JSON.stringify({ chainId })],
      );
      return token;
    };
    const { chainId } = context.settings.domain;
    expect(await outcomeOf(`${path}?with=identity`, await sessionOn(chainId))).toBe('200');
    expect(await outcomeOf(`${path}?with=identity`, await sessionOn(chainId + 1))).toBe('403 RoleNotAllowed');
  });
});

describe('a name', () => {
  test.each<[string, string]>([
    ['of two lines', 'Ada\nLovelace'],
    ['of two lines, as Unicode separates them', 'Ada\u2028Lovelace'],
    ['with a control character', 'Ada\u001b[31m'],
    ['with NUL', 'Ada\0'],
    ['of 101 characters', 'a'.repeat(101)],
    ['that is blank', '  '],
  ])('%s is refused', async (_what, name) => {
    const { path, session } = await createKeptBadge();
    const search = new URLSearchParams({ with: 'identity', name });
    const response = await fixture.service.call(`${path}?${search}`, { key: session });
    const problem = (await response.json()) as Problem;
    expect([response.status, problem.name]).toEqual([400, 'InvalidRequest']);
    expect(problem.errors).toMatchObject([{ parameter: 'name' }]);
    expect(JSON.stringify(problem)).not.toContain('Ada');
  });

  test('of 100 characters is accepted', async () => {
    const { path, session } = await createKeptBadge();
    const name = '日'.repeat(100);
    const { credential } = await readIdentified(`${path}.json`, session, name);
    expect(identifierOf(credential)?.[0]?.identityHash).toBe(name);
  });

  test('needs with=identity, which is the only value', async () => {
    const { path, session } = await createKeptBadge();
    expect(await outcomeOf(`${path}?name=Ada`)).toBe('400 InvalidRequest');
    expect(await outcomeOf(`${path}?name=Ada`, session)).toBe('400 InvalidRequest');
    expect(await outcomeOf(`${path}?with=name`, session)).toBe('400 InvalidRequest');
    expect(await outcomeOf(`${path}?with=identity&with=identity`, session)).toBe('400 InvalidRequest');
    // Empty parameters count as absent.
    expect(await outcomeOf(`${path}?with=&name=`)).toBe('200');
  });
});
