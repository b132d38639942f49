import { isContractCode } from '@badge/protocol/contract-code';
import type { BadgeClient, Environment, Hex } from '@badge/sdk';
import { findAddChainParameter, toHexChainId } from './chains.ts';
import type { WalletProvider } from './discover-wallets.ts';
import { toWalletError, WalletError, type WalletErrorName } from './wallet-error.ts';

/** The timeout of a call for which the wallet shows no dialog. */
const SILENT_CALL_TIMEOUT_MS = 5_000;
/** How long a wallet that has agreed to switch its chain may take for it. */
const LATE_SWITCH_MS = 1_000;

/**
 * Asks the wallet for its accounts, the active one first. The wallet may show a dialog. Throws a
 * `WalletError`.
 */
export async function connectWallet(provider: WalletProvider): Promise<string[]> {
  const accounts = await listAccounts(provider, 'eth_requestAccounts');
  if (accounts.length === 0) throw new WalletError('NoAccount');
  return accounts;
}

/**
 * Returns the accounts that the wallet has given to this page before, without a dialog. Empty if there are
 * none, or if the wallet fails.
 */
export async function listConnectedAccounts(provider: WalletProvider): Promise<string[]> {
  return await withTimeout(SILENT_CALL_TIMEOUT_MS, listAccounts(provider, 'eth_accounts')).catch(() => []);
}

/** Lets the person choose other accounts for this page, and returns them. Throws a `WalletError`. */
export async function chooseAccounts(provider: WalletProvider): Promise<string[]> {
  await call(provider, 'wallet_requestPermissions', [{ eth_accounts: {} }]).catch((error: WalletError) => {
    // A person whose wallet does not support this call can switch the account in the wallet itself.
    if (error.name !== 'Unsupported') throw error;
  });
  return await connectWallet(provider);
}

/** Returns the chain that the wallet is on, without a dialog. Null if the wallet does not return it. */
export async function findActiveChain(provider: WalletProvider): Promise<number | null> {
  const chainId = Number(
    await withTimeout(SILENT_CALL_TIMEOUT_MS, call(provider, 'eth_chainId')).catch(() => 0),
  );
  return Number.isSafeInteger(chainId) && chainId > 0 ? chainId : null;
}

/**
 * Asks the wallet to switch to a chain. Asks it to add the chain if the wallet does not know it, or stays on
 * its chain although it says that it has switched. Throws a `WalletError`: `UnknownChain` if the wallet
 * cannot add the chain, or if this page knows no node of the chain; `WrongChain` if the wallet stays on
 * another one.
 */
export async function switchChain(provider: WalletProvider, chainId: number): Promise<void> {
  const switchParameters = [{ chainId: toHexChainId(chainId) }];
  let isSwitched = true;
  try {
    await call(provider, 'wallet_switchEthereumChain', switchParameters);
  } catch (error) {
    if (!mayMeanUnknownChain(error)) throw error;
    isSwitched = false;
  }
  if (isSwitched && (await reachesChain(provider, chainId))) return;
  // A wallet that stays where it is may know the chain, as every wallet knows Ethereum.
  if (isSwitched && findAddChainParameter(chainId) === null) throw new WalletError('WrongChain');
  await addChain(provider, chainId);
  // Some wallets add a chain without switching to it.
  await call(provider, 'wallet_switchEthereumChain', switchParameters);
  if (!(await reachesChain(provider, chainId))) throw new WalletError('WrongChain');
}

/** Whether the wallet is on this chain now, or in a moment. True if the wallet does not return its chain. */
async function reachesChain(provider: WalletProvider, chainId: number): Promise<boolean> {
  const isOnOther = async () => ![chainId, null].includes(await findActiveChain(provider));
  const changed = Promise.withResolvers<void>();
  const stop = watchWallet(provider, (change) => {
    if ('chainId' in change) changed.resolve();
  });
  try {
    if (!(await isOnOther())) return true;
    if (provider.on === undefined) return false;
    await withTimeout(LATE_SWITCH_MS, changed.promise).catch(() => undefined);
    return !(await isOnOther());
  } finally {
    stop();
  }
}

async function addChain(provider: WalletProvider, chainId: number): Promise<void> {
  const parameter = findAddChainParameter(chainId);
  if (parameter === null) throw new WalletError('UnknownChain');
  await call(provider, 'wallet_addEthereumChain', [parameter]).catch((error: WalletError) => {
    throw mayMeanUnknownChain(error) ? new WalletError('UnknownChain', error.message, error) : error;
  });
}

/**
 * Whether an error may mean that the wallet does not know the chain, or that the chain's node does not
 * respond to the wallet. Wallets report this with different codes. So the result is true for every error that
 * does not name another cause.
 */
function mayMeanUnknownChain(error: unknown): boolean {
  const otherCauses: WalletErrorName[] = ['Declined', 'AlreadyAsking', 'NoAccount', 'Disconnected'];
  return !otherCauses.includes(toWalletError(error).name);
}

