import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivalError, type FetchUrl } from './arrival.ts';
import { readOpenBadges } from './read-openbadges.ts';
import { anyJson } from './testing/any-json.ts';
import { bakedText, makePng } from './testing/make-png.ts';
import { makeZip } from './testing/make-zip.ts';
import { ADA, makeFolder, personsOf, problemsOf, readAll, tokensOf } from './testing/read-all.ts';

const EMAIL = 'ada@example.org';
const SALT = 'deadsea';
const HASH = createHash('sha256')
  .update(EMAIL + SALT)
  .digest('hex');
const PNG = makePng();
const DATA_URL = `data:image/png;base64,${PNG.toString('base64')}`;

type Files = Record<string, unknown>;

async function read(files: Files, fetchUrl: FetchUrl | null = null) {
  const texts = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  ]);
  return await readAll(readOpenBadges, await makeFolder(Object.fromEntries(texts)), { fetchUrl });
}

/** Serves these values as JSON. */
function serve(pages: Record<string, unknown>): FetchUrl {
  return async (url) => {
    if (!Object.hasOwn(pages, url)) throw new ArrivalError('the status is 404');
    return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(pages[url])) };
  };
}

// Badgr: `get_json` of `BadgeInstance` and `BadgeClass` in badgr-server, apps/issuer/models.py.
const badgrClass = {
  '@context': 'https://w3id.org/openbadges/v2',
  type: 'BadgeClass',
  id: 'https://api.badgr.io/public/badges/vJqPLnvSQmFXf_ZqHfj1A?v=2_0',
  name: 'Speaker',
  description: 'Spoke at the conference',
  issuer: 'https://api.badgr.io/public/issuers/x',
  image: DATA_URL,
  criteria: { id: 'https://a.example/criteria', narrative: 'Give a talk' },
  alignment: [],
  tags: ['talk', 'conference'],
};
const badgrAssertion = {
  '@context': 'https://w3id.org/openbadges/v2',
  type: 'Assertion',
  id: 'https://api.badgr.io/public/assertions/Ks_inGjZTdKEIImxQ6moIA',
  badge: 'https://api.badgr.io/public/badges/vJqPLnvSQmFXf_ZqHfj1A',
  image: 'https://api.badgr.io/public/assertions/Ks_inGjZTdKEIImxQ6moIA/image',
  verification: { type: 'HostedBadge' },
  issuedOn: '2019-05-21T13:37:37+00:00',
  recipient: { salt: SALT, type: 'email', hashed: true, identity: `sha256$${HASH}` },
};
const hashed = { algorithm: 'sha256', emailHash: HASH, salt: SALT };

test('an assertion of Badgr and its badge, in any order, under both of its addresses', async () => {
  const arrivals = await read({
    'a-assertion.json': badgrAssertion,
    'b-class.json': badgrClass,
    'issuer.json': { type: 'Issuer', name: 'ACM', url: 'https://a.example' },
  });
  expect(problemsOf(arrivals)).toEqual([]);
  const id = 'https://api.badgr.io/public/badges/vJqPLnvSQmFXf_ZqHfj1A';
  expect(tokensOf(arrivals)).toMatchObject([
    {
      place: 'b-class.json',
      source: { service: 'api.badgr.io', id, url: id },
      headline: 'Speaker',
      description: 'Spoke at the conference',
      criteria: 'Give a talk',
      links: ['https://a.example/criteria'],
      customAttributes: [{ fieldName: 'tags', type: 'string', value: 'talk, conference' }],
    },
  ]);
  await expect(tokensOf(arrivals)[0]?.picture?.()).resolves.toEqual({ contentType: 'image/png', bytes: PNG });
  expect(personsOf(arrivals)).toMatchObject([
    {
      place: 'a-assertion.json',
      token: { service: 'api.badgr.io', id },
      subject: hashed,
      isOwner: true,
      claimedAtTimestamp: Date.UTC(2019, 4, 21, 13, 37, 37),
      renewedUntilTimestamp: null,
    },
  ]);
});

