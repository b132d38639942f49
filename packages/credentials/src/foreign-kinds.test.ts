import { describe, expect, test } from 'vitest';
import { signBadge, toDocument } from './badge-credential.ts';
import { bakeCredential } from './png.ts';
import { signStatusList } from './status-list.ts';
import { badgeOf } from './testing/badge-of.ts';
import { testIssuer } from './testing/test-issuer.ts';
import { verifyCredential } from './verify-credential.ts';
import { CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT } from './vocabulary.ts';

const { did, signBytes } = testIssuer();
const LIST_URL = 'https://example.org/status/1';
const badge = badgeOf({ did, status: { listUrl: LIST_URL, index: 7 } });
const credential = JSON.parse(await signBadge(badge, signBytes));
const other = JSON.parse(
  await signBadge({ ...badge, achievement: { ...badge.achievement, name: 'Organiser' } }, signBytes),
);
const unsigned = toDocument(badge);
const TIME = '2026-01-02T03:04:05Z';
const options = {
  fetchStatusList: () =>
    signStatusList({ url: LIST_URL, did, validFrom: TIME, created: TIME, revokedIndexes: [] }, signBytes),
};
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function outcomeOf(file: Uint8Array | string | object): Promise<string> {
  const isFile = typeof file === 'string' || file instanceof Uint8Array;
  const { verdict, reason, content } = await verifyCredential(isFile ? file : JSON.stringify(file), options);
  expect(reason.detail).toMatch(/^[A-Z].*\.$/s);
  if (verdict !== 'valid') expect(content).toBeNull();
  // What it is named is also in the sentence.
  if (reason.kind !== null) expect(reason.detail).toContain(reason.kind);
  return `${verdict}: ${reason.code}${reason.kind === null ? '' : ` ${reason.kind}`}`;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwtOf = (payload: object, typ = 'vc+jwt') => `${encode({ alg: 'EdDSA', typ })}.${encode(payload)}.c2ln`;
const enveloped = (type: string, id: string) => ({ '@context': CREDENTIALS_CONTEXT, type, id });
const ASSERTION = {
  '@context': 'https://w3id.org/openbadges/v2',
  type: 'Assertion',
  id: 'https://example.org/assertions/1',
  recipient: { type: 'email', hashed: false, identity: 'ada@example.org' },
  badge: 'https://example.org/badges/1',
  issuedOn: TIME,
  verification: { type: 'hosted' },
};

/** Puts a text into a PNG as programs for Open Badges 2.0 do. */
function bakeEarlier(text: string): Uint8Array {
  // Its keyword begins as that of Open Badges 3.0.
  const baked = Buffer.from(bakeCredential(PNG, ''));
  const start = baked.indexOf('iTXt') - 4;
  const end = baked.indexOf('IDAT') - 4;
  const data = Buffer.concat([Buffer.from('iTXtopenbadges\0\0\0\0\0'), Buffer.from(text)]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length - 4);
  return Buffer.concat([baked.subarray(0, start), length, data, Buffer.alloc(4), baked.subarray(end)]);
}

describe('names a credential of another kind as what it is', () => {
  test.each<[string, Uint8Array | string | object, string]>([
    ['a JWT', jwtOf(unsigned), 'isJwt'],
    ['a JWT with a line break', `${jwtOf(unsigned)}\n`, 'isJwt'],
    ['a JWT as a JSON text', JSON.stringify(jwtOf(unsigned)), 'isJwt'],
    ['a JWT of version 1', jwtOf({ vc: unsigned }, 'JWT'), 'isJwt'],
    ['a JWT in a PNG', Buffer.from(bakeCredential(PNG, jwtOf(unsigned))), 'isJwt'],
    ['a JWT in the proof', { ...unsigned, proof: { type: 'JwtProof2020', jwt: jwtOf(unsigned) } }, 'isJwt'],
    [
      'a JWT in an envelope',
      enveloped('EnvelopedVerifiableCredential', `data:application/vc+jwt,${jwtOf({})}`),
      'isJwt',
    ],
    [
      'a JWT as JSON',
      { payload: encode(unsigned), signatures: [{ protected: 'e30', signature: 'c2ln' }] },
      'isJwt',
    ],
    [
      'a presentation as a JWT',
      enveloped('EnvelopedVerifiablePresentation', `data:application/vp+jwt,${jwtOf({})}`),
      'isJwt',
    ],
    ['an SD-JWT', `${jwtOf(unsigned)}~WyJhIiwiYiJd~`, 'isSdJwt'],
    ['an SD-JWT with a key binding', `${jwtOf(unsigned)}~WyJhIiwiYiJd~${jwtOf({})}`, 'isSdJwt'],
    [
      'an SD-JWT in an envelope',
      enveloped('EnvelopedVerifiableCredential', `data:application/vc+sd-jwt,${jwtOf({})}~`),
      'isSdJwt',
    ],
    [
      'COSE in an envelope',
      enveloped('EnvelopedVerifiableCredential', 'data:application/vc+cose;base64,0oRD'),
      'isCose',
    ],
    ['Open Badges 2.0', ASSERTION, 'isOpenBadges2'],
    [
      'a badge class of Open Badges 2.0',
      { '@context': ASSERTION['@context'], type: 'BadgeClass' },
      'isOpenBadges2',
    ],
    ['Open Badges 2.0, signed', jwtOf(ASSERTION, 'JWT'), 'isOpenBadges2'],
    [
      'Open Badges 1',
      { uid: '1', recipient: 'sha256$1', badge: 'https://example.org/1', verify: {} },
      'isOpenBadges2',
    ],
    ['Open Badges 2.0 in a PNG', bakeEarlier(JSON.stringify(ASSERTION)), 'isOpenBadges2'],
    ['a signed badge of Open Badges 2.0 in a PNG', bakeEarlier(jwtOf(ASSERTION)), 'isOpenBadges2'],
    [
      'an SVG',
      '<svg xmlns="http://www.w3.org/2000/svg"><openbadges:credential></openbadges:credential></svg>',
      'isSvg',
    ],
    [
      'version 1',
      { ...credential, '@context': ['https://www.w3.org/2018/credentials/v1', OPEN_BADGES_CONTEXT] },
      'isCredentials1',
    ],
    [
      'a diploma',
      { ...credential, type: ['VerifiableCredential', 'UniversityDegreeCredential'] },
      'isOtherCredential',
    ],
    [
      'a proof of another type',
      { ...unsigned, proof: { type: 'Ed25519Signature2020', proofValue: 'z1' } },
      'proofUnsupported Ed25519Signature2020',
    ],
    [
      'another cryptosuite',
      { ...unsigned, proof: { type: 'DataIntegrityProof', cryptosuite: 'ecdsa-sd-2023' } },
      'proofUnsupported ecdsa-sd-2023',
    ],
    [
      'an unknown cryptosuite',
      { ...unsigned, proof: { type: 'DataIntegrityProof', cryptosuite: 'VALID, of MIT' } },
      'proofUnsupported',
    ],
    [
      'did:web',
      { ...credential, issuer: { id: 'did:web:example.org', type: ['Profile'] } },
      'issuerUnsupported did:web',
    ],
    ['did:web as a text', { ...credential, issuer: 'did:web:example.org' }, 'issuerUnsupported did:web'],
    ['did:ethr', { ...credential, issuer: 'did:ethr:0x1:0x02' }, 'issuerUnsupported did:ethr'],
    [
      'a did:key of P-256',
      { ...credential, issuer: 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169' },
      'issuerUnsupported did:key (P-256)',
    ],
    [
      'a web address',
      { ...credential, issuer: { id: 'https://example.org', type: ['Profile'] } },
      'issuerUnsupported https',
    ],
    [
      'a method that nobody knows',
      { ...credential, issuer: { id: 'did:valid:mit', type: ['Profile'] } },
      'issuerUnsupported',
    ],
  ])('%s', async (_what, file, expected) => {
    expect(await outcomeOf(file)).toBe(`unsupported: ${expected}`);
  });

  test.each<[string, string | object, string]>([
    ['a file name', 'www.example.org', 'notJson'],
    ['another SVG', '<svg xmlns="http://www.w3.org/2000/svg"></svg>', 'notJson'],
    ['a text in JSON', '"hello"', 'notACredential'],
    ['deep lists', `{"@context":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'notACredential'],
    [
      'nothing that is presented',
      { type: 'VerifiablePresentation', verifiableCredential: [] },
      'emptyPresentation',
    ],
    [
      'something else that is presented',
      { type: 'VerifiablePresentation', verifiableCredential: [1] },
      'notACredential',
    ],
  ])('but not %s', async (_what, file, expected) => {
    expect(await outcomeOf(file)).toBe(`notACredential: ${expected}`);
  });
});

describe('a presentation', () => {
  const present = (...presented: (object | string)[]) => ({
    '@context': [CREDENTIALS_CONTEXT],
    type: ['VerifiablePresentation'],
    holder: 'did:web:example.org',
    verifiableCredential: presented,
    proof: { type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022', proofValue: 'z1' },
  });
  const verify = (file: object, index?: number) =>
    verifyCredential(JSON.stringify(file), { ...options, ...(index === undefined ? {} : { index }) });

  test('of one credential is opened, also without brackets and in a picture', async () => {
    const one = { ...present(), verifiableCredential: credential };
    for (const file of [present(credential), one]) {
      expect(await verify(file)).toMatchObject({
        verdict: 'valid',
        presentation: { count: 1, index: 0 },
        content: { name: badge.achievement.name },
      });
    }
    const baked = bakeCredential(PNG, JSON.stringify(one));
    expect(await verifyCredential(baked, options)).toMatchObject({ verdict: 'valid', format: 'png' });
    expect(await verify(credential)).toMatchObject({ verdict: 'valid', presentation: null });
  });

  test('of several shows the chosen one, each as what it is', async () => {
    const changed = { ...credential, credentialSubject: { ...credential.credentialSubject, id: 'did:x:y' } };
    const file = present(credential, other, changed, jwtOf(unsigned), 'hello');
    const outcomes = [];
    for (let index = 0; index < 5; index += 1) {
      const { verdict, reason, presentation, content } = await verify(file, index);
      expect(presentation).toEqual({ count: 5, index });
      outcomes.push([`${verdict}: ${reason.code}`, content?.name ?? null]);
    }
    expect(outcomes).toEqual([
      ['valid: notRevoked', badge.achievement.name],
      ['valid: notRevoked', 'Organiser'],
      ['changed: signatureWrong', null],
      ['unsupported: isJwt', null],
      ['notACredential: notACredential', null],
    ]);
    // There is no such one.
    expect(await verify(file, 5)).toMatchObject({ verdict: 'notACredential', content: null });
  });

  test('of more than 20 is not opened, and its other credentials cost nothing', async () => {
    const many = present(...Array.from({ length: 21 }, () => credential));
    expect((await verify(many)).reason.code).toBe('tooComplex');
    const huge = present(credential, { type: 'VerifiableCredential', x: Array(100_000).fill(1) });
    expect((await verify(huge)).verdict).toBe('valid');
  });
});
