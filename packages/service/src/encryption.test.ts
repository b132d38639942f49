import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  createEncryption,
  type Encryption,
  type EncryptionPurpose,
  TEXT_END,
  WrongEncryptionKey,
} from './encryption.ts';

const newEncryption = () => createEncryption(createSecretKey(randomBytes(32)));
const encryption = newEncryption();
const rowId = randomUUID();

const decrypt = (
  bytes: Uint8Array,
  { key = encryption, row = rowId }: { key?: Encryption; row?: string } = {},
) => key.decrypt('webhookSecret', row, bytes);

test.each(['', 'whsec_x', 'möwe 🐦 '.repeat(1_000)])('a text can be decrypted: %#', (text) => {
  const encrypted = encryption.encrypt('webhookSecret', rowId, text);
  expect(decrypt(encrypted)).toBe(text);
  // A column of PostgreSQL can be read as any kind of byte array.
  expect(decrypt(new Uint8Array(encrypted))).toBe(text);
});

test('the encrypted bytes show neither the text nor that two texts are equal', () => {
  const encrypted = Array.from({ length: 100 }, () =>
    encryption.encrypt('webhookSecret', rowId, 'whsec_secret'),
  );
  expect(new Set(encrypted.map((bytes) => bytes.toString('hex'))).size).toBe(100);
  for (const bytes of encrypted) expect(bytes.includes('secret')).toBe(false);
});

test('bytes of another key, another row or another purpose are refused', () => {
  const encrypted = encryption.encrypt('webhookSecret', rowId, 'whsec_secret');
  expect(() => decrypt(encrypted, { key: newEncryption() })).toThrow(WrongEncryptionKey);
  expect(() => decrypt(encrypted, { row: randomUUID() })).toThrow(WrongEncryptionKey);
  expect(() => encryption.decrypt('emailAddress', rowId, encrypted)).toThrow(WrongEncryptionKey);
});

test('a changed byte, missing bytes and more bytes are refused, without the text in the error', () => {
  const encrypted = encryption.encrypt('webhookSecret', rowId, 'whsec_secret');
  for (let index = 0; index < encrypted.length; index += 1) {
    const changed = Buffer.from(encrypted);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(() => decrypt(changed)).toThrow('A stored webhookSecret cannot be decrypted');
    expect(() => decrypt(encrypted.subarray(0, index))).toThrow(WrongEncryptionKey);
  }
  expect(() => decrypt(Buffer.concat([encrypted, Buffer.of(0)]))).toThrow(WrongEncryptionKey);
});

test('many texts are read at once, each with its own nonce', () => {
  const texts = ['Ada', '', 'möwe 🐦 '.repeat(9), 'x'.repeat(16), 'y'.repeat(17)];
  const encrypted = texts.map((text, index) => encryption.encrypt('personName', `row ${index}`, text));
  const sizes = [null, ...encrypted.map(({ length }) => length), 0];
  const skim = (purpose: EncryptionPurpose) => encryption.skim(purpose, Buffer.concat(encrypted), sizes);
  expect(skim('personName').split(TEXT_END)).toEqual(['', ...texts, '']);
  expect(skim('personNote').split(TEXT_END)).toHaveLength(sizes.length);
  expect(skim('personNote')).not.toContain('möwe');
  expect(encryption.skim('personName', Buffer.alloc(0), [])).toBe('');
});

// A release that derives other keys could read nothing that an earlier one has stored.
test('what an earlier release has encrypted and hashed stays readable', () => {
  const pinned = createEncryption(createSecretKey(Buffer.from(Array.from({ length: 32 }, (_, i) => i))));
  const stored = Buffer.from(
    '0194b0e4530262eef4a672fcabefb314aff2bfcbabcc7f3686d835e7c6dd09e1d3d6cee7b03a5bf39e',
    'hex',
  );
  expect(pinned.decrypt('webhookSecret', 'row', stored)).toBe('whsec_pinned');
  expect(pinned.hash('emailAddress', 'ada@example.org').toString('hex')).toBe(
    'c87edc7078bc5c2f95efa470285ab70efd12d250a295879a26e695c9927291fa',
  );
});

test('a hash depends on the key, the purpose and the text, and is not that of the text alone', () => {
  const hash = encryption.hash('emailAddress', 'ada@example.org');
  expect(encryption.hash('emailAddress', 'ada@example.org')).toEqual(hash);
  const others = [
    encryption.hash('emailAddress', 'bob@example.org'),
    encryption.hash('webhookSecret', 'ada@example.org'),
    newEncryption().hash('emailAddress', 'ada@example.org'),
  ];
  for (const other of others) expect(other).not.toEqual(hash);
  expect(hash.length).toBe(32);
});
