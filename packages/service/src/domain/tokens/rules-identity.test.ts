import type { CustomAttribute } from '@badge/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Address, toAddress } from '../../signatures/address.ts';
import { normaliseContributors } from '../contributors/rules.ts';
import { identifyCreateTokenRequest } from './rules.ts';

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
  };
  expect(identify(request)).toBe('17cf75f63fc0145ecc3702e104ddeaf686fec792a557eb34ee8cf9e6101b66f6');
});
