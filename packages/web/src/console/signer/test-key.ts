import type { Signer } from '@badge/sdk';
import { findStored, writeStored } from '../../browser-storage.ts';

const STORED_AS = 'badge.console.testKey';

/**
 * Returns the signer of the test key of this browser, or null if it has none. Only for the sandbox: whoever
 * uses this browser can read the key.
 */
export async function findTestSigner(): Promise<(Signer & { address: string }) | null> {
  const key = findStored(STORED_AS);
  if (key === null) return null;
  const { privateKeyToAccount } = await import('viem/accounts');
  return privateKeyToAccount(key as `0x${string}`);
}

/** Makes a test key, unless this browser has one, and returns its signer. */
export async function openTestSigner(): Promise<Signer & { address: string }> {
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts');
  const key = findStored(STORED_AS) ?? generatePrivateKey();
  writeStored(STORED_AS, key);
  return privateKeyToAccount(key as `0x${string}`);
}
