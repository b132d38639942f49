import { gzipSync } from 'node:zlib';
import { ed25519 } from '@noble/curves/ed25519.js';
import jsonld from 'jsonld';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Badge, signBadge, toDocument } from './badge-credential.ts';
import { canonize } from './canonize.ts';
import { parseDidKey } from './did-key.ts';
import { decodeMultibase } from './multibase.ts';
import { bakeCredential } from './png.ts';
import { hashForProof } from './proof.ts';
import { signStatusList } from './status-list.ts';
import { badgeOf } from './testing/badge-of.ts';
import { renameMembers } from './testing/mutate.ts';
import { testIssuer } from './testing/test-issuer.ts';
import type { Verification, VerifyOptions } from './verification.ts';
import { verifyCredential } from './verify-credential.ts';
import { CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT } from './vocabulary.ts';

const issuer = testIssuer();
const { did, signBytes, signDocument } = issuer;
const LIST_URL = 'https://example.org/status/1';
const TIME = '2026-01-02T03:04:05Z';
const badge: Badge = badgeOf({ did, status: { listUrl: LIST_URL, index: 7 } });
const credential = await signBadge(badge, signBytes);
const document = toDocument(badge);
const parsedProof = JSON.parse(credential).proof;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const listOf = (revokedIndexes: number[], changes: object = {}) =>
  signStatusList(
    { url: LIST_URL, did, validFrom: TIME, created: TIME, revokedIndexes, ...changes },
    signBytes,
  );
const verify = async (
  file: Uint8Array | string | object,
  options: VerifyOptions = { fetchStatusList: () => listOf([]) },
): Promise<Verification> =>
  verifyCredential(
    typeof file === 'string' || file instanceof Uint8Array ? file : JSON.stringify(file),
    options,
  );
const outcomeOf = async (...args: Parameters<typeof verify>) => {
  const { verdict, reason } = await verify(...args);
  expect(reason.detail).toMatch(/^[A-Z].*\.$/s);
  return `${verdict}: ${reason.code}`;
};

test('says what a credential is, who says they issued it, and for which wallet', async () => {
  const verification = await verify(credential);
  expect(verification).toMatchObject({ verdict: 'valid', format: 'json' });
  expect(verification.content).toEqual({
    id: badge.id,
    achievementId: badge.achievement.id,
    name: badge.achievement.name,
    description: badge.achievement.description,
    narrative: badge.achievement.narrative,
    criteriaUrl: null,
    picture: {
      url: badge.achievement.picture.url,
      sha256: Buffer.from(badge.achievement.picture.digest, 'base64').toString('hex'),
      caption: null,
    },
    results: badge.results,
    issuer: {
      did,
      name: badge.issuer.name,
      url: null,
      pictureUrl: badge.issuer.pictureUrl,
      trusted: null,
    },
    wallet: { chainId: 137, address: '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044' },
    subjectId: badge.subjectId,
    identities: [
      { type: 'name', text: 'Ada "Augusta" \\ 日本語', hash: null },
      {
        type: 'emailAddress',
        text: null,
        hash: {
          algorithm: 'sha256',
          hex: 'b5809d8a92f8858436d7e6b87c12ebc0ae1eac4baecc2c0b913aee2c922ef399',
          salt: 'Kosher',
        },
      },
    ],
    awardedTimestamp: Date.parse(badge.validFrom),
    validUntilTimestamp: null,
  });
});

test('confirms an issuer only by its key, whatever its name', async () => {
  const trusted = { did, name: 'My DAO', source: 'https://example.org' };
  const impostor = testIssuer();
  const forged = await signBadge(
    { ...badge, issuer: { ...badge.issuer, did: impostor.did } },
    impostor.signBytes,
  );
  expect((await verify(credential, { trustedIssuers: [trusted] })).content?.issuer.trusted).toEqual(trusted);
  const { verdict, content } = await verify(forged, { trustedIssuers: [trusted] });
  // It is a credential of somebody: the signature is right.
  expect(verdict).toBe('statusUnknown');
  expect(content?.issuer).toMatchObject({ name: badge.issuer.name, trusted: null });
});