/**
 * Signs the message `Claim` for a token with this account of the wallet. Throws a `WalletError` if the wallet
 * fails. Throws the error of the service if the signing domain cannot be read.
 */
export async function signClaim(
  client: BadgeClient,
  provider: WalletProvider,
  { tokenId, address }: { tokenId: number; address: string },
): Promise<Hex> {
  // `signTokenId` needs the signing domain. It is read here first, and the client caches it. So an error of
  // the service does not become a `WalletError` below.
  const environment = await client.getEnvironment();
  if (!mayContractsSign(environment) && (await isContract(provider, address))) {
    throw new WalletError('ContractWallet');
  }
  const { signature } = await client
    .signTokenId({ primaryType: 'Claim', tokenId, signer: provider, address })
    .catch((error) => {
      throw toWalletError(error);
    });
  checkSignatureLength(signature, environment);
  return signature;
}

/** Whether the service can ask contract wallets on any chain. */
export function mayContractsSign({ contractWalletChainIds = [] }: Environment): boolean {
  return contractWalletChainIds.length > 0;
}

/** Throws `ContractWallet` if a signature can only be that of a contract, and the service can ask none. */
export function checkSignatureLength(signature: string, environment: Environment): void {
  // The signature of a key has 65 bytes, or 64 in the compact form.
  const isOfKey = /^0x([0-9a-f]{128}|[0-9a-f]{130})$/i.test(signature);
  if (!isOfKey && !mayContractsSign(environment)) throw new WalletError('ContractWallet');
}

/**
 * Whether this account can sign on this chain: on the chain of the signing domain or, if it is a contract, on
 * another one on which the service can ask it.
 */
export async function canSignOnChain(
  provider: WalletProvider,
  { address, chainId }: { address: string; chainId: number | null },
  { eip712, contractWalletChainIds = [] }: Environment,
): Promise<boolean> {
  if (chainId === eip712.domain.chainId) return true;
  return (
    chainId !== null && contractWalletChainIds.includes(chainId) && (await isContract(provider, address))
  );
}

/**
 * Asks the wallet to switch to the chain of the signing domain, unless the account can sign where it is.
 * Throws a `WalletError`: `ContractWallet` if the account is a contract that the service cannot ask.
 */
export async function moveToSigningChain(
  provider: WalletProvider,
  address: string,
  environment: Environment,
): Promise<void> {
  const chainId = await findActiveChain(provider);
  if (await canSignOnChain(provider, { address, chainId }, environment)) return;
  // Before the switch, because the contract is on the chain of the wallet.
  if (!mayContractsSign(environment) && (await isContract(provider, address))) {
    throw new WalletError('ContractWallet');
  }
  await switchChain(provider, environment.eip712.domain.chainId);
}

/**
 * Signs a text with this account of the wallet (`personal_sign`). Throws a `WalletError` if the wallet fails.
 */
export async function signText(
  provider: WalletProvider,
  { text, address }: { text: string; address: string },
): Promise<Hex> {
  // As hex, because some wallets take a text that begins with `0x` for bytes.
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0'));
  return (await call(provider, 'personal_sign', [`0x${bytes.join('')}`, address])) as Hex;
}

/**
 * Calls `listener` when the person switches the account or the chain in the wallet. Returns a function that
 * ends this.
 */
export function watchWallet(
  provider: WalletProvider,
  listener: (change: { accounts: readonly string[] } | { chainId: number }) => void,
): () => void {
  const onAccounts = (accounts: unknown) => listener({ accounts: readTexts(accounts) });
  const onChain = (chainId: unknown) => listener({ chainId: Number(chainId) });
  provider.on?.('accountsChanged', onAccounts);
  provider.on?.('chainChanged', onChain);
  return () => {
    provider.removeListener?.('accountsChanged', onAccounts);
    provider.removeListener?.('chainChanged', onChain);
  };
}

/**
 * Whether an account is a smart contract on the wallet's chain. False if the wallet does not return the
 * account's code.
 */
export async function isContract(provider: WalletProvider, address: string): Promise<boolean> {
  const reading = call(provider, 'eth_getCode', [address, 'latest']);
  const code = await withTimeout(SILENT_CALL_TIMEOUT_MS, reading).catch(() => '0x');
  return isContractCode(code);
}

async function listAccounts(
  provider: WalletProvider,
  method: 'eth_accounts' | 'eth_requestAccounts',
): Promise<string[]> {
  return readTexts(await call(provider, method));
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

async function call(provider: WalletProvider, method: string, params: unknown[] = []): Promise<unknown> {
  try {
    return await provider.request({ method, params } as never);
  } catch (error) {
    throw toWalletError(error);
  }
}

async function withTimeout<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new WalletError('Disconnected')), timeoutMs);
  return await Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
