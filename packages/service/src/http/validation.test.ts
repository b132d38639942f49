import {
  CreateTokenBody,
  OperationQuery,
  OrderedPageQuery,
  type RequestError,
  WalletTokensQuery,
} from '@badge/protocol';
import { describe, expect, test } from 'vitest';
import { invalidRequest } from '../domain/refusal.ts';
import { parseQuery, toRequestErrors, validatorCompiler } from './validation.ts';

interface Outcome {
  value?: unknown;
  error?: { validation: unknown };
}
type QueryValidator = (query: Record<string, unknown>) => Outcome;
type BodyValidator = ((body: unknown) => boolean) & { errors?: unknown };

const compile = (schema: object, httpPart: string): unknown =>
  validatorCompiler({ schema, method: 'GET', url: '/', httpPart } as Parameters<typeof validatorCompiler>[0]);

function readQuery(schema: object, query: Record<string, unknown>): unknown {
  const { value, error } = (compile(schema, 'querystring') as QueryValidator)(query);
  return error === undefined
    ? value
    : toRequestErrors({ validation: error.validation, validationContext: 'querystring' });
}
function findBodyErrors(body: unknown): RequestError[] {
  const validate = compile(CreateTokenBody, 'body') as BodyValidator;
  return validate(body) ? [] : toRequestErrors({ validation: validate.errors, validationContext: 'body' });
}
const withPageDefaults = (fields: object) => ({ limit: 50, offset: 0, order: 'asc', ...fields });

describe('a query', () => {
  test.each([
    [{}, {}],
    [{ limit: '', offset: '', order: '' }, {}],
    [{ limit: '0' }, { limit: 0 }],
    [
      { limit: '1000', offset: '9007199254740991' },
      { limit: 1000, offset: Number.MAX_SAFE_INTEGER },
    ],
    [
      { limit: '007', order: 'desc' },
      { limit: 7, order: 'desc' },
    ],
    [{ unknown: 'x', constructor: '1' }, {}],
  ])('%j is accepted', (query, expected) => {
    expect(readQuery(OrderedPageQuery, query)).toEqual(withPageDefaults(expected));
  });

  test.each([
    ['limit', ['1001', '-1', 'abc', '1e2', '0x10', '1.0', ' 1', '+1', '١', ['1', '2'], '1'.repeat(400)]],
    ['offset', ['-1', '-0', '-00', '9007199254740992', 'NaN', 'Infinity']],
    ['order', ['ASC', 'up', '0']],
  ])('with a wrong %s gets an error that names the parameter', (parameter, texts) => {
    for (const text of texts) {
      expect(readQuery(OrderedPageQuery, { [parameter]: text }), String(text)).toEqual([
        { parameter, detail: expect.stringMatching(/^must /) },
      ]);
    }
  });

  test('with several wrong parameters gets an error for each of them', () => {
    const errors = readQuery(OrderedPageQuery, { limit: 'x', offset: '-1', order: 'up' }) as RequestError[];
    expect(errors.map((error) => ('parameter' in error ? error.parameter : '')).sort()).toEqual([
      'limit',
      'offset',
      'order',
    ]);
  });

  test('keeps digits as text if the schema expects text', () => {
    expect(readQuery(WalletTokensQuery, { communityId: '12', claimStatus: 'claimed' })).toMatchObject({
      communityId: '12',
      claimStatus: 'claimed',
    });
  });

  test('with empty texts is read as if they were absent', () => {
    expect(readQuery(WalletTokensQuery, { communityId: '', claimStatus: '' })).toEqual({
      limit: 50,
      offset: 0,
    });
  });

  test('with a value that is not allowed gets an error that states the allowed values', () => {
    expect(readQuery(WalletTokensQuery, { claimStatus: 'maybe' })).toEqual([
      { parameter: 'claimStatus', detail: 'must be one of: claimed, unclaimed' },
    ]);
    expect(readQuery(OperationQuery, { wait: '31' })).toEqual([
      { parameter: 'wait', detail: 'must be <= 30' },
    ]);
  });
});

