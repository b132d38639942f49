import type { CreateTokenBody, CustomAttribute, RequestError } from '@badge/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Address, toAddress } from '../../signatures/address.ts';
import { normaliseContributors } from '../contributors/rules.ts';
import { findCreationErrors, findTimeWarnings, identifyCreateTokenRequest } from './rules.ts';

const ADDRESS = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const OPEN = { isAllowlistRequired: false, totalClaimCount: 1 };
const ALLOWLISTED = { isAllowlistRequired: true, contributors: [ADDRESS] };

const pointersOf = (body: unknown) =>
  findCreationErrors(body).map((error: RequestError) =>
    'pointer' in error ? error.pointer : error.parameter,
  );

describe('headline, description, links and customAttributes together', () => {
  const fields = (lastLinkCharacters: number) => ({
    ...OPEN,
    headline: '🎖'.repeat(1_000),
    description: '\u0001',
    links: [...Array<string>(25).fill('l'.repeat(2_048)), 'l'.repeat(lastLinkCharacters)],
    customAttributes: [
      { fieldName: 'colour', type: 'string', value: 'v'.repeat(2_048), dropped: 'x'.repeat(9_000) },
    ],
  });
  const { headline, description, links } = fields(0);
  const attribute = { fieldName: 'colour', type: 'string', value: 'v'.repeat(2_048) };
  // The length of the last link that makes the fields exactly 64 KiB.
  const maxLastLinkCharacters =
    65_536 -
    Buffer.byteLength(JSON.stringify({ headline, description, links, customAttributes: [attribute] }));

  test('have at most 64 KiB as JSON in UTF-8', () => {
    expect(pointersOf(fields(maxLastLinkCharacters))).toEqual([]);
    expect(findCreationErrors(fields(maxLastLinkCharacters + 1))).toEqual([
      {
        pointer: '',
        detail: expect.stringMatching(/^must have at most 65536 bytes of headline, .*; it has 65537$/),
      },
    ]);
  });
});

describe('how a token can be claimed', () => {
  test.each<[string, object, string[]]>([
    ['open, one claim', OPEN, []],
    ['open, the most claims', { ...OPEN, totalClaimCount: Number.MAX_SAFE_INTEGER }, []],
    ['open, contributors that an allowlist would reject', { ...OPEN, contributors: ['', '0x', 'a\0'] }, []],
    ['open, no count', { isAllowlistRequired: false }, ['/totalClaimCount']],
    ['open, null for a count', { ...OPEN, totalClaimCount: null }, ['/totalClaimCount']],
    ['open, no claims', { ...OPEN, totalClaimCount: 0 }, ['/totalClaimCount']],
    ['allowlisted', ALLOWLISTED, []],
    ['allowlisted, null for a count', { ...ALLOWLISTED, totalClaimCount: null }, []],
    ['allowlisted, a count', { ...ALLOWLISTED, totalClaimCount: 1 }, ['/totalClaimCount']],
    ['allowlisted, a count of 0', { ...ALLOWLISTED, totalClaimCount: 0 }, ['/totalClaimCount']],
    ['allowlisted, no contributors', { isAllowlistRequired: true }, ['/contributors']],
    ['allowlisted, null for contributors', { ...ALLOWLISTED, contributors: null }, ['/contributors']],
    ['allowlisted, an empty list', { ...ALLOWLISTED, contributors: [] }, ['/contributors']],
    ['allowlisted, text for contributors', { ...ALLOWLISTED, contributors: ADDRESS }, ['/contributors']],
    ['neither open nor allowlisted', { totalClaimCount: 0, contributors: [] }, []],
  ])('%s: %j has errors at %j', (_title, fields, pointers) => {
    expect(pointersOf(fields)).toEqual(pointers);
  });

  test.each([
    [10_000, []],
    [10_001, ['/contributors']],
  ])('%i contributors have errors at %j', (count, pointers) => {
    const contributors = Array.from({ length: count }, (_, index) => `handle ${index}`);
    expect(pointersOf({ ...ALLOWLISTED, contributors })).toEqual(pointers);
  });

  test('every invalid contributor has its own error', () => {
    const invalid = [
      ADDRESS.slice(0, -1),
      1,
      ADDRESS.replace('E', 'e'),
      '',
      ' \t',
      'a\0',
      '\ud800',
      '0X12',
      ADDRESS.slice(2),
      ` ${ADDRESS.slice(2).toLowerCase()}`,
      '0'.repeat(40),
      null,
    ];
    const valid = [
      ADDRESS,
      ADDRESS.toLowerCase(),
      ` ${ADDRESS}\n`,
      'ada@example.org',
      'ada.eth',
      '@0xada',
      '0'.repeat(39),
      '0'.repeat(41),
    ];
    const contributors = [...valid, ...invalid];
    const expected = invalid.map((_, index) => `/contributors/${valid.length + index}`);
    expect(pointersOf({ ...ALLOWLISTED, contributors })).toEqual(expected);
  });

  test('a contributor has up to 256 characters, whatever their UTF-16 length', () => {
    const contributors = ['🎖'.repeat(256), '🎖'.repeat(257)];
    expect(pointersOf({ ...ALLOWLISTED, contributors })).toEqual(['/contributors/1']);
  });
});

