import { type Address, toAddress } from '../signatures/address.ts';
import { keccak256 } from '../signatures/keccak.ts';
import { decodeAddress, decodeBytes, encodeArguments } from './abi.ts';
import type { CallOutcome, Chain, PinnedBlock } from './chain.ts';

/** The chain on which ENS is. */
export const ENS_CHAIN_ID = 1;
// The contract of ENS that resolves names of every kind; ENS moves it to new versions.
// https://docs.ens.domains/resolvers/universal
const UNIVERSAL_RESOLVER = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee';
// The selectors of resolve(bytes,bytes), reverse(bytes,uint256) and addr(bytes32).
const RESOLVE = '9061b923';
const REVERSE = '5d78a217';
const ADDR = '3b3b57de';
// The selector of the error OffchainLookup (EIP-3668), with which a contract names URLs to ask. They are
// never asked.
const OFFCHAIN_LOOKUP = '0x556f1830';
const COIN_TYPE_ETHEREUM = 60;
const GAS = 10_000_000;
const MAX_RESPONSE_BYTES = 16 * 1024;
const MAX_NAME_CHARACTERS = 256;
const MAX_LABEL_BYTES = 255;

/** What a name resolves to. `offChain`: only a server that the contract names could say. */
export type EnsResolution = { kind: 'address'; address: Address } | { kind: 'none' } | { kind: 'offChain' };

export interface Ens {
  chain: Chain;
  /** Returns the normal form of a name (ENSIP-15); null if it is not a valid name. */
  normalise(name: string): string | null;
  /** Resolves names in their normal form, all at the same block. Throws `ChainUnavailable`. */
  resolve(names: string[]): Promise<EnsResolution[]>;
  /**
   * Returns the primary name of each address: the name that the address claims, if this name resolves to the
   * address. Otherwise null. Throws as `resolve` does.
   */
  findPrimaryNames(addresses: Address[]): Promise<(string | null)[]>;
}

/** `normaliseOrThrow` returns the normal form of a name, and throws for an invalid name. */
export function createEns(chain: Chain, normaliseOrThrow: (name: string) => string): Ens {
  function normalise(name: string): string | null {
    try {
      const normal = normaliseOrThrow(name);
      const isShort = normal.split('.').every((label) => Buffer.byteLength(label) <= MAX_LABEL_BYTES);
      return isShort && normal.length <= MAX_NAME_CHARACTERS ? normal : null;
    } catch {
      return null;
    }
  }

  async function findPrimaryName(block: PinnedBlock, address: Address): Promise<string | null> {
    const name = await readClaimedName(block, address);
    if (name === null || name === '' || normalise(name) !== name) return null;
    const resolution = await resolveName(block, name);
    return resolution.kind === 'address' && resolution.address.equals(address) ? name : null;
  }

  return {
    chain,
    normalise,
    resolve: (names) => chain.read((block) => Promise.all(names.map((name) => resolveName(block, name)))),
    findPrimaryNames: (addresses) =>
      chain.read((block) => Promise.all(addresses.map((address) => findPrimaryName(block, address)))),
  };
}

async function resolveName(block: PinnedBlock, name: string): Promise<EnsResolution> {
  const addr = Buffer.from(`${ADDR}${Buffer.from(hashName(name)).toString('hex')}`, 'hex');
  const outcome = await callResolver(
    block,
    `${RESOLVE}${encodeArguments([{ bytes: encodeName(name) }, { bytes: addr }])}`,
  );
  if (outcome.kind === 'failed')
    return { kind: outcome.data?.startsWith(OFFCHAIN_LOOKUP) ? 'offChain' : 'none' };
  // The result of addr(bytes32), which the first of the two results contains.
  const result = decodeBytes(toBytes(outcome.data), 0);
  const address = result && decodeAddress(result, 0);
  return address === null || address.every((byte) => byte === 0)
    ? { kind: 'none' }
    : { kind: 'address', address: toAddress(Buffer.from(address)) };
}

// The universal resolver checks that the name resolves to the address, but the caller checks it too.
async function readClaimedName(block: PinnedBlock, address: Address): Promise<string | null> {
  const values = encodeArguments([{ bytes: address }, { word: COIN_TYPE_ETHEREUM }]);
  const outcome = await callResolver(block, `${REVERSE}${values}`);
  if (outcome.kind === 'failed') return null;
  return decodeBytes(toBytes(outcome.data), 0)?.toString('utf8') ?? null;
}

async function callResolver(block: PinnedBlock, data: string): Promise<CallOutcome> {
  const call = { to: UNIVERSAL_RESOLVER, data: `0x${data}` };
  const outcome = await block.call(call, { gas: GAS, maxBytes: MAX_RESPONSE_BYTES });
  // A call of an address without code returns nothing.
  if (outcome.kind === 'returned' && outcome.data === '0x') throw block.fail('it has no contract of ENS');
  return outcome;
}

/** The hash of a name in its normal form (ENSIP-1). */
export function hashName(name: string): Uint8Array {
  return name
    .split('.')
    .reverse()
    .reduce<Uint8Array>(
      (node, label) => keccak256(Buffer.concat([node, keccak256(Buffer.from(label, 'utf8'))])),
      new Uint8Array(32),
    );
}

/** A name as DNS encodes it: each label after its length, then 0. */
export function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label, 'utf8'));
  return Buffer.concat([...labels.flatMap((label) => [Buffer.of(label.length), label]), Buffer.of(0)]);
}

function toBytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}