describe('a query string', () => {
  const withParameters = (count: number) =>
    Array.from({ length: count }, (_, index) => `a${index}=`).join('&');

  test('is parsed if it has at most 100 parameters', () => {
    expect(parseQuery('')).toEqual({});
    expect(parseQuery('limit=1&a+b=%26&limit=2')).toEqual({ limit: ['1', '2'], 'a b': '&' });
    expect(Object.keys(parseQuery(withParameters(100)))).toHaveLength(100);
  });

  test('is not parsed if it has more than 100, and the validator rejects it', () => {
    const query = parseQuery(`${withParameters(100)}&limit=1`);
    expect(Object.keys(query)).toEqual([]);
    expect(readQuery(OrderedPageQuery, query)).toEqual([
      { parameter: 'query', detail: 'must NOT have more than 100 parameters' },
    ]);
  });
});

describe('a body', () => {
  const body = {
    creator: `0x${'a'.repeat(40)}`,
    headline: 'A',
    communityId: 'demo',
    nftTypeId: 'defaultOrangeRed',
    isSignatureRequired: false,
    isAllowlistRequired: false,
    signature: '0x',
  };

  test('is not changed: nothing is coerced, removed or filled in', () => {
    const sent = { ...body, unknown: { a: [1] }, totalClaimCount: null };
    const before = structuredClone(sent);
    expect(findBodyErrors(sent)).toEqual([]);
    expect(sent).toStrictEqual(before);
  });

  test.each<[string, object, RequestError]>([
    [
      'a string for a boolean',
      { isSignatureRequired: 'true' },
      { pointer: '/isSignatureRequired', detail: 'must be boolean' },
    ],
    [
      'a string for a number',
      { totalClaimCount: '5' },
      { pointer: '/totalClaimCount', detail: 'must be integer or null' },
    ],
    ['a missing field', { headline: undefined }, { pointer: '/headline', detail: 'is required' }],
    [
      'a short address',
      { creator: '0x12' },
      { pointer: '/creator', detail: 'must be an address: 0x and 40 hex digits' },
    ],
    [
      'NUL',
      { headline: 'a\0' },
      { pointer: '/headline', detail: 'must not contain NUL or a lone surrogate' },
    ],
    [
      'a lone surrogate',
      { links: ['a', '\ud83c'] },
      { pointer: '/links/1', detail: 'must not contain NUL or a lone surrogate' },
    ],
    [
      'an attribute of an unknown type',
      { customAttributes: [{ fieldName: 'a', type: 'text', value: 1 }] },
      { pointer: '/customAttributes/0/type', detail: 'must be one of: string, number, date, boolean' },
    ],
    [
      'an attribute without a value',
      { customAttributes: [{ fieldName: 'a', type: 'string' }] },
      { pointer: '/customAttributes/0/value', detail: 'is required' },
    ],
  ])('with %s gets one error', (_title, fields, error) => {
    const { headline, ...rest } = { ...body, ...fields };
    expect(findBodyErrors(headline === undefined ? rest : { headline, ...rest })).toEqual([error]);
  });

  test('without fields gets an error for every required field', () => {
    const errors = findBodyErrors({}) as { pointer: string }[];
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(
      Object.keys(body)
        .map((name) => `/${name}`)
        .sort(),
    );
  });

  test('with more than 100 errors gets the first 100', () => {
    const customAttributes = Array.from({ length: 50 }, () => ({}));
    const errors = findBodyErrors({ ...body, customAttributes });
    // One more than the limit, so that `invalidRequest` can tell that there are more.
    expect(errors).toHaveLength(101);
    expect(invalidRequest(errors).errors).toEqual(errors.slice(0, 100));
  });
});

test('the name of a missing field is escaped in its pointer', () => {
  const validate = compile(
    { type: 'object', properties: { 'a/b~c': {} }, required: ['a/b~c'] },
    'body',
  ) as BodyValidator;
  validate({});
  expect(toRequestErrors({ validation: validate.errors, validationContext: 'body' })).toEqual([
    { pointer: '/a~1b~0c', detail: 'is required' },
  ]);
});