describe('the dates of a token', () => {
  test.each<[unknown, unknown, string[]]>([
    [1, 1, []],
    [1, 2, []],
    [2, 1, ['/startDateTimestamp']],
    [2, 0, []],
    [0, 1, []],
    [2, null, []],
    [undefined, 1, []],
    ['2', 1, []],
  ])('from %s to %s have errors at %j', (startDateTimestamp, endDateTimestamp, pointers) => {
    expect(pointersOf({ ...OPEN, startDateTimestamp, endDateTimestamp })).toEqual(pointers);
  });
});

describe('times that are probably not meant so', () => {
  const now = Date.UTC(2026, 10, 27);
  const warningsOf = (fields: Partial<CreateTokenBody>) => findTimeWarnings(fields as CreateTokenBody, now);
  const FIELDS = [
    ...['startDateTimestamp', 'endDateTimestamp', 'expirationTimestamp', 'claimableFromTimestamp'],
  ] as const;

  test('any time since 2001 that is in seconds has a warning, in each field and in a custom attribute', () => {
    const time = fc.integer({ min: Date.UTC(2001, 0), max: Date.UTC(2200, 0) });
    fc.assert(
      fc.property(time, fc.constantFrom(...FIELDS), (timestamp, field) => {
        const seconds = Math.floor(timestamp / 1_000);
        const detail = expect.stringContaining('looks like seconds');
        expect(warningsOf({ [field]: seconds })).toEqual([{ pointer: `/${field}`, detail }]);
        const other: CustomAttribute = { fieldName: 'a', type: 'number', value: seconds };
        const date: CustomAttribute = { fieldName: 'b', type: 'date', value: seconds };
        expect(warningsOf({ customAttributes: [other, date] })).toEqual([
          { pointer: '/customAttributes/1/value', detail },
        ]);
        const unchanged = field === 'expirationTimestamp' ? now + timestamp : timestamp;
        expect(warningsOf({ [field]: unchanged })).toEqual([]);
      }),
    );
  });

  test('an expiration that is over has a warning', () => {
    const claimable = { expirationTimestamp: now + 1, claimableFromTimestamp: now + 1 };
    expect(warningsOf(claimable)).toEqual([
      { pointer: '/claimableFromTimestamp', detail: expect.stringContaining('is not before') },
    ]);
    expect(warningsOf({ ...claimable, claimableFromTimestamp: now })).toEqual([]);
    const warning = { pointer: '/expirationTimestamp', detail: expect.stringContaining('is in the past') };
    expect(warningsOf({ expirationTimestamp: now })).toEqual([warning]);
    expect(warningsOf({ expirationTimestamp: 1 })).toEqual([warning]);
    expect(warningsOf({ expirationTimestamp: now + 1 })).toEqual([]);
  });

  test.each([0, null, undefined])('%s is no time', (none) => {
    expect(warningsOf(Object.fromEntries(FIELDS.map((field) => [field, none])))).toEqual([]);
  });

  test('dates as text, and dates before 1970, have none', () => {
    const values = ['2026-11-27', -86_400_000, Date.UTC(1985, 0)];
    const customAttributes = values.map(
      (value, index): CustomAttribute => ({
        fieldName: `date ${index}`,
        type: 'date',
        value,
      }),
    );
    expect(warningsOf({ customAttributes })).toEqual([]);
  });
});

