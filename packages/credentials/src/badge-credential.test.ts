import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Badge, canonizeBadge, signBadge, toDocument } from './badge-credential.ts';
import { canonize } from './canonize.ts';
import { canonizeStatusList, encodeBits, toStatusListDocument } from './status-list.ts';
import { badgeOf } from './testing/badge-of.ts';
import { testIssuer } from './testing/test-issuer.ts';

const { did, signBytes } = testIssuer();
const base = badgeOf({ did, status: { listUrl: 'https://example.org/status/1', index: 7 } });

// Texts as a community can write them: every kind of character but NUL and lone surrogates.
const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', ''));
const url = fc.webUrl({ withQueryParameters: true, withFragments: true });
const badges: fc.Arbitrary<Badge> = fc.record({
  id: fc.uuid().map((id) => `urn:uuid:${id}`),
  validFrom: fc.constant('2026-01-02T03:04:05Z'),
  created: fc.constant('2026-01-03T03:04:05Z'),
  validUntil: fc.option(fc.constant('2027-01-02T03:04:05Z')),
  issuer: fc.record({ did: fc.constant(did), name: text, pictureUrl: fc.option(url) }),
  subjectId: fc.constant(base.subjectId),
  identities: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('name' as const), name: fc.oneof(text, fc.constant('a')) }),
      fc.record({
        type: fc.constant('emailAddress' as const),
        hash: fc.constantFrom('aa', 'ab'),
        salt: text,
      }),
    ),
    { maxLength: 4 },
  ),
  startDate: fc.option(fc.constant('2026-01-01')),
  endDate: fc.option(fc.constant('2026-01-02')),
  achievement: fc.record({
    id: fc.nat().map((id) => `https://example.org/v1/tokens/${id}`),
    name: text,
    description: text,
    narrative: text,
    picture: fc.record({
      url,
      mediaType: fc.constantFrom('image/png', 'image/gif'),
      digest: fc.constant(base.achievement.picture.digest),
    }),
  }),
  // The same names and values again and again, so that results differ only in their number.
  results: fc.array(fc.record({ name: fc.oneof(text, fc.constant('a')), value: fc.constantFrom('', 'x') }), {
    maxLength: 8,
  }),
  status: fc.record({ listUrl: url, index: fc.nat(131_071) }),
});

test('the statements that are signed are those that jsonld makes of the document', async () => {
  await fc.assert(
    fc.asyncProperty(badges, async (badge) => {
      expect(await canonizeBadge(badge)).toBe(await canonize(toDocument(badge)));
    }),
    { numRuns: 60 },
  );
});

test('the picture of the issuer can be that of the badge', async () => {
  const badge = { ...base, issuer: { ...base.issuer, pictureUrl: base.achievement.picture.url } };
  expect(await canonizeBadge(badge)).toBe(await canonize(toDocument(badge)));
});

test('the statements of a status list are those that jsonld makes of it', async () => {
  const list = {
    url: 'https://example.org/status/1',
    did,
    validFrom: '2026-01-02T03:04:05Z',
    created: '2026-01-02T03:04:05Z',
    revokedIndexes: [1, 2],
  };
  const bits = await encodeBits(list.revokedIndexes);
  expect(await canonizeStatusList(list, bits)).toBe(await canonize(toStatusListDocument(list, bits)));
});

test('the same badge has the same bytes', async () => {
  const first = await signBadge(base, signBytes);
  expect(await signBadge(structuredClone(base), signBytes)).toBe(first);
  expect(await signBadge({ ...base, created: '2026-01-03T03:04:06Z' }, signBytes)).not.toBe(first);
});
