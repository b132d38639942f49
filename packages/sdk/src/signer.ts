import { EIP712_DOMAIN_NAME, EIP712_TYPES, type Eip712Domain, isContractCode } from '@badge/protocol';
import { BadgeSignerError } from './errors.ts';
import type { AddressAndSignature, Signer } from './types.ts';

export interface TypedData {
  domain: Eip712Domain;
  primaryType: keyof typeof EIP712_TYPES;
  message: object;
  /** The chains whose contract wallets the service can ask. */
  walletChainIds: readonly number[];
}

interface Wallet {
  addresses: readonly string[];
  /** The chain that the wallet compares the domain with; null if it signs for every chain. */
  chainId: number | null;
  /** Asks the wallet for the code of an account; undefined if the wallet does not say it. */
  getCode?(address: string): Promise<unknown>;
  sign(address: string, typedData: SignedData): Promise<string>;
}

type SignedData = Omit<TypedData, 'walletChainIds'>;

/**
 * Signs typed data. If a field has a wrong type, or if the wallet has no account, has another account or is
 * on another chain, throws before it asks the wallet to sign.
 */
export async function signTypedData(
  signer: Signer,
  { domain, primaryType, message, walletChainIds }: TypedData,
  expectedAddress?: string,
): Promise<AddressAndSignature> {
  checkFields(primaryType, message);
  const wallet = await openWallet(signer);
  const [first] = wallet.addresses;
  if (first === undefined)
    throw new BadgeSignerError('NoAccount', 'The wallet gives no account: connect it to this site first.');
  const isExpected = (address: string) => address.toLowerCase() === expectedAddress?.toLowerCase();
  const address = expectedAddress === undefined ? first : wallet.addresses.find(isExpected);
  if (address === undefined)
    throw new BadgeSignerError(
      'WrongAccount',
      `The signature of ${expectedAddress} is needed, but the wallet signs as ${wallet.addresses.join(', ')}. Switch the account in the wallet, or pass the signer of ${expectedAddress}.`,
    );
  const { chainId, verifyingContract } = domain;
  if (
    wallet.chainId !== null &&
    wallet.chainId !== chainId &&
    !(await isContract(wallet, address, walletChainIds))
  )
    throw new BadgeSignerError(
      'WrongChain',
      `The wallet is on chain ${wallet.chainId}, but the service needs signatures for chain ${chainId}. Switch the wallet with {method: 'wallet_switchEthereumChain', params: [{chainId: '0x${chainId.toString(16)}'}]}.`,
    );
  // Only these three fields, whatever the service returns.
  const signedDomain = { name: EIP712_DOMAIN_NAME, chainId, verifyingContract } as const;
  const signature = await wallet.sign(address, { domain: signedDomain, primaryType, message });
  return { address, signature } as AddressAndSignature;
}

// A contract wallet stays on its chain. The service asks it there, whatever the chain of the domain.
async function isContract(
  { chainId, getCode }: Wallet,
  address: string,
  walletChainIds: readonly number[],
): Promise<boolean> {
  if (chainId === null || !walletChainIds.includes(chainId)) return false;
  const code = await getCode?.(address).catch(() => undefined);
  // The wallet of a key's account compares the chains, also if its code is delegated.
  return isContractCode(code);
}

type FieldType = (typeof EIP712_TYPES)[keyof typeof EIP712_TYPES][number]['type'];

const FIELD_TYPES: Record<FieldType, { name: string; isValid(value: unknown): boolean }> = {
  string: { name: 'a string', isValid: (value) => typeof value === 'string' },
  'string[]': { name: 'an array', isValid: Array.isArray },
  bool: { name: 'true or false', isValid: (value) => typeof value === 'boolean' },
  int256: { name: 'an integer', isValid: (value) => Number.isInteger(Number(value)) },
  uint256: { name: 'an integer', isValid: (value) => Number.isInteger(Number(value)) },
};

// Signers throw errors that do not name the field, such as "Cannot read properties of undefined".
function checkFields(primaryType: TypedData['primaryType'], message: object): void {
  const values = message as Record<string, unknown>;
  for (const { name, type } of EIP712_TYPES[primaryType]) {
    if (FIELD_TYPES[type].isValid(values[name])) continue;
    const fieldName = name === 'communityUniqId' ? 'communityId' : name;
    throw new TypeError(`\`${fieldName}\` must be ${FIELD_TYPES[type].name}, but is ${values[name]}.`);
  }
}