test('pages of the API of Badgr, with e-mails for the issuer', async () => {
  // `BadgeInstanceSerializerV2` and `BadgeClassSerializerV2` in apps/issuer/serializers_v2.py.
  const arrivals = await read({
    'badgeclasses.json': {
      status: { success: true, description: 'ok' },
      result: [
        {
          entityType: 'BadgeClass',
          entityId: 'bc1',
          openBadgeId: 'https://api.badgr.io/public/badges/bc1',
          createdAt: '2019-05-01T00:00:00.000000Z',
          name: 'Speaker',
          image: null,
          description: 'Spoke',
          criteriaUrl: null,
          criteriaNarrative: 'Give a talk',
          tags: [],
        },
      ],
    },
    'assertions.json': {
      status: { success: true, description: 'ok' },
      result: [
        {
          entityType: 'Assertion',
          entityId: 'a1',
          badgeclass: 'bc1',
          badgeclassOpenBadgeId: 'https://api.badgr.io/public/badges/bc1',
          recipient: {
            identity: `sha256$${HASH}`,
            hashed: true,
            type: 'email',
            plaintextIdentity: EMAIL,
            salt: SALT,
          },
          issuedOn: '2019-05-21T13:37:37Z',
          narrative: 'She was great',
          evidence: [{ url: null, narrative: 'The slides' }],
          revoked: false,
          revocationReason: null,
          expires: '2029-05-21T13:37:37Z',
          'extensions:recipientProfile': { name: 'Ada' },
        },
        {
          entityType: 'Assertion',
          badgeclass: 'bc1',
          recipient: { identity: 'cy@example.org', hashed: false, type: 'email' },
          issuedOn: '2019-05-21T13:37:37Z',
          revoked: true,
        },
      ],
    },
  });
  expect(tokensOf(arrivals)).toMatchObject([
    { headline: 'Speaker', createdAtTimestamp: Date.UTC(2019, 4, 1) },
  ]);
  expect(personsOf(arrivals)).toMatchObject([
    {
      subject: { email: EMAIL },
      name: 'Ada',
      note: 'She was great\nThe slides',
      renewedUntilTimestamp: Date.UTC(2029, 4, 21, 13, 37, 37),
    },
  ]);
  expect(problemsOf(arrivals)).toEqual(['skip assertions.json:2: it was revoked, so nobody has it']);
});

// Moodle: `core_badges_assertion` in badges/classes/assertion.php.
const moodleClass = {
  '@context': 'https://w3id.org/openbadges/v2',
  id: 'https://moodle.example/badges/badge_json.php?id=7',
  type: 'BadgeClass',
  version: '1',
  '@language': 'en',
  name: 'Course finished',
  description: 'Finished the course',
  image: DATA_URL,
  criteria: { id: 'https://moodle.example/badges/badge.php?hash=abc', narrative: 'Do all tasks' },
  issuer: {
    name: 'School',
    url: 'https://moodle.example',
    email: 'a@moodle.example',
    '@context': 'https://w3id.org/openbadges/v2',
    type: 'Issuer',
  },
};
const moodleAssertion = {
  recipient: { identity: `sha256$${HASH}`, type: 'email', hashed: true, salt: SALT },
  badge: moodleClass,
  verify: { type: 'hosted', url: 'https://moodle.example/badges/assertion.php?b=abc&obversion=2' },
  issuedOn: '2024-01-02T03:04:05+00:00',
  evidence: 'https://moodle.example/badges/badge.php?hash=abc',
  '@context': 'https://w3id.org/openbadges/v2',
  type: 'Assertion',
  id: 'https://moodle.example/badges/assertion.php?b=abc&obversion=2',
};

