import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toDocument } from './badge-credential.ts';
import type { JsonObject } from './parse-json.ts';
import {
  badge,
  checkForms,
  checkRewritings,
  credential,
  did,
  list,
  type Show,
  show,
  signDocument,
  signed,
  TIME,
} from './testing/forms-of-a-credential.ts';
import { mutate } from './testing/mutate.ts';
import { readForm } from './testing/read-form.ts';
import { rewritings, STRANGE_FORMS } from './testing/rewrite.ts';
import { verifyCredential } from './verify-credential.ts';

const document = toDocument(badge);

// A person's name, and the hash of an e-mail address.
function identitiesOf({ identifier = [] }: typeof document.credentialSubject): [object, object] {
  const [name, email] = identifier;
  if (name === undefined || email === undefined) throw new Error('the badge names nobody');
  return [name, email];
}

test('every form of a credential shows what was signed, or nothing', async () => {
  await checkRewritings(show, { numRuns: 60 });
});

test.each(Object.entries(STRANGE_FORMS))(
  'a form with %s shows what was signed, or nothing',
  async (_name, write) => {
    await checkForms(show, [write(credential)]);
  },
);

test('forms that mean the same are read', async () => {
  const forms = ['a list in a list', 'a thing in two objects', 'nulls', 'another blank node'];
  const texts = forms.map((name) => STRANGE_FORMS[name]?.(credential) ?? '');
  expect(await checkForms(show, texts)).toBe(forms.length);
});

test('no change of a credential, in whatever form, shows something else', async () => {
  const changes = fc
    .constantFrom(...mutate(credential))
    .chain(({ changed }) => rewritings(changed as JsonObject));
  await fc.assert(
    fc.asyncProperty(changes, async (form) => {
      await checkForms(show, [form]);
    }),
    { numRuns: 40 },
  );
});

// The proof is checked, but the content is that of the form, as it once was.
const showForm: Show = async (file) => ((await show(file)) === null ? null : readForm(JSON.parse(file)));

test('the checks find a verifier that reads the form of the file', async () => {
  expect(await showForm(JSON.stringify(credential))).toEqual(signed);
  await expect(checkRewritings(showForm, { numRuns: 60, seed: 1 })).rejects.toThrow();
  await expect(
    checkForms(showForm, [STRANGE_FORMS['a list in a list']?.(credential) ?? '']),
  ).rejects.toThrow();
});