test('reads a PNG with the credential in it', async () => {
  const baked = Buffer.from(bakeCredential(PNG, credential));
  expect(await verify(baked)).toMatchObject({ verdict: 'valid', format: 'png' });
  expect(await outcomeOf(PNG)).toBe('notACredential: pngWithoutCredential');
  // Programs differ in which one they read.
  const [start, end] = [baked.indexOf('iTXt') - 4, baked.indexOf('IDAT') - 4];
  const twice = Buffer.concat([baked.subarray(0, end), baked.subarray(start)]);
  expect(await outcomeOf(twice)).toBe('unsupported: contentUnsupported');
  // Cut off in the middle of the text.
  expect(await outcomeOf(baked.subarray(0, 400))).toBe('notACredential: pngWithoutCredential');
});

describe('the status', () => {
  test('is unknown without the network, and if the list cannot be read', async () => {
    expect(await outcomeOf(credential, {})).toBe('statusUnknown: offline');
    const fetchStatusList = async () => {
      throw new Error('no network');
    };
    expect(await outcomeOf(credential, { fetchStatusList })).toBe('statusUnknown: statusListUnreachable');
  });

  test('is that of the list', async () => {
    expect(await outcomeOf(credential, { fetchStatusList: () => listOf([1, 6, 8]) })).toBe(
      'valid: notRevoked',
    );
    expect(await outcomeOf(credential, { fetchStatusList: () => listOf([7]) })).toBe('revoked: revoked');
  });

  test.each<[string, () => Promise<string | Uint8Array>]>([
    ['not JSON', async () => 'x'],
    ['no list', async () => credential],
    ['another list of the same issuer', () => listOf([], { url: 'https://example.org/status/2' })],
    ['not valid yet', () => listOf([], { validFrom: '2999-01-01T00:00:00Z' })],
    [
      'a list of another issuer',
      async () => {
        const other = testIssuer();
        return await signStatusList(
          { url: LIST_URL, did: other.did, validFrom: TIME, created: TIME, revokedIndexes: [] },
          other.signBytes,
        );
      },
    ],
    [
      'changed',
      async () =>
        (await listOf([7])).replace(/"encodedList":"u[^"]*"/, `"encodedList":"${await bitsOf(16_384)}"`),
    ],
    ['empty', async () => JSON.stringify(await signDocument(listDocument(await bitsOf(0))))],
    ['of 800 entries', async () => JSON.stringify(await signDocument(listDocument(await bitsOf(100))))],
    [
      'one byte too short',
      async () => JSON.stringify(await signDocument(listDocument(await bitsOf(16_383)))),
    ],
    [
      'two lists in one',
      async () => {
        const other = listDocument(await bitsOf(16_384, 0xff)).credentialSubject;
        const list = listDocument(await bitsOf(16_384));
        const both = [list.credentialSubject, { ...other, id: 'urn:uuid:1' }];
        return JSON.stringify(await signDocument({ ...list, credentialSubject: both }));
      },
    ],
    [
      'of two contents',
      async () => {
        const list = listDocument(await bitsOf(16_384));
        const encodedList = [list.credentialSubject.encodedList, await bitsOf(16_384, 0xff)];
        const credentialSubject = { ...list.credentialSubject, encodedList };
        return JSON.stringify(await signDocument({ ...list, credentialSubject }));
      },
    ],
    ['not compressed', async () => JSON.stringify(await signDocument(listDocument('uAAAA')))],
    // 100 MB of zeros are 100 kB when compressed.
    [
      'too large when unpacked',
      async () => JSON.stringify(await signDocument(listDocument(await bitsOf(100_000_000)))),
    ],
    ['too large', async () => new Uint8Array(20_000_000)],
  ])('is unknown if the list is %s', async (_what, fetchStatusList) => {
    expect(await outcomeOf(credential, { fetchStatusList })).toBe('statusUnknown: statusListInvalid');
  });

  test('of another kind is unknown, and one that takes nothing away does not matter', async () => {
    const statusOf = async (credentialStatus: unknown) =>
      outcomeOf(await signDocument({ ...document, credentialStatus } as typeof document));
    const message = { ...document.credentialStatus, id: 'urn:uuid:1', statusPurpose: 'message' };
    expect(await statusOf(message)).toBe('valid: hasNoStatus');
    expect(await statusOf([message, document.credentialStatus])).toBe('valid: notRevoked');
    expect(await statusOf([document.credentialStatus, message])).toBe('valid: notRevoked');
    expect(await statusOf([])).toBe('valid: hasNoStatus');
    expect(await statusOf({ ...document.credentialStatus, statusListIndex: 'x' })).toBe(
      'statusUnknown: statusUnsupported',
    );
    expect(await statusOf({ id: 'https://example.org/1', type: 'https://example.org/Status' })).toBe(
      'statusUnknown: statusUnsupported',
    );
  });

  test.each(['Revocation', 'revoked', 'suspend', 'REVOCATION ', 'expiry', ''])(
    'for the purpose %j is unknown',
    async (statusPurpose) => {
      const entry = { ...document.credentialStatus, id: 'urn:uuid:1', statusPurpose };
      for (const credentialStatus of [entry, [document.credentialStatus, entry]]) {
        const other = await signDocument({ ...document, credentialStatus } as typeof document);
        expect(await outcomeOf(other)).toBe('statusUnknown: statusUnsupported');
      }
    },
  );

  test('for a purpose that takes nothing away does not matter', async () => {
    for (const statusPurpose of ['message', 'refresh']) {
      const credentialStatus = { ...document.credentialStatus, statusPurpose };
      const other = await signDocument({ ...document, credentialStatus } as typeof document);
      expect(await outcomeOf(other)).toBe('valid: hasNoStatus');
    }
  });

  test('is unknown if the list is its issuer, whose statements are not read', async () => {
    const list = listDocument(await bitsOf(16_384));
    const listUrl = did;
    const ofIssuer = await signDocument({
      ...document,
      credentialStatus: { ...document.credentialStatus, statusListCredential: listUrl },
    } as typeof document);
    const body = JSON.stringify(
      await signDocument({ ...list, id: listUrl, 'https://example.org/x': 'void' }),
    );
    expect(await outcomeOf(ofIssuer, { fetchStatusList: async () => body })).toBe(
      'statusUnknown: statusListInvalid',
    );
  });

  test('can be suspended', async () => {
    const suspended = await signDocument({
      ...document,
      credentialStatus: { ...document.credentialStatus, statusPurpose: 'suspension' },
    });
    const bits = await bitsOf(16_384, 0xff);
    const list = JSON.stringify(await signDocument(listDocument(bits, 'suspension')));
    expect(await outcomeOf(suspended, { fetchStatusList: async () => list })).toBe('revoked: suspended');
    // A list of another purpose.
    expect(await outcomeOf(suspended)).toBe('statusUnknown: statusListInvalid');
  });
});