test.each([null, undefined, 'text', 1, true, [], {}])(
  'a body that is %j has no error here, because the schema rejects it',
  (body) => {
    expect(findCreationErrors(body)).toEqual([]);
  },
);

test('the errors of all rules are reported together', () => {
  const body = {
    isAllowlistRequired: true,
    contributors: [''],
    totalClaimCount: 1,
    startDateTimestamp: 2,
    endDateTimestamp: 1,
    customAttributes: [{ fieldName: 'headline', type: 'number', value: 'x' }],
  };
  expect(pointersOf(body).sort()).toEqual([
    '/contributors/0',
    '/customAttributes/0/fieldName',
    '/customAttributes/0/value',
    '/startDateTimestamp',
    '/totalClaimCount',
  ]);
});

const findErrors = (customAttributes: unknown) =>
  findCreationErrors({ isAllowlistRequired: false, totalClaimCount: 1, customAttributes });
const attributesNamed = (...names: unknown[]) =>
  names.map((fieldName) => ({ fieldName, type: 'string', value: 'x' }));

describe('the names of attributes', () => {
  test.each([
    ...['creator', 'headline', 'description', 'startDateTimestamp', 'endDateTimestamp', 'links'],
    ...['communityId', 'nftTypeId', 'isSignatureRequired', 'isAllowlistRequired', 'contributors'],
    ...['totalClaimCount', 'expirationTimestamp', 'customAttributes', 'signature'],
    ...['tokenId', 'createdByAddress', 'createdAtTimestamp', 'imageUrl', 'claimabilityAttributes'],
    ...['remainingClaimCount', 'badgeTokenId', 'assetUrl', 'createdAt', 'claimStatus'],
    ...['isHidden', 'limit', 'offset', 'order'],
  ])('%s is reserved, in upper and lower case and with white space around', (name) => {
    for (const fieldName of [name, name.toLowerCase(), name.toUpperCase(), ` ${name}\u00a0`]) {
      expect(findErrors(attributesNamed('colour', fieldName))).toEqual([
        { pointer: '/customAttributes/1/fieldName', detail: `"${fieldName.trim()}" is reserved` },
      ]);
    }
  });

  test.each([
    'head line',
    'headlines',
    'fieldName',
    'type',
    'value',
    'communityUniqId',
    '__proto__',
    'constructor',
    'ﬁeld',
  ])('%s is allowed', (name) => expect(findErrors(attributesNamed(name))).toEqual([]));

  test('a repeated name of 64 characters is reported, even if it has 128 UTF-16 units', () => {
    const name = '🎖'.repeat(64);
    expect(findErrors(attributesNamed(name, name))).toEqual([
      { pointer: '/customAttributes/1/fieldName', detail: `"${name}" is given twice` },
    ]);
  });

  test('a name cannot be given twice', () => {
    expect(findErrors(attributesNamed('a', 'b', 'a', 'b', 'c', 'a'))).toEqual(
      [
        [2, 'a'],
        [3, 'b'],
        [5, 'a'],
      ].map(([index, name]) => ({
        pointer: `/customAttributes/${index}/fieldName`,
        detail: `"${name}" is given twice`,
      })),
    );
  });
});

