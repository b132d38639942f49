import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { concat, decodeRlp, zeroPadValue } from 'ethers';
import { expect, test } from 'vitest';
import { hasRightChecksum, isAddress, toAddress, toChecksumAddress } from '../../src/signatures/address.ts';
import { keccak256 } from '../../src/signatures/keccak.ts';
import { recoverSigner } from '../../src/signatures/recover-signer.ts';
import { addressOfPrivateKey, signDigest } from '../../src/signatures/sign-digest.ts';
import { parseSignature } from '../../src/signatures/signature.ts';

// These tests use the test cases that ethers publishes.

const { resolve } = createRequire(import.meta.url);
const toBytes = (hex: string) => new Uint8Array(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
const toHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

function readCases<Case>(name: string): Case[] {
  const bytes = readFileSync(resolve(`@ethersproject/testcases/testcases/${name}.json.gz`));
  return JSON.parse(gunzipSync(bytes).toString()) as Case[];
}

interface Transaction {
  accountAddress: string;
  privateKey: string;
  unsignedTransaction: string;
  signedTransaction: string;
}

const accounts = readCases<{
  address: string;
  checksumAddress: string;
  icapAddress: string;
  privateKey?: string;
}>('accounts');

test('every address has the expected checksum, and isAddress rejects every ICAP address', () => {
  expect(accounts.length).toBeGreaterThan(1_000);
  for (const { address, checksumAddress, icapAddress } of accounts) {
    expect(toChecksumAddress(toAddress(toBytes(address)))).toBe(checksumAddress);
    expect(hasRightChecksum(checksumAddress)).toBe(true);
    expect(isAddress(icapAddress)).toBe(false);
  }
});

test('every private key has the expected address', () => {
  const keys = accounts.filter(({ privateKey }) => privateKey !== undefined);
  const wallets = readCases<{ address: string; privateKey: string }>('wallets');
  expect(keys.length).toBeGreaterThan(1_000);
  for (const { address, privateKey = '' } of [...keys, ...wallets]) {
    expect(toHex(addressOfPrivateKey(toBytes(privateKey)))).toBe(address.toLowerCase());
  }
});

test('every byte string has the expected Keccak-256', () => {
  const hashes = readCases<{ data: string; keccak256: string }>('hashes');
  expect(hashes.length).toBeGreaterThan(500);
  for (const { data, keccak256: hash } of hashes) expect(toHex(keccak256(toBytes(data)))).toBe(hash);
});

test('the typed message has the expected signature, from which its signer is recovered', () => {
  const cases = readCases<{ digest: string; privateKey?: string; signature?: string }>('eip712');
  // Only one of the cases has a signature.
  const { digest = '', privateKey = '', signature = '' } = cases.find((one) => one.signature) ?? {};
  expect(signDigest(toBytes(digest), toBytes(privateKey))).toBe(signature);
  const parsed = parseSignature(signature);
  expect(parsed && recoverSigner(toBytes(digest), parsed)).toEqual(addressOfPrivateKey(toBytes(privateKey)));
});

test('every transaction has the expected signature, from which its signer is recovered', () => {
  const transactions = readCases<Transaction>('transactions');
  expect(transactions.length).toBeGreaterThan(1_000);
  for (const { accountAddress, privateKey, unsignedTransaction, signedTransaction } of transactions) {
    const digest = keccak256(toBytes(unsignedTransaction));
    const [v = '', r = '', s = ''] = (decodeRlp(signedTransaction) as string[]).slice(-3);
    const signature = concat([zeroPadValue(r, 32), zeroPadValue(s, 32), v]);
    expect(signDigest(digest, toBytes(privateKey))).toBe(signature);
    const parsed = parseSignature(signature);
    const signer = parsed && recoverSigner(digest, parsed);
    expect(signer && toHex(signer)).toBe(accountAddress.toLowerCase());
  }
});