test('a baked PNG of Moodle, whose picture does not say who has the badge', async () => {
  const baked = makePng([
    bakedText(JSON.stringify({ ...moodleAssertion, badge: { ...moodleClass, image: '' } })),
  ]);
  const arrivals = await read({ 'badge.png': baked });
  expect(problemsOf(arrivals)).toEqual([]);
  expect(tokensOf(arrivals)).toMatchObject([
    {
      source: { service: 'moodle.example', id: 'https://moodle.example/badges/badge_json.php?id=7' },
      headline: 'Course finished',
      // The page of one who has the badge is no link of the badge.
      links: [],
      customAttributes: [{ fieldName: 'issuer', value: 'School' }],
    },
  ]);
  expect(personsOf(arrivals)).toMatchObject([
    { subject: hashed, claimedAtTimestamp: Date.UTC(2024, 0, 2, 3, 4, 5) },
  ]);
  await expect(tokensOf(arrivals)[0]?.picture?.()).resolves.toEqual({ contentType: 'image/png', bytes: PNG });
});

test('the same badge of Moodle in the form 1.0, whose criteria are the page of a person, is one badge', async () => {
  const inOldForm = (uid: string, identity: string) => ({
    uid,
    recipient: { identity, type: 'email', hashed: true, salt: SALT },
    badge: `https://moodle.example/badges/assertion.php?b=${uid}&action=1`,
    verify: { type: 'hosted', url: `https://moodle.example/badges/assertion.php?b=${uid}` },
    issuedOn: 1_700_000_000,
    expires: 4_000_000_000,
  });
  const oldClass = (uid: string) => ({
    name: 'Course finished',
    description: 'Finished the course',
    image: DATA_URL,
    criteria: `https://moodle.example/badges/badge.php?hash=${uid}`,
    issuer: `https://moodle.example/badges/assertion.php?b=${uid}&action=0`,
  });
  const arrivals = await read(
    // A site can also leave the e-mail as it is, and say that it is hashed.
    { 'a.json': inOldForm('a', `sha256$${HASH}`), 'b.json': inOldForm('b', EMAIL) },
    serve({
      'https://moodle.example/badges/assertion.php?b=a&action=1': oldClass('a'),
      'https://moodle.example/badges/assertion.php?b=b&action=1': oldClass('b'),
    }),
  );
  expect(tokensOf(arrivals)).toHaveLength(1);
  expect(tokensOf(arrivals)).toMatchObject([
    { source: { service: 'openbadges' }, criteria: null, links: [] },
  ]);
  expect(personsOf(arrivals)).toMatchObject([
    { subject: hashed, claimedAtTimestamp: 1_700_000_000_000 },
    { subject: { email: EMAIL }, renewedUntilTimestamp: 4_000_000_000_000 },
  ]);
  expect(problemsOf(arrivals)).toEqual([
    'skip a.json: it can be claimed, but its end is not kept: it names only the hash of who has it',
  ]);
});

const assertionUrl = 'https://moodle.example/badges/assertion.php?b=abc';

test.each<[string, [string, Buffer]]>([
  // Moodle 2.5: https://github.com/mozilla/openbadges-backpack/issues/872
  ['a URL in a tEXt', ['tEXt', Buffer.from(`openbadges\0${assertionUrl}`)]],
  // badges/lib/bakerlib.php of Moodle writes an iTXt wrongly.
  [
    'a URL in an iTXt of Moodle',
    [
      'iTXt',
      Buffer.from(`openbadges\0'json'\0''\0"{'method': 'hosted', 'assertionUrl': '${assertionUrl}'}"`),
    ],
  ],
  // https://github.com/mozilla/openbadges-backpack/wiki/Open-Badge-Baking-Specification
  ['a URL in an object', bakedText(JSON.stringify({ method: 'hosted', assertionUrl }), 'openbadge')],
  ['a URL in an iTXt', bakedText(assertionUrl)],
  ['JSON in a tEXt', ['tEXt', Buffer.from(`openbadges\0${JSON.stringify(moodleAssertion)}`)]],
  [
    'compressed JSON, which is forbidden',
    [
      'iTXt',
      Buffer.concat([
        Buffer.from('openbadges\0\x01\0\0\0', 'latin1'),
        deflateSync(JSON.stringify(moodleAssertion)),
      ]),
    ],
  ],
])('a PNG with %s', async (_name, chunk) => {
  const arrivals = await read({ 'badge.png': makePng([chunk]) }, serve({ [assertionUrl]: moodleAssertion }));
  expect(problemsOf(arrivals)).toEqual([]);
  expect(personsOf(arrivals)).toMatchObject([{ subject: hashed }]);
});

