import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePunycode } from './decode-punycode.ts';
import { EMAIL_PROBLEMS, type EmailProblem, parseEmailAddress, spellEmailAddress } from './email-address.ts';

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

test.each([
  ['jörg@example.org', 'localPart'],
  ['ken.@example.org', 'localPart'],
  ['\u202aada@example.org', 'localPart'],
  ['ada@example', 'domain'],
  ['ada@example.org/path', 'domain'],
  ['ada@example.org:25', 'domain'],
  ['ada@example%2eorg', 'domain'],
  ['ada@127.0.0.1', 'ipAddress'],
  ['ada@gοogle.com', 'imitation'],
])('%j: %s', (text, problem) => {
  expect(parseEmailAddress(text)).toBe(problem);
});

const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });

test('an address with a control character is none, wherever it stands', () => {
  const control = fc
    .oneof(fc.integer({ min: 0, max: 0x1f }), fc.integer({ min: 0x7f, max: 0x9f }))
    .map((code) => String.fromCharCode(code));
  const address = fc.constantFrom('ada@example.org', 'ada@bücher.example', ' ada+badge@example.org ');
  const place = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
  fc.assert(
    fc.property(address, control, place, (text, character, part) => {
      const at = Math.round(part * text.length);
      expect(parseEmailAddress(text.slice(0, at) + character + text.slice(at))).toBe('form');
    }),
    { numRuns: 2_000 },
  );
});

test('domains are written as Node writes them', () => {
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 3 }), (labels) => {
      const domain = [...labels, 'org'].join('.');
      const email = parseEmailAddress(`ada@${domain}`);
      if (typeof email === 'string') return;
      expect(email.address).toBe(`ada@${domainToASCII(domain.normalize('NFC'))}`);
      expect(email.spellings).toContain(`ada@${domainToUnicode(domain)}`);
    }),
    { numRuns: 2_000 },
  );
});

test('decodes Punycode as Node does', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'aüß王ابل例пя'), maxLength: 12 }), (letters) => {
      const [, encoded] = /^xn--(.*)\.org$/.exec(domainToASCII(`${letters}.org`)) ?? [];
      if (encoded !== undefined) {
        expect(`${decodePunycode(encoded)}.org`).toBe(domainToUnicode(`xn--${encoded}.org`));
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each(['', '-', '0', 'a-0', '99999999', 'zzzzzzzzzzzz', '\u00fc'])('%j does not break it', (encoded) => {
  expect(() => decodePunycode(encoded)).not.toThrow();
});

test('the spellings of an address begin with the one in lower case and ASCII', () => {
  expect(spellEmailAddress(' Ada@Bücher.example ')).toEqual([
    'ada@xn--bcher-kva.example',
    'Ada@Bücher.example',
    'Ada@xn--bcher-kva.example',
    'Ada@bücher.example',
  ]);
  expect(spellEmailAddress('ada@example.org')).toEqual(['ada@example.org']);
  expect(spellEmailAddress(' no address ')).toEqual(['no address']);
});