describe('is not supported:', () => {
  const { credentialSubject } = document;
  const { achievement } = credentialSubject;
  const withSubject = (changes: object) => ({
    ...document,
    credentialSubject: { ...credentialSubject, ...changes },
  });
  const withAchievement = (changes: object) => withSubject({ achievement: { ...achievement, ...changes } });
  const [result] = credentialSubject.result ?? [];
  const { id: _id, ...nameless } = credentialSubject;
  const [name, email] = identitiesOf(credentialSubject);
  const { '@context': _context, ...inner } = credential;

  test.each<[string, object]>([
    ['two names', withAchievement({ name: ['a', 'b'] })],
    ['two descriptions', withAchievement({ description: ['a', 'b'] })],
    ['two criteria', withAchievement({ criteria: [{ narrative: 'a' }, { narrative: 'b' }] })],
    ['two narratives', withAchievement({ criteria: { narrative: ['a', 'b'] } })],
    ['no name', withAchievement({ name: [] })],
    ['a name that is a number', withAchievement({ name: 5 })],
    ['a name that is an object', withAchievement({ name: { type: 'Image' } })],
    ['two achievements', withSubject({ achievement: [achievement, { ...achievement, id: 'urn:uuid:1' }] })],
    ['two pictures', withAchievement({ image: [achievement.image, { id: 'urn:uuid:1', type: 'Image' }] })],
    [
      'another hash of the picture',
      { ...document, relatedResource: [{ id: achievement.image.id, digestSRI: 'sha384-x' }] },
    ],
    [
      'a hash in another form',
      { ...document, relatedResource: [{ id: achievement.image.id, digestMultibase: 'uEi' }] },
    ],
    [
      'two subjects',
      { ...document, credentialSubject: [credentialSubject, { ...credentialSubject, id: 'urn:uuid:1' }] },
    ],
    ['a subject without an id', { ...document, credentialSubject: nameless }],
    ['an empty subject', { ...document, credentialSubject: 'urn:uuid:1' }],
    ['a result of two values', withSubject({ result: [{ ...result, value: ['a', 'b'] }] })],
    ['a result that is a number', withSubject({ result: [{ ...result, value: 1 }] })],
    ['a result without its name', withAchievement({ resultDescription: [] })],
    [
      'a result of two names',
      withAchievement({ resultDescription: [{ ...achievement.resultDescription?.[0], name: ['a', 'b'] }] }),
    ],
    ['an identity of another kind', withSubject({ identifier: { type: 'Image' } })],
    ['an identity of two kinds', withSubject({ identifier: { ...name, type: ['IdentityObject', 'Image'] } })],
    ['an identity of two names', withSubject({ identifier: { ...name, identityHash: ['a', 'b'] } })],
    ['an identity of two types', withSubject({ identifier: { ...name, identityType: ['name', 'x'] } })],
    ['an identity of two salts', withSubject({ identifier: { ...email, salt: ['a', 'b'] } })],
    [
      'an identity that is and is not hashed',
      withSubject({ identifier: { ...name, hashed: [true, false] } }),
    ],
    ['an identity that may be hashed', withSubject({ identifier: { ...name, hashed: [] } })],
    ['an identity that is a text', withSubject({ identifier: 'Ada' })],
    ['an identity without its text', withSubject({ identifier: { ...name, identityHash: [] } })],
    ['an identity without its type', withSubject({ identifier: { ...name, identityType: [] } })],
    [
      'an identity with a condition',
      withSubject({ identifier: { ...name, 'https://example.org/condition': 'is not' } }),
    ],
    ['an identity that is the achievement', withSubject({ identifier: { ...name, id: achievement.id } })],
    ['terms of use', { ...document, termsOfUse: { type: 'https://example.org/Terms' } }],
    ['an expiry of a JWT', { ...document, exp: 1_000 }],
    ['another kind of credential', { ...document, type: [...document.type, 'EndorsementCredential'] }],
    // Its type looks like that of a badge, and is none.
    [
      'a credential that is no badge',
      { ...document, type: ['VerifiableCredential', 'https://example.org/OpenBadgeCredential'] },
    ],
    ['two credentials', withSubject({ source: { id: 'urn:uuid:1', type: 'VerifiableCredential' } })],
    ['a signed credential inside', withSubject({ source: inner })],
    ['a property of another vocabulary', { ...document, 'https://example.org/isForged': 'true' }],
    ['a badge awarded at no time', { ...document, awardedDate: 'yesterday' }],
  ])('%s', async (_what, changed) => {
    const file = JSON.stringify(await signDocument(changed));
    const verification = await verifyCredential(file, { fetchStatusList: async () => list });
    expect(verification).toMatchObject({ verdict: 'unsupported', content: null });
    expect(verification.reason.code, verification.reason.detail).toBe('contentUnsupported');
  });

  test.each<[string, object]>([
    [
      'two issuers',
      { ...document, issuer: [document.issuer, 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'] },
    ],
    ['two names of the issuer', { ...document, issuer: { ...document.issuer, name: ['a', 'b'] } }],
  ])('%s', async (_what, changed) => {
    const { reason } = await verifyCredential(JSON.stringify(await signDocument(changed)));
    expect(reason.code).toBe('contentUnsupported');
  });

  test.each<[string, object]>([
    ['an end', { expires: '2026-01-04T00:00:00Z' }],
    ['a domain', { domain: 'example.org' }],
    ['a challenge', { challenge: 'x' }],
    ['two purposes', { proofPurpose: ['assertionMethod', 'authentication'] }],
    ['a nonce', { nonce: 'x' }],
  ])('a proof with %s', async (_what, options) => {
    const { reason } = await verifyCredential(JSON.stringify(await signDocument(document, options)));
    expect(reason.code).toBe('proofUnsupported');
  });

  test('a text that has the hash of another one', async () => {
    const replaced = { ...credential, name: 'a\ufffd' };
    const lone = await signDocument({ ...document, name: 'a\ufffd' });
    expect(await show(JSON.stringify(lone))).not.toBeNull();
    expect(await show(JSON.stringify({ ...lone, name: 'a\ud800' }))).toBeNull();
    expect(await show(JSON.stringify(replaced))).toBeNull();
  });
});

describe('one thing is not two:', () => {
  const { credentialSubject: subject, credentialStatus: status, issuer } = document;
  const { achievement } = subject;
  const message = { type: 'BitstringStatusListEntry', statusPurpose: 'message' };
  const condition = { 'https://example.org/condition': 'void unless countersigned' };
  const { type: _type, ...untyped } = subject;
  // The type of the entry would define other terms.
  const {
    achievement: _achievement,
    identifier,
    result,
    activityStartDate,
    activityEndDate,
    ...bare
  } = untyped;
  const ofEntry = { ...bare, 'https://purl.imsglobal.org/spec/vc/ob/vocab.html#achievement': achievement };

  test.each<[string, object]>([
    [
      'the subject and a status entry',
      {
        ...document,
        credentialSubject: { ...ofEntry, ...condition },
        credentialStatus: { ...message, id: subject.id },
      },
    ],
    [
      'the subject and a status entry, without a condition',
      { ...document, credentialSubject: ofEntry, credentialStatus: { ...message, id: subject.id } },
    ],
    ['the issuer and a status entry', { ...document, credentialStatus: { ...message, id: issuer.id } }],
    [
      'the achievement and a status entry',
      { ...document, credentialStatus: { ...message, id: achievement.id } },
    ],
    [
      'the credential and a status entry',
      { ...document, credentialStatus: [status, { ...message, id: document.id }] },
    ],
    [
      'the achievement and the issuer',
      { ...document, credentialSubject: { ...subject, achievement: { ...achievement, id: did } } },
    ],
    ['the subject and the issuer', { ...document, credentialSubject: { ...subject, id: did } }],
    ['the credential and the issuer', { ...document, id: did }],
    ['a status entry with a condition', { ...document, credentialStatus: { ...status, ...condition } }],
  ])('%s', async (_what, changed) => {
    const signedFile = JSON.stringify(await signDocument(changed));
    const verification = await verifyCredential(signedFile, { fetchStatusList: async () => list });
    expect(verification).toMatchObject({ verdict: 'unsupported', content: null });
    expect(verification.reason.code, verification.reason.detail).toBe('contentUnsupported');
  });
});

describe('identities of other issuers:', () => {
  const { credentialSubject } = document;
  const [name, email] = identitiesOf(credentialSubject);
  const identitiesIn = async (identifier: unknown) => {
    const changed = { ...document, credentialSubject: { ...credentialSubject, identifier } };
    return (await show(JSON.stringify(await signDocument(changed))))?.identities;
  };
  const SHA256 = 'b5809d8a92f8858436d7e6b87c12ebc0ae1eac4baecc2c0b913aee2c922ef399';
  const MD5 = '5eb63bbbe01eeed093cb22bb8f5acdc3';

  test.each<[string, unknown, unknown]>([
    ['none', [], []],
    ['one without brackets', { ...name, identityHash: 'Ada' }, [{ type: 'name', text: 'Ada', hash: null }]],
    [
      'an address that is not hashed, with a salt that is not used',
      [{ ...email, hashed: false, identityHash: 'ada@example.org', salt: 'not-used' }],
      [{ type: 'emailAddress', text: 'ada@example.org', hash: null }],
    ],
    [
      'a hash in upper case without a salt',
      [{ ...email, identityHash: `SHA256$${SHA256.toUpperCase()}`, salt: [] }],
      [{ type: 'emailAddress', text: null, hash: { algorithm: 'sha256', hex: SHA256, salt: '' } }],
    ],
    [
      'an MD5',
      [{ ...email, identityHash: `md5$${MD5}` }],
      [{ type: 'emailAddress', text: null, hash: { algorithm: 'md5', hex: MD5, salt: 'Kosher' } }],
    ],
    [
      'a hash of another kind',
      [{ ...email, identityHash: `sha256$${MD5}` }],
      [{ type: 'emailAddress', text: null, hash: { algorithm: null, hex: `sha256$${MD5}`, salt: 'Kosher' } }],
    ],
    [
      'what looks like a hash and is a name',
      [{ ...name, identityHash: `sha256$${SHA256}` }],
      [{ type: 'name', text: `sha256$${SHA256}`, hash: null }],
    ],
    [
      'several, the names first',
      [{ ...name, identityHash: '4711', identityType: 'ext:member' }, name, { ...name, identityHash: 'Ada' }],
      [
        { type: 'name', text: 'Ada', hash: null },
        { type: 'name', text: 'Ada "Augusta" \\ 日本語', hash: null },
        { type: 'ext:member', text: '4711', hash: null },
      ],
    ],
  ])('%s', async (_what, identifier, expected) => {
    expect(await identitiesIn(identifier)).toEqual(expected);
  });
});

test('what is not shown does not hinder', async () => {
  const { credentialSubject } = document;
  const achievement = {
    ...credentialSubject.achievement,
    achievementType: 'Certificate',
    creator: { id: did, type: ['Profile'] },
    tag: ['a', 'b'],
    alignment: [{ type: ['Alignment'], targetName: 'x', targetUrl: 'https://example.org' }],
  };
  const others = {
    ...document,
    credentialSubject: { ...credentialSubject, achievement, role: 'x' },
    evidence: [{ id: 'https://example.org/1', type: ['Evidence'], name: 'x', narrative: 'y' }],
    awardedDate: TIME,
  };
  expect(await show(JSON.stringify(await signDocument(others)))).toEqual(signed);
});