test('has its time', async () => {
  const at = (time: string) => ({ fetchStatusList: () => listOf([]), nowTimestamp: Date.parse(time) });
  expect(await outcomeOf(credential, at('2026-01-02T03:04:04Z'))).toMatch(
    /^expired: notYetValid|^statusUnknown/,
  );
  const ending = await signDocument({ ...document, validUntil: '2026-02-01T00:00:00Z' } as typeof document);
  expect(await outcomeOf(ending, at('2026-01-31T00:00:00Z'))).toBe('valid: notRevoked');
  expect(await outcomeOf(ending, at('2026-02-02T00:00:00Z'))).toBe('expired: expired');
  const revoked = { ...at('2026-02-02T00:00:00Z'), fetchStatusList: () => listOf([7]) };
  expect(await outcomeOf(ending, revoked)).toBe('revoked: revoked');
});

test.each([
  ['only a day', '2026-01-02'],
  ['a number', 5],
  ['without a time zone', '2026-01-02T03:04:05'],
  ['a day that does not exist', '2026-02-30T00:00:00Z'],
  ['the 29th of February of another year', '2027-02-29T00:00:00Z'],
  ['the 31st of a month with 30 days', '2026-04-31T23:59:59Z'],
  ['a month that does not exist', '2026-13-01T00:00:00Z'],
  ['the day 0', '2026-01-00T00:00:00Z'],
  ['an hour that does not exist', '2026-01-01T25:00:00Z'],
  ['a time zone that does not exist', '2026-01-01T00:00:00+99:99'],
  ['before Christ', '-2030-01-01T00:00:00Z'],
  ['a year of five digits', '02030-01-01T00:00:00Z'],
  ['several ones', ['2999-01-01T00:00:00Z', '2026-02-01T00:00:00Z']],
])('with a time that is %s is not supported', async (_what, time) => {
  const times = ['validFrom', 'validUntil'].map((name) => ({ [name]: time }));
  for (const wrong of times) {
    const other = await signDocument({ ...document, ...wrong });
    expect(await outcomeOf(other)).toBe('unsupported: timeUnsupported');
    expect(await outcomeOf(other, { fetchStatusList: () => listOf([7]) })).toBe('revoked: revoked');
    const list = JSON.stringify(await signDocument({ ...listDocument(await bitsOf(16_384)), ...wrong }));
    const { verdict, reason } = await verify(credential, { fetchStatusList: async () => list });
    expect(`${verdict}: ${reason.detail}`).toMatch(/^statusUnknown: .*it is not of this time\.$/);
  }
});

