import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePunycode } from './decode-punycode.ts';
import { parseEmailAddress } from './email-address.ts';

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
