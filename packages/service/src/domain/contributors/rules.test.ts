import { createHash } from 'node:crypto';
import { type EmailAddress, parseEmailAddress } from '@badge/protocol';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../signatures/address.ts';
import { findContributorErrors, normaliseContributor, normaliseContributors } from './rules.ts';

const ADDRESS = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const sha256 = (text: string) => createHash('sha256').update(text).digest();

test('a contributor has at most 30 combining marks in a row', () => {
  const withMarks = (count: number) => [`z${'\u0316\u0301'.repeat(count / 2)}z`];
  expect(findContributorErrors(withMarks(30))).toEqual([]);
  expect(findContributorErrors(withMarks(32))).toEqual([
    { pointer: '/contributors/0', detail: 'must not have more than 30 combining marks in a row' },
  ]);
});

describe('normalised contributors', () => {
  const composed = 'Jos\u00e9';
  const decomposed = 'Jose\u0301';

  test.each<[string, string[], number]>([
    [
      'an address in upper or lower case',
      [ADDRESS, ADDRESS.toLowerCase(), `0x${ADDRESS.slice(2).toUpperCase()}`],
      1,
    ],
    ['an address with white space around', [ADDRESS, ` ${ADDRESS}\t`], 1],
    ['a handle with white space around', ['ada', ' ada\n'], 1],
    ['a handle in both normal forms', [composed, decomposed], 1],
    ['an e-mail in upper or lower case', ['Ada@Example.org', 'ada@EXAMPLE.org '], 1],
    [
      'an e-mail in both normal forms and cases',
      [`${composed}@x.org`, `${decomposed.toUpperCase()}@X.org`],
      1,
    ],
    ['an e-mail with sigmas', ['ΝΙΚΟΣ@x.gr', 'νικος@x.gr', 'νικοσ@x.gr'], 1],
    ['a handle with sigmas', ['νικος', 'νικοσ'], 2],
    ['e-mails with ß and ss', ['straße@x.de', 'strasse@x.de'], 2],
    ['e-mails with a dotless i', ['ışık@x.tr', 'işik@x.tr'], 2],
    ['handles that differ in case', ['ada', 'Ada'], 2],
    ['ENS names that differ in case', ['ada.eth', 'Ada.eth'], 2],
    ['a handle with and without @', ['@ada', 'ada'], 2],
    ['an address and its digits', [ADDRESS, ADDRESS.slice(2)], 2],
    ['white space inside', ['ada lovelace', 'ada  lovelace'], 2],
  ])('%s: %j are %i contributors', (_title, contributors, count) => {
    expect(normaliseContributors(contributors)).toHaveLength(count);
  });

  test('the key of an address is its bytes; any other key is a hash of the text', () => {
    expect(normaliseContributors([` ${ADDRESS}`, ` ${decomposed}`, 'Ada@Example.org'])).toEqual([
      { key: parseAddress(ADDRESS) },
      { key: sha256(composed), identifier: composed },
      { key: sha256('ada@example.org'), identifier: 'Ada@Example.org' },
    ]);
  });

  test('the key of an e-mail is the hash of it in lower case', () => {
    for (const email of [
      'νικος@x.gr',
      'ΝΙΚΟΣ@x.gr',
      'İsmail@x.tr',
      'Straße@x.de',
      'José@x.org',
      'Ada@x.org',
    ]) {
      expect(normaliseContributor(email).key).toEqual(sha256(email.toLowerCase()));
    }
  });

  test('the first of equal contributors is kept, in the given order', () => {
    const identifiers = normaliseContributors(['b', 'Ada@x.org', 'a', ' b', 'ada@X.org']).map(
      ({ identifier }) => identifier,
    );
    expect(identifiers).toEqual(['b', 'Ada@x.org', 'a']);
  });
});

test.each([
  ['Ada@Example.org', 'aDA@exAMPLE.ORG'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
])('%s and %s are the same contributor in one of the spellings of each', (one, other) => {
  const [first, second] = [parseEmailAddress(one), parseEmailAddress(other)];
  if (typeof first === 'string' || typeof second === 'string') throw new Error('not an address');
  const keysOf = ({ spellings }: EmailAddress) =>
    spellings.map((spelling) => String(normaliseContributor(spelling).key));
  expect(keysOf(first).some((key) => keysOf(second).includes(key))).toBe(true);
});