describe('credentials of other issuers', () => {
  test.each(['3.0.2', '3.0.3'])('with the context %s are verified', async (version) => {
    const context = `https://purl.imsglobal.org/spec/ob/v3p0/context-${version}.json`;
    const other = await signDocument({ ...document, '@context': [CREDENTIALS_CONTEXT, context] });
    expect(await outcomeOf(other)).toBe('valid: notRevoked');
  });

  test('can have several proofs, of which one is of the known kind', async () => {
    const { proof } = (await signDocument(document)) as { proof: object };
    const other = { type: 'DataIntegrityProof', cryptosuite: 'ecdsa-rdfc-2019', proofValue: 'z1' };
    expect(await outcomeOf({ ...document, proof: [other, proof] })).toBe('valid: notRevoked');
    expect(await outcomeOf({ ...document, proof: [other] })).toBe('unsupported: proofUnsupported');
  });

  test('can have a proof of somebody else, before or after that of their issuer', async () => {
    const { proof } = (await signDocument(document)) as { proof: object };
    const { proof: other } = (await testIssuer().signDocument(document)) as { proof: object };
    expect(await outcomeOf({ ...document, proof: [other, proof] })).toBe('valid: notRevoked');
    expect(await outcomeOf({ ...document, proof: [proof, other] })).toBe('valid: notRevoked');
    expect(await outcomeOf({ ...document, proof: [other, other] })).toBe('changed: signatureWrong');
    expect(await outcomeOf({ ...document, name: 'x', proof: [other, proof] })).toBe(
      'changed: signatureWrong',
    );
  });

  test('that cannot be verified are not called invalid', async () => {
    expect(await outcomeOf(document)).toBe('unsupported: hasNoProof');
    expect(await outcomeOf('eyJhbGciOiJFZERTQSJ9.eyJ2YyI6e319.c2ln')).toBe('unsupported: isJwt');
    const ofHost = { ...JSON.parse(credential), issuer: { id: 'did:web:example.org', type: ['Profile'] } };
    expect(await outcomeOf(ofHost)).toBe('unsupported: issuerUnsupported');
    const context = [CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT, 'https://example.org/context'];
    expect(await outcomeOf({ ...JSON.parse(credential), '@context': context })).toBe(
      'unsupported: contextUnsupported',
    );
    const chained = await signDocument(document, { previousProof: 'urn:uuid:1' });
    expect(await outcomeOf(chained)).toBe('unsupported: proofUnsupported');
  });

  test('that are signed with a key that is not their issuer’s are changed', async () => {
    const impostor = testIssuer();
    expect(await outcomeOf(await impostor.signDocument(document))).toBe('changed: signatureWrong');
  });
});

