import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type AbiParameter,
  bytesToHex,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashTypedData,
  parseAbi,
  parseAbiParameters,
  serializeErc6492Signature,
  zeroAddress,
} from 'viem';
import type { Anvil } from './anvil.ts';
import type { Wallet } from './signing.ts';

// Wallets that are contracts, on a local chain. contracts/README.md says where their code comes from.

const FILE = new URL('../contracts/bytecode.json', import.meta.url);
interface Compiled {
  /** The SHA-256 of each source file. */
  sources: Record<string, string>;
  bytecode: Record<string, Hex>;
}
export const COMPILED = JSON.parse(readFileSync(FILE, 'utf8')) as Compiled;

/** The address of a wallet, and how it signs a 32-byte hash. */
export interface ContractWallet {
  address: Hex;
  signHash(hash: Hex): Promise<Hex>;
}

/** Deploys a test contract. */
export async function deploy(
  anvil: Anvil,
  name: string,
  types: readonly AbiParameter[] = [],
  values: unknown[] = [],
): Promise<Hex> {
  const code = COMPILED.bytecode[name];
  if (code === undefined) throw new Error(`there is no contract ${name}`);
  const { contractAddress } = await anvil.send({ data: concat([code, encodeAbiParameters(types, values)]) });
  return getAddress(contractAddress ?? zeroAddress);
}

/** Deploys a wallet of one key, as EIP-1271 describes it. */
export async function deployMinimalWallet(anvil: Anvil, owner: Wallet): Promise<ContractWallet> {
  const address = await deploy(anvil, 'MinimalWallet', parseAbiParameters('address'), [owner.address]);
  return { address, signHash: (hash) => owner.sign({ hash }) };
}

const FACTORY_ABI = parseAbi([
  'function deploy(address owner, bytes32 salt) returns (address)',
  'function addressOf(address owner, bytes32 salt) view returns (address)',
]);

/** A wallet that is not deployed yet: it signs as in ERC-6492. */
export async function planWallet(
  anvil: Anvil,
  owner: Wallet,
): Promise<ContractWallet & { deploy(): Promise<unknown> }> {
  const factory = await deploy(anvil, 'WalletFactory');
  const args = [owner.address, bytesToHex(randomBytes(32))] as const;
  const address = await anvil.client.readContract({
    address: factory,
    abi: FACTORY_ABI,
    functionName: 'addressOf',
    args,
  });
  const data = encodeFunctionData({ abi: FACTORY_ABI, functionName: 'deploy', args });
  return {
    address,
    signHash: async (hash) =>
      serializeErc6492Signature({ address: factory, data, signature: await owner.sign({ hash }) }),
    deploy: () => anvil.send({ to: factory, data }),
  };
}

const SAFE_ABI = parseAbi([
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)',
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address)',
  'function swapOwner(address previousOwner, address oldOwner, address newOwner)',
  'function nonce() view returns (uint256)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) returns (bool)',
]);
const SAFE_TYPES = {
  SafeMessage: [{ name: 'message', type: 'bytes' }],
  SafeTx: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
    { name: 'operation', type: 'uint8' },
    { name: 'safeTxGas', type: 'uint256' },
    { name: 'baseGas', type: 'uint256' },
    { name: 'gasPrice', type: 'uint256' },
    { name: 'gasToken', type: 'address' },
    { name: 'refundReceiver', type: 'address' },
    { name: 'nonce', type: 'uint256' },
  ],
} as const;

/** A Safe. Its owners sign in the ascending order of their addresses. */
export interface Safe extends ContractWallet {
  /** Signs with these keys, whether they are owners or not. */
  signHashWith(signers: Wallet[], hash: Hex): Promise<Hex>;
  /** Replaces an owner, with the signatures of these owners. */
  swapOwner(signers: Wallet[], change: { former: Wallet; next: Wallet }): Promise<void>;
}

