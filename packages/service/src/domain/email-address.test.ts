import { EMAIL_PROBLEMS, type EmailAddress, type EmailProblem, parseEmailAddress } from '@badge/protocol';
import { expect, test } from 'vitest';
import { normaliseContributor } from './contributors/rules.ts';

test.each([
  ['ada@example.org', 'ada@example.org'],
  [' Ada.Lovelace+badge@Example.ORG ', 'Ada.Lovelace+badge@example.org'],
  ["o'brien!#$%&*/=?^_`{|}~-@example.org", "o'brien!#$%&*/=?^_`{|}~-@example.org"],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
  ['ada@пример.рф', 'ada@xn--e1afmkfd.xn--p1ai'],
  ['ada@почта.com', 'ada@xn--80a1acny.com'],
  ['ada@παράδειγμα.δοκιμή', 'ada@xn--hxajbheg2az3al.xn--jxalpdlp'],
  ['ada@مثال.إختبار', 'ada@xn--mgbh0fb.xn--kgbechtv'],
  ['ada@日本語-badge.jp', 'ada@xn---badge-ol2mm8fl32k.jp'],
  ['a@b.co', 'a@b.co'],
])('%j is sent to %s', (text, address) => {
  expect(parseEmailAddress(text)).toMatchObject({ address });
});

test.each([
  ['Ada@Example.org', 'aDA@exAMPLE.ORG'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
])('%s and %s are the same address', (one, other) => {
  const [first, second] = [parseEmailAddress(one), parseEmailAddress(other)];
  if (typeof first === 'string' || typeof second === 'string') throw new Error('not an address');
  expect(first.comparedText).toBe(second.comparedText);
  const keysOf = ({ spellings }: EmailAddress) =>
    spellings.map((spelling) => String(normaliseContributor(spelling).key));
  expect(keysOf(first).some((key) => keysOf(second).includes(key))).toBe(true);
});

test.each([
  '',
  'ada',
  '@example.org',
  'ada@',
  'ada@example',
  'ada@example..org',
  'ada@-example.org',
  'ada@exam_ple.org',
  'ada@example.org.',
  'ada@exam ple.org',
  'a@b@example.org',
  '.ada@example.org',
  'ada.@example.org',
  'a..b@example.org',
  '"ada"@example.org',
  'ada@[127.0.0.1]',
  'ada@127.0.0.1',
  'ada@2130706433',
  'ada@0x7f.1',
  'Ada <ada@example.org>',
  'ada@example.org, omar@example.org',
  'ada@example.org\r\nBcc: omar@example.org',
  'ada\r\n@example.org',
  'adá@example.org',
  'ada@xn--a.org',
  `${'a'.repeat(65)}@example.org`,
  `ada@${'example.'.repeat(31)}org`,
])('%j is no address', (text) => {
  expect(EMAIL_PROBLEMS[parseEmailAddress(text) as EmailProblem]).toMatch(/^must /);
});

test.each([
  ['a Cyrillic a among Latin letters', 'ada@ex\u0430mple.org'],
  ['a Greek o among Latin letters', 'ada@g\u03bfogle.com'],
  ['Cyrillic letters that look like apple', 'ada@\u0430\u0440\u0440\u04cf\u0435.com'],
  ['the same in ASCII', 'ada@xn--80ak6aa92e.com'],
  ['Latin letters and Hangul with Greek', 'ada@\u03b1\ud55c\uae00.kr'],
  ['a script that is hardly used', 'ada@\u13a0\u13a1\u13a2.com'],
])('a domain with %s is refused', (_what, text) => {
  expect(parseEmailAddress(text)).toBe('imitation');
});

test.each([
  ['Ada+badge@example.org', 'ada@example.org'],
  ['ada+a+b@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ['a.d.A+x@Googlemail.com', 'ada@gmail.com'],
  ['a.da@gmail.com', 'ada@gmail.com'],
  // Elsewhere, dots can tell mailboxes apart.
  ['a.da@example.org', 'a.da@example.org'],
  ['+ada@example.org', '+ada@example.org'],
])('the mailbox of %s is %s', (text, mailbox) => {
  expect(parseEmailAddress(text)).toMatchObject({ mailbox });
});