describe('a hostile file', () => {
  const parsed = JSON.parse(credential);
  const nested = (depth: number): object => (depth === 0 ? {} : { name: nested(depth - 1) });

  test.each<[string, string | Uint8Array | object, string]>([
    ['nothing', '', 'notACredential: notJson'],
    ['a text', 'hello', 'notACredential: notJson'],
    ['bytes', new Uint8Array(1_000).fill(0xff), 'notACredential: notJson'],
    ['null', 'null', 'notACredential: notACredential'],
    ['a list', '[]', 'notACredential: notACredential'],
    ['another object', '{"type":["Person"]}', 'notACredential: notACredential'],
    ['a large file', new Uint8Array(33 * 2 ** 20), 'notACredential: tooLarge'],
    ['a large credential', { ...parsed, name: 'x'.repeat(5_000_000) }, 'notACredential: tooLarge'],
    ['many values', { ...parsed, x: Array(3_000).fill(1) }, 'unsupported: tooComplex'],
    ['deep objects', { ...parsed, x: nested(100) }, 'unsupported: tooComplex'],
    ['a context inside', { ...parsed, x: { '@context': { a: 'b' } } }, 'unsupported: contextUnsupported'],
    ['keywords', { ...parsed, '@graph': [] }, 'unsupported: contextUnsupported'],
    [
      'a wrong signature',
      { ...parsed, proof: { ...parsed.proof, proofValue: 'z' } },
      'changed: signatureWrong',
    ],
    [
      'a long signature',
      { ...parsed, proof: { ...parsed.proof, proofValue: `z${'1'.repeat(100_000)}` } },
      'changed: signatureWrong',
    ],
    ['members of wrong types', { ...parsed, credentialSubject: 'x' }, 'changed: hasUnsignedMembers'],
    ['an unsigned member', { ...parsed, note: 'x' }, 'changed: hasUnsignedMembers'],
  ])('with %s has an outcome', async (_what, file, outcome) => {
    expect(await outcomeOf(file)).toBe(outcome);
  });

  test('cannot hide a member under another name, whose signature is right', async () => {
    const renamed = renameMembers(parsed);
    expect(renamed).toHaveLength(3);
    const { content } = await verify(credential);
    for (const { path, changed } of renamed) {
      expect(await findSigner(changed as typeof parsed), path).toBe(did);
      const verification = await verify(changed, { fetchStatusList: () => listOf([7]) });
      expect(verification, path).toMatchObject({ verdict: 'revoked', content });
    }
    const ending = await signDocument({ ...document, validUntil: '2026-02-01T00:00:00Z' });
    const hidden = JSON.stringify(ending).replace(
      '"validUntil"',
      '"https://www.w3.org/2018/credentials#validUntil"',
    );
    // Without the type that the term has.
    expect(await outcomeOf(hidden)).toBe('changed: signatureWrong');
  });

  test('cannot hide a member of the status list under another name', async () => {
    const renamed = renameMembers(JSON.parse(await listOf([7])));
    expect(renamed).toHaveLength(1);
    for (const { path, changed } of renamed) {
      const fetchStatusList = async () => JSON.stringify(changed);
      expect(await outcomeOf(credential, { fetchStatusList }), path).toBe('revoked: revoked');
    }
  });

  test('whose objects all look alike ends soon', async () => {
    // Every subject refers to every other one, so that canonization would try all their orders.
    const subjects = Array.from({ length: 24 }, () => ({
      type: ['AchievementSubject'],
      result: [] as object[],
    }));
    const blank = (index: number) => `_:b${index}`;
    const graph = subjects.map((subject, index) => ({
      ...subject,
      id: blank(index),
      source: subjects.map((_, other) => blank(other)).filter((_, other) => other !== index),
    }));
    const startMs = performance.now();
    expect(await outcomeOf({ ...parsed, credentialSubject: graph })).toBe('unsupported: tooComplex');
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });

  test('with as many values as are allowed ends soon', async () => {
    const resultOf = (value: string) => ({ type: ['Result'], value });
    for (const value of [() => 'x', (index: number) => `${index}`]) {
      const result = Array.from({ length: 470 }, (_, index) => resultOf(value(index)));
      const subject = { ...parsed.credentialSubject, result };
      const startMs = performance.now();
      const changed = { ...parsed, credentialSubject: subject };
      expect(await outcomeOf(changed)).toBe('changed: signatureWrong');
      expect(performance.now() - startMs).toBeLessThan(10_000);
    }
  });

  test('that its issuer has not signed has no content', async () => {
    expect(await verify({ ...parsed, name: 'x' })).toMatchObject({ verdict: 'changed', content: null });
    expect(await verify(document)).toMatchObject({ verdict: 'unsupported', content: null });
  });

  // Before JSON-LD, whose work grows with contexts, types and objects.
  test.each<[string, object]>([
    ['a context again and again', { '@context': Array(1_900).fill(CREDENTIALS_CONTEXT) }],
    ['many types', { type: [...parsed.type, ...Array(1_900).fill('Achievement')] }],
    [
      'many types of its proof',
      { proof: { ...parsed.proof, type: Array(1_900).fill('DataIntegrityProof') } },
    ],
    ['a long text', { name: '\n'.repeat(1_900_000) }],
    ['a long name of a member', { ['x'.repeat(1_900_000)]: 1 }],
    // A name, an id or a type is in many statements.
    [
      'a long id of many statements',
      {
        id: `urn:${'a'.repeat(1_000_000)}`,
        evidence: Array.from({ length: 300 }, (_, index) => `urn:${index}`),
      },
    ],
    ['a long id of some statements', { id: `urn:${'a'.repeat(3_900_000)}` }],
    [
      'a long id of things in a list',
      {
        evidence: {
          id: `urn:${'a'.repeat(300_000)}`,
          'urn:x': [Array.from({ length: 60 }, (_, i) => `${i}`)],
        },
      },
    ],
    [
      'a long name of many values',
      { [`urn:${'p'.repeat(240_000)}`]: Array.from({ length: 1_900 }, (_, index) => `${index}`) },
    ],
    ['a long name', { [`urn:${'p'.repeat(2_000)}`]: 'x' }],
    ['a long id of its proof', { proof: { ...parsed.proof, id: `urn:${'a'.repeat(3_000_000)}` } }],
    ['many objects', { evidence: Array(1_900).fill({ name: 'x' }) }],
  ])('with %s is refused before it is processed', async (_what, changes) => {
    const canonizes = vi.spyOn(jsonld, 'canonize');
    onTestFinished(() => canonizes.mockRestore());
    expect((await verify({ ...parsed, ...changes })).verdict).toBe('unsupported');
    expect(canonizes).not.toHaveBeenCalled();
    expect((await verify(parsed)).verdict).toBe('valid');
    expect(canonizes).toHaveBeenCalled();
  });
});

