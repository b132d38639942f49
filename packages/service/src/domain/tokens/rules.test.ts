import type { CreateTokenBody, CustomAttribute, RequestError } from '@badge/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCreationErrors, findTimeWarnings } from './rules.ts';

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
  const FIELDS = ['startDateTimestamp', 'endDateTimestamp', 'expirationTimestamp'] as const;

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