// The members of all four kinds of signers. Each kind has only some of them.
interface AnySigner {
  address?: string;
  account?: { address: string; signTypedData?: unknown } | undefined;
  provider?: { send?(method: string, params: unknown[]): Promise<unknown> } | null;
  request?(request: { method: string; params?: unknown[] }): Promise<unknown>;
  getAddress?(): Promise<string>;
  getAddresses?(): Promise<readonly string[]>;
  requestAddresses?(): Promise<readonly string[]>;
  signTypedData?(...args: unknown[]): Promise<string>;
  sendUncheckedTransaction?: unknown;
}

async function openWallet(given: Signer): Promise<Wallet> {
  const signer = (given ?? {}) as AnySigner;
  if (typeof signer.signTypedData === 'function') {
    if (typeof signer.getAddress === 'function') return await openEthersSigner(signer);
    if (typeof signer.request === 'function') return await openWalletClient(signer);
    if (typeof signer.address === 'string') return openAccount(signer, signer.address);
  } else if (typeof signer.request === 'function') return await openProvider(signer);
  throw new BadgeSignerError(
    'UnsupportedSigner',
    'Pass a viem account or wallet client, an ethers 6 signer (with a BrowserProvider: await provider.getSigner()), or an EIP-1193 provider as `signer`.',
  );
}

function openAccount(account: AnySigner, address: string): Wallet {
  return { addresses: [address], chainId: null, sign: (_, typedData) => signWithViem(account, typedData) };
}

async function openWalletClient(client: AnySigner): Promise<Wallet> {
  const { account } = client;
  // This account signs with its own key, for every chain.
  if (typeof account?.signTypedData === 'function') {
    return {
      addresses: [account.address],
      chainId: null,
      sign: (_, typedData) => signWithViem(client, typedData),
    };
  }
  const connected = account === undefined ? await client.getAddresses?.() : [account.address];
  return {
    addresses: connected?.length ? connected : ((await client.requestAddresses?.()) ?? []),
    chainId: Number(await client.request?.({ method: 'eth_chainId' })),
    getCode: async (address) =>
      await client.request?.({ method: 'eth_getCode', params: [address, 'latest'] }),
    sign: (address, typedData) => signWithViem(client, { ...typedData, account: account ?? address }),
  };
}

async function signWithViem(
  signer: AnySigner,
  typedData: SignedData & { account?: unknown },
): Promise<string> {
  const { primaryType } = typedData;
  const types = { [primaryType]: EIP712_TYPES[primaryType] };
  return (await signer.signTypedData?.({ ...typedData, types })) ?? '';
}

async function openEthersSigner(signer: AnySigner): Promise<Wallet> {
  // JsonRpcSigner passes typed data to a wallet. It is the only signer of ethers that has
  // `sendUncheckedTransaction`.
  const isInWallet = signer.sendUncheckedTransaction !== undefined;
  return {
    addresses: [(await signer.getAddress?.()) ?? ''],
    chainId: isInWallet ? Number(await signer.provider?.send?.('eth_chainId', [])) : null,
    getCode: async (address) => await signer.provider?.send?.('eth_getCode', [address, 'latest']),
    sign: async (_, { domain, primaryType, message }) =>
      (await signer.signTypedData?.(domain, { [primaryType]: EIP712_TYPES[primaryType] }, message)) ?? '',
  };
}

async function openProvider(provider: AnySigner): Promise<Wallet> {
  const request = (method: string, params: unknown[] = []) => provider.request?.({ method, params });
  const connected = (await request('eth_accounts')) as string[];
  return {
    addresses: connected.length > 0 ? connected : ((await request('eth_requestAccounts')) as string[]),
    chainId: Number(await request('eth_chainId')),
    getCode: async (address) => await request('eth_getCode', [address, 'latest']),
    async sign(address, { domain, primaryType, message }) {
      const types = { EIP712Domain: DOMAIN_FIELDS, [primaryType]: EIP712_TYPES[primaryType] };
      const typedData = JSON.stringify({ types, domain, primaryType, message });
      return (await request('eth_signTypedData_v4', [address, typedData])) as string;
    },
  };
}

const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];