test('an SVG with an assertion, and one with only a URL', async () => {
  const svg = (inner: string) =>
    `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:openbadges="http://openbadges.org">${inner}<circle r="1"/></svg>`;
  const arrivals = await read(
    {
      'a.svg': svg(
        `<openbadges:assertion verify="${assertionUrl}"><![CDATA[${JSON.stringify(moodleAssertion)}]]></openbadges:assertion>`,
      ),
      'b.svg': svg(`<openbadges:assertion verify='${assertionUrl}&amp;x=1'/>`),
    },
    serve({ [`${assertionUrl}&x=1`]: moodleAssertion }),
  );
  expect(problemsOf(arrivals)).toEqual([]);
  expect(personsOf(arrivals)).toHaveLength(2);
});

test('awards of Open Badge Factory: badges, events, and who got them', async () => {
  // classes/client.php of openbadgefactory/moodle-local_obf: /v2/badge, /v2/event and /v2/event/…/recipient.
  const arrivals = await read({
    'badges.json': {
      result: [
        {
          id: 'OB1',
          name: 'Speaker',
          description: 'Spoke',
          image: PNG.toString('base64'),
          criteria_html: '<p>Give a <b>talk</b></p>',
          expires: 12,
          tags: [],
          ctime: 1_500_000_000,
          draft: 0,
        },
      ],
      total: 1,
    },
    'events.json': {
      result: [
        {
          id: 'EV1',
          badge_id: 'OB1',
          recipient_count: 2,
          issued_on: 1_600_000_000,
          expires_on: 4_000_000_000,
          ctime: 1_600_000_001,
          log_entry: '{}',
        },
      ],
      total: 1,
    },
    'recipients.json': {
      result: [
        { event_id: 'EV1', email: EMAIL, name: 'Ada', revoked: 0 },
        { event_id: 'EV1', email: 'cy@example.org', revoked: 1_650_000_000 },
        { event_id: 'EV9', email: 'di@example.org', revoked: 0 },
      ],
      total: 3,
    },
  });
  expect(tokensOf(arrivals)).toMatchObject([
    {
      source: { service: 'openbadges', id: 'OB1' },
      criteria: 'Give a talk',
      createdAtTimestamp: 1_500_000_000_000,
    },
  ]);
  await expect(tokensOf(arrivals)[0]?.picture?.()).resolves.toEqual({ contentType: 'image/png', bytes: PNG });
  expect(personsOf(arrivals)).toMatchObject([
    {
      subject: { email: EMAIL },
      name: 'Ada',
      claimedAtTimestamp: 1_600_000_000_000,
      renewedUntilTimestamp: 4_000_000_000_000,
    },
  ]);
  expect(problemsOf(arrivals)).toEqual([
    'skip recipients.json:2: it was revoked, so nobody has it',
    'recipients.json:3: its badge is not in the source',
  ]);
});

test.each([
  ['before', 'a-event.json'],
  ['after', 'z-event.json'],
])('an event with its e-mails %s the listing of its recipients loses no name', async (_name, file) => {
  const arrivals = await read({
    [file]: { id: 'EV1', badge_id: 'OB1', recipient: [EMAIL, 'cy@example.org'], issued_on: 1_600_000_000 },
    'b-badge.json': { id: 'OB1', name: 'Speaker', description: '', image: '', criteria_html: '' },
    'recipient.json': [{ event_id: 'EV1', email: EMAIL.toUpperCase(), name: 'Ada', revoked: 0 }],
  });
  expect(problemsOf(arrivals)).toEqual([]);
  const names = personsOf(arrivals).map(({ subject, name }) =>
    'email' in subject ? [subject.email, name] : [],
  );
  expect(names.toSorted()).toEqual([
    [EMAIL.toUpperCase(), 'Ada'],
    [EMAIL, 'Ada'],
    ['cy@example.org', null],
  ]);
});

