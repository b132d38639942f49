import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSecrets } from './canaries.ts';

const PRINTABLE = Buffer.from('printable bytes');

test.for([
  ['a text', 'canary-key'.repeat(2)],
  ['a text that JSON escapes', '"canary"\\key'],
  ['bytes that no encoding changes', PRINTABLE],
  ['bytes that JSON escapes', Buffer.concat([PRINTABLE, Buffer.from([0, 34, 92])])],
] as const)('findSecrets reports %s that is plain only once', ([, secret]) => {
  expect(findSecrets({ secret }, { file: Buffer.from(secret).toString('latin1') })).toEqual([
    'secret, plain, in file',
  ]);
});

test('findSecrets reports any bytes that are plain only once, and any that are encoded', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((values) => Buffer.from(values));
  fc.assert(
    fc.property(bytes, (secret) => {
      expect(findSecrets({ secret }, { file: secret.toString('latin1') })).toEqual([
        'secret, plain, in file',
      ]);
      for (const encoding of ['hex', 'base64'] as const) {
        const written = { file: `before ${secret.toString(encoding)} after` };
        expect(findSecrets({ secret }, written)).toEqual([`secret, ${encoding}, in file`]);
      }
    }),
  );
});