describe('the value of an attribute of the type', () => {
  const valuesOf = (type: string, ...values: unknown[]) =>
    values.map((value): [string, unknown] => [type, value]);

  test.each([
    ...valuesOf('string', '', 'x'.repeat(2_048), '🎖'.repeat(2_048)),
    ...valuesOf('number', 0, -1.5, Number.MAX_VALUE),
    ...valuesOf('boolean', true, false),
    ...valuesOf(
      'date',
      0,
      -1,
      1_735_689_600_000,
      8.64e15,
      '2024-02-29',
      '2000-02-29',
      '0000-01-01',
      '9999-12-31',
    ),
    ...valuesOf('date', '2024-01-01T00:00', '2024-01-01T23:59:59', '2024-01-01T00:00:00.123456789Z'),
    ...valuesOf('date', '2024-01-01T00:00+23:59', '2024-01-01T00:00:00-00:00', '2024-01-01T00:00:00.1+14:00'),
  ])('%s can be %j', (type, value) => {
    expect(findErrors([{ fieldName: 'colour', type, value }])).toEqual([]);
  });

  test.each([
    ...valuesOf('string', 1, true, 'x'.repeat(2_049), 'a\0b', '\udfff'),
    ...valuesOf('number', '1', true, Number.POSITIVE_INFINITY, Number.NaN),
    ...valuesOf('boolean', 'true', 0),
    ...valuesOf(
      'date',
      true,
      1.5,
      8.64e15 + 1,
      -8.64e15 - 1,
      '',
      'today',
      '1735689600000',
      '2024',
      '2024-01',
    ),
    ...valuesOf('date', '2024-02-30', '2023-02-29', '1900-02-29', '2024-13-01', '2024-00-10', '2024-04-31'),
    ...valuesOf('date', '2024-01-00', '20240101', '24-01-01', '+002024-01-01', '2024-1-1', ' 2024-01-01'),
    ...valuesOf('date', '２024-01-01', '2024-01-01Z', '2024-01-01T', '2024-01-01 00:00', '2024-01-01T24:00'),
    ...valuesOf(
      'date',
      '2024-01-01T00:60',
      '2024-01-01T00:00:60',
      '2024-01-01T00:00:00.',
      '2024-01-01T00:00Z\n',
    ),
    ...valuesOf('date', '2024-01-01T00:00+24:00', '2024-01-01T00:00+1:00', '2024-01-01T00:00+0100'),
  ])('%s cannot be %j', (type, value) => {
    expect(findErrors([{ fieldName: 'colour', type, value }])).toEqual([
      { pointer: '/customAttributes/0/value', detail: expect.stringMatching(/^must /) },
    ]);
  });
});

test.each([undefined, null])('%j as customAttributes is allowed', (customAttributes) =>
  expect(findErrors(customAttributes)).toEqual([]),
);

test.each(['x', {}, [null], [1], ['x'], [[]], [{}], [{ fieldName: 1, type: 2, value: {} }]])(
  '%j as customAttributes has no error here, because the schema rejects it',
  (customAttributes) => expect(findErrors(customAttributes)).toEqual([]),
);

type Request = Parameters<typeof identifyCreateTokenRequest>[0];

const attributes = fc.array(
  fc.record({
    fieldName: fc.string({ minLength: 1 }),
    type: fc.constantFrom('string', 'number', 'date', 'boolean'),
    value: fc.oneof(fc.string(), fc.integer(), fc.boolean()),
  }),
  { maxLength: 4 },
);
const fields: { [Name in keyof Request]: fc.Arbitrary<Request[Name]> } = {
  communityId: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  creator: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toAddress),
  digest: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  nftTypeId: fc.string({ minLength: 1, maxLength: 64 }),
  customAttributes: attributes as fc.Arbitrary<CustomAttribute[]>,
  contributors: fc.array(fc.string(), { maxLength: 4 }).map(normaliseContributors),
  criteria: fc.option(fc.string({ minLength: 1 })),
  times: fc.record({
    claimableFromTimestamp: fc.option(fc.nat()),
    validUntilTimestamp: fc.option(fc.nat()),
    validityDays: fc.option(fc.nat()),
  }),
};
const requests = fc.record(fields);
const fieldChanges = fc.constantFrom(...(Object.keys(fields) as (keyof Request)[])).chain((name) => {
  const value: fc.Arbitrary<unknown> = fields[name];
  return fc.record({ name: fc.constant(name), value });
});
// The order of contributors does not matter, and only their keys count.
const toComparable = (name: keyof Request, value: unknown): string =>
  name === 'contributors'
    ? JSON.stringify((value as Request['contributors']).map(({ key }) => key.toString('hex')).sort())
    : JSON.stringify(value);