/** Deploys a Safe 1.4.1. The first `threshold` of the owners sign. */
export async function deploySafe(anvil: Anvil, owners: Wallet[], threshold: number): Promise<Safe> {
  const { client, chainId } = anvil;
  const singleton = await deploy(anvil, 'Safe');
  const handler = await deploy(anvil, 'CompatibilityFallbackHandler');
  const factory = await deploy(anvil, 'SafeProxyFactory');
  const setup = encodeFunctionData({
    abi: SAFE_ABI,
    functionName: 'setup',
    args: [
      owners.map((owner) => owner.address),
      BigInt(threshold),
      zeroAddress,
      '0x',
      handler,
      zeroAddress,
      0n,
      zeroAddress,
    ],
  });
  const creation = {
    abi: SAFE_ABI,
    functionName: 'createProxyWithNonce',
    args: [singleton, setup, 1n],
  } as const;
  const { result: address } = await client.simulateContract({ address: factory, ...creation });
  await anvil.send({ to: factory, data: encodeFunctionData(creation) });
  const domain = { chainId, verifyingContract: address };

  async function join(signers: Wallet[], sign: (signer: Wallet) => Promise<Hex>): Promise<Hex> {
    const inOrder = signers.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
    return concat(await Promise.all(inOrder.map(sign)));
  }

  const signHashWith = (signers: Wallet[], hash: Hex) => {
    const message = { message: encodeAbiParameters(parseAbiParameters('bytes32'), [hash]) };
    const { SafeMessage } = SAFE_TYPES;
    const digest = hashTypedData({ domain, types: { SafeMessage }, primaryType: 'SafeMessage', message });
    return join(signers, (signer) => signer.sign({ hash: digest }));
  };

  return {
    address,
    signHash: (hash) => signHashWith(owners.slice(0, threshold), hash),
    signHashWith,
    swapOwner: async (signers, { former, next }) => {
      const index = owners.indexOf(former);
      const previous = owners[index - 1]?.address ?? '0x0000000000000000000000000000000000000001';
      const args = [previous, former.address, next.address] as const;
      const data = encodeFunctionData({ abi: SAFE_ABI, functionName: 'swapOwner', args });
      const transaction = {
        to: address,
        value: 0n,
        data,
        operation: 0,
        safeTxGas: 0n,
        baseGas: 0n,
        gasPrice: 0n,
        gasToken: zeroAddress,
        refundReceiver: zeroAddress,
        nonce: await client.readContract({ address, abi: SAFE_ABI, functionName: 'nonce' }),
      };
      const { SafeTx } = SAFE_TYPES;
      const definition = { domain, types: { SafeTx }, primaryType: 'SafeTx', message: transaction } as const;
      const signatures = await join(signers, (signer) => signer.signTypedData(definition));
      const { to, value, operation, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver } = transaction;
      const execution = encodeFunctionData({
        abi: SAFE_ABI,
        functionName: 'execTransaction',
        args: [
          to,
          value,
          data,
          operation,
          safeTxGas,
          baseGas,
          gasPrice,
          gasToken,
          refundReceiver,
          signatures,
        ],
      });
      await anvil.send({ to: address, data: execution });
      owners[index] = next;
    },
  };
}

/**
 * Lets an account of a key use the code of `DelegatedAccount` (EIP-7702), with a session key that may sign
 * for it.
 */
export async function delegateAccount(
  anvil: Anvil,
  account: Wallet,
  sessionKey: Wallet,
): Promise<ContractWallet> {
  const { client } = anvil;
  const code = await deploy(anvil, 'DelegatedAccount');
  const authorization = await client.signAuthorization({ account, contractAddress: code });
  await anvil.send({ to: zeroAddress, data: '0x', authorizationList: [authorization] });
  const abi = parseAbi(['function addSessionKey(address key)']);
  const data = encodeFunctionData({ abi, functionName: 'addSessionKey', args: [sessionKey.address] });
  // The account itself sends it, without its key.
  await client.impersonateAccount({ address: account.address });
  await client.setBalance({ address: account.address, value: 10n ** 18n });
  const hash = await client.request({
    method: 'eth_sendTransaction',
    params: [{ from: account.address, to: account.address, data }],
  } as never);
  await client.waitForTransactionReceipt({ hash: hash as Hex });
  return { address: account.address, signHash: (digest) => sessionKey.sign({ hash: digest }) };
}