// docs/ob_v3p0.html and examples/fullOpenBadge.html of 1EdTech/openbadges-specification.
const credential = {
  '@context': [
    'https://www.w3.org/ns/credentials/v2',
    'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json',
  ],
  id: 'http://1edtech.edu/credentials/3732',
  type: ['VerifiableCredential', 'OpenBadgeCredential'],
  name: 'Degree for Ada',
  issuer: { id: 'https://1edtech.edu/issuers/1', type: ['Profile'], name: '1EdTech University' },
  validFrom: '2023-01-01T00:00:00Z',
  validUntil: '2033-01-01T00:00:00Z',
  credentialSubject: {
    id: 'did:example:ebfeb1f712ebc6f1c276e12ec21',
    type: ['AchievementSubject'],
    identifier: [
      {
        type: 'IdentityObject',
        identityHash: EMAIL,
        identityType: 'emailAddress',
        hashed: false,
        salt: 'not-used',
      },
      { type: 'IdentityObject', identityHash: 'Ada', identityType: 'name', hashed: false },
    ],
    achievement: {
      id: 'https://1edtech.edu/achievements/degree',
      type: ['Achievement'],
      name: 'Degree',
      description: 'A degree',
      criteria: { narrative: 'Study' },
      image: { id: DATA_URL, type: 'Image' },
      tag: ['study'],
    },
  },
};
const toJwt = (payload: unknown) =>
  `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;

test.each<[string, Files]>([
  ['JSON', { 'a.json': credential }],
  ['a JWT', { 'a.jwt': toJwt({ ...credential, iss: 'https://1edtech.edu', jti: credential.id }) }],
  [
    'a JWT with a member vc',
    {
      'a.jws': toJwt({
        iss: 'x',
        jti: 'y',
        nbf: 1_672_531_200,
        exp: 1_988_150_400,
        vc: { ...credential, validFrom: undefined, validUntil: undefined },
      }),
    },
  ],
  [
    'a presentation',
    { 'a.json': { type: ['VerifiablePresentation'], verifiableCredential: [toJwt(credential)] } },
  ],
  ['a baked PNG', { 'a.png': makePng([bakedText(JSON.stringify(credential), 'openbadgecredential')]) }],
  ['a baked PNG with a JWT', { 'a.png': makePng([bakedText(toJwt(credential), 'openbadgecredential')]) }],
  [
    'a baked SVG',
    {
      'a.svg': `<svg xmlns:openbadges="https://purl.imsglobal.org/ob/v3p0"><openbadges:credential verify="${toJwt(credential)}"></openbadges:credential></svg>`,
    },
  ],
])('a credential of Open Badges 3.0 as %s', async (_name, files) => {
  const arrivals = await read(files);
  expect(problemsOf(arrivals)).toEqual([]);
  expect(tokensOf(arrivals)).toMatchObject([
    {
      source: { service: '1edtech.edu', id: 'https://1edtech.edu/achievements/degree' },
      headline: 'Degree',
      criteria: 'Study',
      customAttributes: [{ value: 'study' }, { value: '1EdTech University' }],
    },
  ]);
  expect(personsOf(arrivals)).toMatchObject([
    {
      subject: { email: EMAIL },
      name: 'Ada',
      claimedAtTimestamp: Date.UTC(2023, 0, 1),
      renewedUntilTimestamp: Date.UTC(2033, 0, 1),
    },
  ]);
});

test.each<[string, Record<string, unknown>, unknown]>([
  ['a wallet', { id: `did:pkh:eip155:1:${ADA}` }, { address: ADA }],
  ['an e-mail as id', { id: `mailto:${EMAIL}` }, { email: EMAIL }],
  [
    'a hash',
    {
      identifier: [
        { identityHash: `sha256$${HASH}`, identityType: 'emailAddress', hashed: true, salt: SALT },
      ],
    },
    hashed,
  ],
])('a credential for %s', async (_name, subject, expected) => {
  const { achievement } = credential.credentialSubject;
  const arrivals = await read({
    'a.json': { ...credential, validUntil: undefined, credentialSubject: { achievement, ...subject } },
  });
  expect(problemsOf(arrivals)).toEqual([]);
  expect(personsOf(arrivals).map((person) => person.subject)).toEqual([expected]);
});

test.each<[string, unknown, unknown]>([
  // https://github.com/mozilla/openbadges-backpack/issues/501
  [
    'a hash in upper case',
    { identity: `sha256$${HASH.toUpperCase()}`, hashed: true, type: 'email', salt: SALT },
    hashed,
  ],
  ['no salt', { identity: `sha256$${HASH}`, hashed: true, type: 'email' }, { ...hashed, salt: '' }],
  [
    'MD5',
    { identity: `md5$${'a'.repeat(32)}`, hashed: true, type: 'email', salt: 'x' },
    { algorithm: 'md5', emailHash: 'a'.repeat(32), salt: 'x' },
  ],
  [
    'an identity that is a hash, and says that it is none',
    { identity: `sha256$${HASH}`, hashed: false, type: 'email', salt: SALT },
    hashed,
  ],
  ['a type in an array', { identity: `sha256$${HASH}`, hashed: true, type: ['email'], salt: SALT }, hashed],
  [
    'a type with a prefix',
    { identity: `sha256$${HASH}`, hashed: true, type: 'schema:email', salt: SALT },
    hashed,
  ],
  ['an e-mail', { identity: EMAIL, hashed: false, type: 'email' }, { email: EMAIL }],
  ['a text, as in version 0.5', `sha256$${HASH}`, { ...hashed, salt: '' }],
])('a recipient with %s', async (_name, recipient, expected) => {
  const arrivals = await read({ 'a.json': { ...moodleAssertion, recipient } });
  expect(personsOf(arrivals).map(({ subject }) => subject)).toEqual([expected]);
});

test.each<[string, Files, string]>([
  // Badgr leaves out who had a revoked badge: `get_json` in apps/issuer/models.py.
  [
    'a revoked assertion of Badgr',
    { 'a.json': { type: 'Assertion', id: 'https://a.example/1', revoked: true, revocationReason: 'x' } },
    'skip a.json: it was revoked, and the file says neither its badge nor who had it',
  ],
  [
    'a badge that is not there',
    { 'a.json': badgrAssertion },
    'a.json: its badge is not in the source, and nothing is read from the network',
  ],
  [
    'a hash of a telephone number',
    {
      'a.json': {
        ...moodleAssertion,
        recipient: { identity: `sha256$${HASH}`, type: 'telephone', hashed: true },
      },
    },
    'a.json: it names only the hash of a telephone number',
  ],
  [
    'a URL',
    { 'a.json': { ...moodleAssertion, recipient: { identity: 'https://ada.example', type: 'url' } } },
    'a.json: it names who has it only by a URL, with which nobody can sign in here',
  ],
  [
    'another hash',
    { 'a.json': { ...moodleAssertion, recipient: { identity: 'sha512$abcd', type: 'email', hashed: true } } },
    'a.json: its hash is neither SHA-256 nor MD5',
  ],
  [
    'half a hash',
    { 'a.json': { ...moodleAssertion, recipient: { identity: 'sha256$abcd', type: 'email', hashed: true } } },
    'a.json: its hash has the wrong length',
  ],
  [
    'no recipient',
    { 'a.json': { ...moodleAssertion, recipient: null } },
    'a.json: it does not say who has it',
  ],
  [
    'a DID',
    { 'a.json': { ...credential, credentialSubject: { ...credential.credentialSubject, identifier: [] } } },
    'a.json: it names its holder only by an id with which nobody can sign in here',
  ],
  [
    'a wrong date',
    { 'a.json': { ...moodleAssertion, issuedOn: '1/2/2024' } },
    expect.stringMatching(/^a.json: issuedOn can be read in two ways/) as unknown as string,
  ],
  [
    'a hash whose badge has expired',
    { 'a.json': { ...moodleAssertion, expires: '2020-01-01' } },
    'skip a.json: it has expired, and names only the hash of who had it',
  ],
  [
    'a URL without a network',
    { 'a.png': makePng([bakedText(assertionUrl)]), 'b.json': moodleAssertion },
    'a.png: its badge is only at a URL, and nothing is read from the network',
  ],
  ['no JSON', { 'a.json': '{', 'b.json': moodleAssertion }, 'a.json: it is not JSON'],
  ['other JSON', { 'a.json': { hello: 1 }, 'b.json': moodleAssertion }, 'a.json: it has no badge in it'],
  [
    'another kind of file',
    { 'a.pdf': '%PDF', 'b.json': moodleAssertion },
    'a.pdf: it is a file of a kind that is not read',
  ],
  [
    'no title',
    { 'a.json': { ...moodleAssertion, badge: { ...moodleClass, name: '' } } },
    'a.json: it has no title',
  ],
  [
    'a long description',
    { 'a.json': { ...moodleAssertion, badge: { ...moodleClass, description: 'x'.repeat(1_001) } } },
    'a.json: its description was cut after 1000 characters',
  ],
  [
    'a long narrative',
    { 'a.json': { ...moodleAssertion, narrative: 'x'.repeat(3_000) } },
    'a.json: its note was cut after 500 characters',
  ],
])('names the file with %s', async (_name, files, problem) => {
  expect(problemsOf(await read(files))).toEqual([problem]);
});

test('names each PNG and SVG without a badge, unless it is the picture of one', async () => {
  const arrivals = await read({
    'a.png': PNG,
    'b.svg': '<svg></svg>',
    'c.png': PNG,
    'd.json': { ...moodleAssertion, badge: { ...moodleClass, id: 'https://a.example/1', image: 'c.png' } },
    'e.json': moodleAssertion,
    'https-moodle-example-badges-badge_json-php-id-7.svg': '<svg></svg>',
  });
  expect(problemsOf(arrivals)).toEqual([
    'a.png: it has no badge in it, and is the picture of none',
    'b.svg: it has no badge in it, and is the picture of none',
  ]);
});

test('a ZIP file, and lines of JSON', async () => {
  const lines = [
    badgrAssertion,
    { ...badgrAssertion, recipient: { identity: EMAIL, type: 'email', hashed: false } },
  ];
  const zip = makeZip([
    {
      name: 'export/assertions.ndjson',
      content: Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n{`),
    },
    { name: 'export/class.json', content: Buffer.from(JSON.stringify(badgrClass)) },
    { name: '__MACOSX/._class.json', content: Buffer.from('x') },
    { name: 'export/secret.json', content: Buffer.from('x'), isEncrypted: true },
  ]);
  const folder = await makeFolder({ 'export.zip': zip });
  const arrivals = await readAll(readOpenBadges, join(folder, 'export.zip'));
  expect(personsOf(arrivals).map(({ place }) => place)).toEqual([
    'export/assertions.ndjson:1',
    'export/assertions.ndjson:2',
  ]);
  expect(problemsOf(arrivals)).toEqual([
    'export/secret.json: it is encrypted: unpack it first',
    'export/assertions.ndjson:3: it is not JSON',
  ]);
  await expect(tokensOf(arrivals)[0]?.picture?.()).resolves.toMatchObject({ contentType: 'image/png' });
});