const copyOf = (request: Request): Request => ({
  ...structuredClone(request),
  creator: toAddress(Uint8Array.from(request.creator)),
  contributors: request.contributors.map((contributor) => ({
    ...contributor,
    key: Buffer.from(contributor.key),
  })),
});
const identify = (request: Request) => identifyCreateTokenRequest(request).toString('hex');

test('the identity has 32 bytes, and is the same for equal requests', () => {
  fc.assert(
    fc.property(requests, (request) => {
      expect(identify(request)).toMatch(/^[0-9a-f]{64}$/);
      expect(identify(copyOf(request))).toBe(identify(request));
    }),
  );
});

test('the identity changes if and only if a field changes', () => {
  fc.assert(
    fc.property(requests, fieldChanges, (request, { name, value }) => {
      const isSame = toComparable(name, value) === toComparable(name, request[name]);
      expect(identify({ ...request, [name]: value }) === identify(request)).toBe(isSame);
    }),
  );
});

test('the identity changes if text moves to a neighbouring field, or a value changes its type', () => {
  const creatorOf = (text: string) => Buffer.from(text) as Address;
  const request: Request = {
    communityId: 'ab',
    creator: creatorOf('c'),
    digest: new Uint8Array(32),
    nftTypeId: 'd',
    customAttributes: [],
    contributors: [],
    criteria: null,
    times: { claimableFromTimestamp: null },
  };
  const attribute = { fieldName: 'a', type: 'string', value: 'b' } as const;
  const identities = [
    request,
    { ...request, communityId: 'a', creator: creatorOf('bc') },
    { ...request, communityId: 'ab","c', creator: creatorOf('') },
    { ...request, customAttributes: [{ ...attribute, fieldName: 'a', value: 'bb' }] },
    { ...request, customAttributes: [{ ...attribute, fieldName: 'ab', value: 'b' }] },
    { ...request, customAttributes: [{ ...attribute, value: '1' }] },
    { ...request, customAttributes: [{ ...attribute, value: 1 }] },
    { ...request, customAttributes: [{ ...attribute, value: true }] },
    { ...request, customAttributes: [{ ...attribute, value: 'true' }] },
  ].map(identify);
  expect(new Set(identities).size).toBe(identities.length);
});

test.each<[string, (request: Request) => Request]>([
  ['the order of contributors', (r) => ({ ...r, contributors: [...r.contributors].reverse() })],
  [
    'the spelling of contributors with the same normal form',
    (r) => ({
      ...r,
      contributors: normaliseContributors(['ADA@example.org ', 'bob', ' bob']),
    }),
  ],
  ['an unknown field', (r) => ({ ...r, signature: '0x' })],
  ['the order of keys', (r) => Object.fromEntries(Object.entries(r).reverse()) as unknown as Request],
])('the identity does not depend on %s', (_title, change) => {
  const request: Request = {
    communityId: 'demo',
    creator: toAddress(new Uint8Array(20)),
    digest: new Uint8Array(32),
    nftTypeId: 'defaultOrangeRed',
    customAttributes: [{ fieldName: 'a', type: 'number', value: 1 }],
    contributors: normaliseContributors(['ada@example.org', 'bob']),
    criteria: 'a talk',
    times: { claimableFromTimestamp: 1, validityDays: 365 },
  };
  expect(identify(change(request))).toBe(identify(request));
});

test('the identity stays the same across releases', () => {
  const request: Request = {
    communityId: 'demo',
    creator: toAddress(Buffer.alloc(20, 0xab)),
    digest: new Uint8Array(32),
    nftTypeId: 'defaultOrangeRed',
    customAttributes: [{ fieldName: 'a', type: 'number', value: 1 }],
    contributors: normaliseContributors(['bob', `0x${'AB'.repeat(20)}`]),
    criteria: null,
    times: { claimableFromTimestamp: null },
  };
  expect(identify(request)).toBe('17cf75f63fc0145ecc3702e104ddeaf686fec792a557eb34ee8cf9e6101b66f6');
});
