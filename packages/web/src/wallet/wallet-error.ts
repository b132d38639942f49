import { BadgeSignerError } from '@badge/sdk';

/**
 * What can go wrong between a page and a wallet:
 * - `Declined`: the person said no in the wallet
 * - `AlreadyAsking`: the wallet still shows an earlier request
 * - `NoAccount`: the wallet is locked, or gives this page no account
 * - `WrongAccount`: the wallet has switched to another account
 * - `WrongChain`: the wallet is on another chain than the service
 * - `UnknownChain`: the wallet does not know the chain of the service
 * - `ContractWallet`: the account is a smart contract that the service cannot ask about a signature
 * - `Unsupported`: the wallet does not support a call, such as the one that signs typed data
 * - `Disconnected`: the wallet does not respond to this page any more
 * - `Failed`: anything else
 */
export type WalletErrorName =
  | 'Declined'
  | 'AlreadyAsking'
  | 'NoAccount'
  | 'WrongAccount'
  | 'WrongChain'
  | 'UnknownChain'
  | 'ContractWallet'
  | 'Unsupported'
  | 'Disconnected'
  | 'Failed';

/**
 * An error of a wallet. The message is that of the wallet, in its language, or that of the SDK. It can be
 * empty.
 */
export class WalletError extends Error {
  override readonly name: WalletErrorName;

  constructor(name: WalletErrorName, message = '', cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = name;
  }
}

const NAMES_BY_CODE: Record<string, WalletErrorName> = {
  // EIP-1193; 4902 is a code of `wallet_switchEthereumChain` (EIP-3326).
  '4001': 'Declined',
  '4100': 'NoAccount',
  '4200': 'Unsupported',
  '4900': 'Disconnected',
  '4901': 'Disconnected',
  '4902': 'UnknownChain',
  // WalletConnect.
  '5000': 'Declined',
  // JSON-RPC and EIP-1474.
  '-32002': 'AlreadyAsking',
  '-32004': 'Unsupported',
  '-32601': 'Unsupported',
  // Some wallets pass on the name that ethers gives to 4001.
  ACTION_REJECTED: 'Declined',
};

/**
 * Converts an error to a `WalletError`. The error comes from the wallet, or from the SDK while it uses the
 * wallet.
 */
export function toWalletError(error: unknown): WalletError {
  if (error instanceof WalletError) return error;
  const message = error instanceof Error ? error.message : String((error as WalletProblem)?.message ?? '');
  if (error instanceof BadgeSignerError) {
    const name = error.name === 'UnsupportedSigner' ? 'Unsupported' : error.name;
    return new WalletError(name, message, error);
  }
  return new WalletError(findName(error, message), message, error);
}

interface WalletProblem {
  code?: unknown;
  message?: unknown;
  data?: { originalError?: unknown };
}

function findName(error: unknown, message: string): WalletErrorName {
  const problem = (error ?? {}) as WalletProblem;
  // MetaMask on phones puts the real code into `data.originalError`, under the code of an internal error.
  const inner = problem.data?.originalError as WalletProblem | undefined;
  const name = NAMES_BY_CODE[String(inner?.code)] ?? NAMES_BY_CODE[String(problem.code)];
  if (name !== undefined) return name;
  // Wallets report a wrong chain with codes that they also use for other errors, so the message decides.
  if (/chain ?id/i.test(message)) return 'WrongChain';
  if (/(user|request).*(rejected|denied|declined|cancel)/i.test(message)) return 'Declined';
  return 'Failed';
}