test('a URL is read once', async () => {
  const urls: string[] = [];
  const pages = serve({ [badgrAssertion.badge]: badgrClass });
  const arrivals = await read(
    { 'a.ndjson': `${JSON.stringify(badgrAssertion)}\n`.repeat(3) },
    async (url, limits) => {
      urls.push(url);
      return await pages(url, limits);
    },
  );
  expect(personsOf(arrivals)).toHaveLength(3);
  expect(urls).toEqual([badgrAssertion.badge]);
});

test('no problem names a person', async () => {
  const secret = 'secret-person';
  const arrivals = await read({
    'a.json': [
      { ...moodleAssertion, recipient: { identity: `${secret}@x`, type: 'email', hashed: false } },
      { ...moodleAssertion, recipient: { identity: `sha512$${secret}`, type: 'email', hashed: true } },
      { ...moodleAssertion, issuedOn: secret },
      { ...moodleAssertion, badge: secret },
      { type: 'Assertion', id: `https://a.example/${secret}`, revoked: true },
    ],
  });
  expect(problemsOf(arrivals)).toHaveLength(5);
  expect(problemsOf(arrivals).join()).not.toContain(secret);
});

test('every assertion is a person or a problem', async () => {
  const recipients = fc.constantFrom<unknown>(
    { identity: EMAIL, type: 'email', hashed: false },
    { identity: `sha256$${HASH}`, type: 'email', hashed: true, salt: SALT },
    { identity: ADA, type: 'id', hashed: false },
    { identity: 'sha256$1', type: 'email', hashed: true },
    null,
  );
  const assertion = fc.record({
    type: fc.constant('Assertion'),
    badge: fc.constantFrom<unknown>(moodleClass, moodleClass.id, badgrAssertion.badge, null),
    recipient: recipients,
    issuedOn: fc.constantFrom<unknown>('2024-01-02', 'soon', undefined),
    expires: fc.constantFrom<unknown>('2020-01-01', '2090-01-01', undefined),
    revoked: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(assertion, { minLength: 1, maxLength: 8 }), async (assertions) => {
      const arrivals = await read({ 'a.ndjson': assertions.map((one) => JSON.stringify(one)).join('\n') });
      const places = new Set(arrivals.filter(({ kind }) => kind !== 'token').map(({ place }) => place));
      expect([...places].sort()).toEqual(assertions.map((_one, index) => index + 1));
    }),
    { numRuns: 60 },
  );
});