test('a status list whose id is long is refused before it is processed', async () => {
  const list = listDocument(await bitsOf(16_384));
  const id = `urn:${'a'.repeat(3_000_000)}`;
  const names = Array.from({ length: 80 }, (_, index) => `${index}`);
  const canonizes = vi.spyOn(jsonld, 'canonize');
  onTestFinished(() => canonizes.mockRestore());
  const fetchStatusList = async () => JSON.stringify({ ...list, id, name: names, proof: parsedProof });
  expect(await outcomeOf(credential, { fetchStatusList })).toBe('statusUnknown: statusListInvalid');
  // Those of the credential and its proof.
  expect(canonizes).toHaveBeenCalledTimes(2);
});

test('a picture of 2 MB in a credential is allowed', async () => {
  const id = `data:image/png;base64,${'A'.repeat(2_000_000)}`;
  const { credentialSubject: subject } = document;
  const achievement = { ...subject.achievement, image: { id, type: 'Image', caption: 'x' } };
  const other = await signDocument({
    ...document,
    credentialSubject: { ...subject, achievement },
  } as typeof document);
  expect(await outcomeOf(other)).toBe('valid: notRevoked');
});

/** The signer according to the whole document, whatever the names of its members. */
async function findSigner(file: { proof: { proofValue: string } & Record<string, unknown> }) {
  const { proof, ...signed } = file;
  const { proofValue, ...options } = proof;
  const context = [CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT];
  const hash = hashForProof(await canonize({ '@context': context, ...options }), await canonize(signed));
  const isSigned = ed25519.verify(
    decodeMultibase(proofValue) ?? new Uint8Array(),
    hash,
    parseDidKey(did) ?? new Uint8Array(),
  );
  return isSigned ? did : null;
}

async function bitsOf(bytes: number, value = 0): Promise<string> {
  return `u${gzipSync(Buffer.alloc(bytes, value)).toString('base64url')}`;
}

function listDocument(encodedList: string, statusPurpose = 'revocation') {
  return {
    '@context': [CREDENTIALS_CONTEXT],
    id: LIST_URL,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: did,
    validFrom: TIME,
    credentialSubject: { id: `${LIST_URL}#list`, type: 'BitstringStatusList', statusPurpose, encodedList },
  };
}
