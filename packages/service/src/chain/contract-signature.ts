import type { ContractEvidence } from '../signatures/contract-evidence.ts';
import { type AbiArgument, encodeArguments } from './abi.ts';
import type { CallOutcome, Chain, PinnedBlock } from './chain.ts';
import { RpcFailure } from './endpoint.ts';
import { SIGNATURE_VALIDATOR } from './signature-validator.ts';

// The selector of isValidSignature(bytes32,bytes), which is also what it returns for a valid signature
// (EIP-1271).
const IS_VALID_SIGNATURE = '1626ba7e';
const MAGIC_VALUE = `0x${IS_VALID_SIGNATURE}${'0'.repeat(56)}`;
const COUNTERFACTUAL_SUFFIX = Buffer.from('6492'.repeat(16), 'hex');
// Enough for several passkeys that are verified in Solidity. Nodes stop an endless loop after this much.
const GAS = 5_000_000;
// What follows the first word does not count.
const MAX_RESPONSE_BYTES = 4 * 1024;

/** `noContract`: there is no code at the address, so nothing could be asked. */
export type ContractVerdict =
  | { kind: 'valid'; evidence: ContractEvidence }
  | { kind: 'refused' }
  | { kind: 'noContract' };

interface SignedHash {
  /** The address of the wallet, 20 bytes. */
  signer: Uint8Array;
  /** 32 bytes. */
  hash: Uint8Array;
  signature: Uint8Array;
}

/** Whether a signature is for a wallet that may not be deployed yet (ERC-6492). */
export function isCounterfactual(signature: Buffer): boolean {
  return signature.subarray(-COUNTERFACTUAL_SUFFIX.length).equals(COUNTERFACTUAL_SUFFIX);
}

/** Asks a wallet's contract about a signature. Throws `ChainUnavailable` if nobody has answered. */
export async function verifyWithContract(
  chain: Chain,
  signed: SignedHash & { signature: Buffer },
): Promise<ContractVerdict> {
  const method = isCounterfactual(signed.signature) ? 'erc6492' : 'eip1271';
  return await chain.read(async (block) => {
    const verdict = method === 'erc6492' ? await askValidator(block, signed) : await askWallet(block, signed);
    if (verdict !== 'valid') return { kind: verdict };
    const { chainId, number: blockNumber, hash: blockHash } = block;
    return { kind: 'valid', evidence: { method, chainId, blockNumber, blockHash } };
  });
}

type Verdict = ContractVerdict['kind'];

async function askWallet(block: PinnedBlock, signed: SignedHash): Promise<Verdict> {
  const { signer, hash, signature } = signed;
  const to = toHex(signer);
  const data = `0x${IS_VALID_SIGNATURE}${encodeArguments([{ word: hash }, { bytes: signature }])}`;
  const outcome = await block
    .call({ to, data }, { gas: GAS, maxBytes: MAX_RESPONSE_BYTES })
    .catch(async (error: unknown) => {
      if (error instanceof RpcFailure && (await isStopped(block, to, signed))) return STOPPED;
      throw error;
    });
  if (outcome.kind === 'failed') return 'refused';
  if (outcome.data.slice(0, MAGIC_VALUE.length) === MAGIC_VALUE) return 'valid';
  // A call of an address without code succeeds and returns nothing.
  return outcome.data === '0x' && !(await block.hasCode(to)) ? 'noContract' : 'refused';
}

const STOPPED: CallOutcome = { kind: 'failed', data: null };

// Some wallets refuse with an invalid instruction, for which nodes have errors of many kinds. The validator
// makes a revert of it. It gets more gas, so that the wallet has at least as much as before. It cannot make
// a signature valid here.
async function isStopped(block: PinnedBlock, wallet: string, signed: SignedHash): Promise<boolean> {
  return (await block.hasCode(wallet)) && (await callValidator(block, signed, 2 * GAS)).kind === 'failed';
}

// The code of the validator deploys the wallet, asks it, and returns one byte. Nothing of it stays on the
// chain.
async function callValidator(
  block: PinnedBlock,
  { signer, hash, signature }: SignedHash,
  gas = GAS,
): Promise<CallOutcome> {
  const values: AbiArgument[] = [{ word: signer }, { word: hash }, { bytes: signature }];
  const data = `${SIGNATURE_VALIDATOR}${encodeArguments(values)}`;
  return await block.call({ data }, { gas, maxBytes: MAX_RESPONSE_BYTES });
}

async function askValidator(block: PinnedBlock, signed: SignedHash): Promise<Verdict> {
  const outcome = await callValidator(block, signed);
  if (outcome.kind === 'failed' || outcome.data === '0x00') return 'refused';
  if (outcome.data === '0x01') return 'valid';
  throw block.fail('it did not execute the validator of ERC-6492');
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