test('no file makes it throw anything but an ArrivalError', async () => {
  const folder = await makeFolder({});
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(
      'Assertion',
      'BadgeClass',
      'OpenBadgeCredential',
      `sha256$${HASH}`,
      EMAIL,
      null,
      0,
      -1,
      true,
      [],
      {},
      DATA_URL,
      'https://a.example',
      toJwt({ type: 'Assertion' }),
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.double(),
  );
  const keys = [
    'type',
    '@type',
    'id',
    'name',
    'image',
    'criteria',
    'recipient',
    'identity',
    'identityHash',
    'salt',
    'badge',
    'badge_id',
    'event_id',
    'email',
    'revoked',
    'issuedOn',
    'expires',
    'credentialSubject',
    'achievement',
    'identifier',
    'evidence',
    'vc',
    'assertions',
    'tags',
    '__proto__',
  ];
  const value = anyJson(keys, { leaf, maxDepth: 5 });
  const png = fc
    .tuple(fc.constantFrom('iTXt', 'tEXt', 'zTXt'), fc.uint8Array({ maxLength: 60 }))
    .map(([type, data]) => makePng([[type, Buffer.concat([Buffer.from('openbadges\0'), data])]]));
  await fc.assert(
    fc.asyncProperty(value, png, fc.nat(80), async (any, picture, cut) => {
      await writeFile(join(folder, 'a.json'), JSON.stringify(any) ?? '');
      await writeFile(join(folder, 'b.png'), picture.subarray(0, picture.length - cut));
      try {
        for (const arrival of await readAll(readOpenBadges, folder)) {
          expect(arrival.place).toBeDefined();
          if (arrival.kind === 'token')
            await arrival.picture?.().catch((error: unknown) => expect(error).toBeInstanceOf(ArrivalError));
        }
      } catch (error) {
        expect(error).toBeInstanceOf(ArrivalError);
      }
    }),
    { numRuns: 100 },
  );
});
