import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** The 32-byte Keccak-256 digest of `bytes`, as Ethereum uses it. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary');
}
