import { randomUUID } from 'node:crypto';
import { newWallet, type Wallet } from '@badge/test-support/signing';
import { personalSign, SignTypedDataVersion, signTypedData } from '@metamask/eth-sig-util';
import type { BrowserContext, Page } from 'playwright-core';
import { addWalletToPage, type WalletCall, type WalletReply } from './wallet-in-page.ts';

const MAINNET = 1;
const POLYGON = 137;

export interface TestWalletOptions {
  /** The name that the wallet announces. */
  name?: string;
  /** The accounts, of which the first is selected. By default one random account. */
  accounts?: Wallet[];
  /** The active chain. By default Ethereum. */
  chainId?: number;
  /** The chains that the user has added. By default the active one, Ethereum and Polygon. */
  knownChainIds?: number[];
  /**
   * RPC URLs on other hosts. If a page adds a chain with one of them, the wallet acts as if a node of this
   * chain had responded. By default none. The wallet sends requests only to local URLs.
   */
  respondingRpcUrls?: string[];
  /**
   * Whether a switch to a chain that the wallet does not know does nothing. Some wallets do so, but MetaMask
   * refuses it.
   */
  isSilent?: boolean;
  /** Whether the user has already allowed the page to see the accounts. By default not. */
  isConnected?: boolean;
  isLocked?: boolean;
  /**
   * Whether the wallet announces itself (EIP-6963). By default it does. Without this, pages find only
   * `window.ethereum`.
   */
  isAnnounced?: boolean;
}

/**
 * A wallet that behaves towards a page as MetaMask does (EIP-1193, EIP-6963). It signs with MetaMask's own
 * library, and refuses with MetaMask's codes and messages. The user approves every request at once, unless a
 * test says otherwise.
 */
export interface TestWallet {
  accounts: Wallet[];
  /** The methods that pages have called so far. */
  methods: string[];
  readonly chainId: number;
  /** The user rejects the next request with this method. */
  rejectNext(method: string): void;
  /** The user takes their time for the next request with this method. */
  holdNext(method: string): HeldRequest;
  /** The user selects another account. If the page is connected, it sees this account. */
  selectAccount(account: Wallet): Promise<void>;
  /** The user switches to another chain. */
  switchChain(chainId: number): Promise<void>;
  lock(): Promise<void>;
  unlock(): Promise<void>;
  /** The user disconnects the page. */
  disconnect(): Promise<void>;
  /** Adds the wallet to all pages that this context opens from now on. */
  addTo(context: BrowserContext): Promise<void>;
}

export interface HeldRequest {
  /** Resolves when a page has sent the request. */
  sent: Promise<void>;
  approve(): void;
  reject(): void;
}

type UserChoice = 'approve' | 'reject';

let createdWallets = 0;

export function createTestWallet(options: TestWalletOptions = {}): TestWallet {
  createdWallets += 1;
  const bindingName = `testWallet${createdWallets}`;
  const { name = 'Test Wallet', accounts = [newWallet()], respondingRpcUrls = [] } = options;
  let { chainId = MAINNET, isConnected = false, isLocked = false } = options;
  const knownChainIds = new Set([chainId, ...(options.knownChainIds ?? [MAINNET, POLYGON])]);
  let selected = accounts[0];
  const methods: string[] = [];
  const rejected: string[] = [];
  const held: { method: string; onSent: () => void; choice: Promise<UserChoice> }[] = [];
  let unlocked = Promise.withResolvers<void>();
  let isConnecting = false;
  const contexts: BrowserContext[] = [];

  function visibleAccounts(): string[] {
    if (!isConnected || isLocked) return [];
    const others = accounts.filter((account) => account !== selected);
    return [selected, ...others].flatMap((account) => account?.address.toLowerCase() ?? []);
  }

  async function emit(event: string, value: unknown): Promise<void> {
    const pages = contexts.flatMap((context) => context.pages());
    const type = `${bindingName}:${event}`;
    await Promise.all(
      pages.map((page) =>
        page.evaluate(
          (change) => {
            window.dispatchEvent(new CustomEvent(change.type, { detail: change.value }));
          },
          { type, value },
        ),
      ),
    );
  }

  /** The user approves at once, unless the test has called `rejectNext` or `holdNext` for this method. */
  async function askUser(method: string, rejection = 'User rejected the request.'): Promise<void> {
    const heldRequest = takeFirst(held, (request) => request.method === method);
    const isRejected = takeFirst(rejected, (rejectedMethod) => rejectedMethod === method) !== undefined;
    heldRequest?.onSent();
    const choice = isRejected ? 'reject' : ((await heldRequest?.choice) ?? 'approve');
    if (choice === 'reject') throw new WalletError(4001, rejection);
  }

  async function connect(): Promise<string[]> {
    if (visibleAccounts().length > 0) return visibleAccounts();
    if (isConnecting) {
      throw new WalletError(
        -32002,
        "Request of type 'wallet_requestPermissions' already pending for this origin. Please wait.",
      );
    }
    isConnecting = true;
    try {
      if (isLocked) await unlocked.promise;
      if (!isConnected) await askUser('eth_requestAccounts');
      isConnected = true;
    } finally {
      isConnecting = false;
    }
    await emit('accountsChanged', visibleAccounts());
    return visibleAccounts();
  }

  async function sign([address = '', json]: [string, string | object]): Promise<string> {
    const account = accounts.find((one) => one.address.toLowerCase() === address.toLowerCase());
    if (account === undefined || !visibleAccounts().includes(address.toLowerCase())) {
      throw new WalletError(4100, 'The requested account and/or method has not been authorized by the user.');
    }
    const data = typeof json === 'string' ? JSON.parse(json) : json;
    const { chainId: signedChainId } = data.domain;
    if (signedChainId !== undefined && Number(signedChainId) !== chainId) {
      throw new WalletError(
        -32603,
        `Provided chainId "${signedChainId}" must match the active chainId "${chainId}"`,
      );
    }
    await askUser('eth_signTypedData_v4', 'MetaMask Typed Message Signature: User denied message signature.');
    const privateKey = Buffer.from(account.privateKey.slice(2), 'hex');
    return signTypedData({ privateKey, data, version: SignTypedDataVersion.V4 });
  }

  async function signText([data = '', address = '']: [string, string]): Promise<string> {
    const account = accounts.find((one) => one.address.toLowerCase() === address.toLowerCase());
    if (account === undefined || !visibleAccounts().includes(address.toLowerCase())) {
      throw new WalletError(4100, 'The requested account and/or method has not been authorized by the user.');
    }
    await askUser('personal_sign', 'MetaMask Personal Message Signature: User denied message signature.');
    return personalSign({ privateKey: Buffer.from(account.privateKey.slice(2), 'hex'), data });
  }

  async function switchToKnownChain(requestedId: number): Promise<null> {
    if (requestedId === chainId) return null;
    if (!knownChainIds.has(requestedId)) {
      if (options.isSilent === true) return null;
      throw new WalletError(
        4902,
        `Unrecognized chain ID "0x${requestedId.toString(16)}". Try adding the chain using wallet_addEthereumChain first.`,
      );
    }
    await askUser('wallet_switchEthereumChain');
    chainId = requestedId;
    await emit('chainChanged', `0x${chainId.toString(16)}`);
    return null;
  }

  async function addChain(chain: AddedChain): Promise<null> {
    const addedId = readChainId(chain.chainId);
    const { rpcUrls = [], nativeCurrency } = chain;
    const rpcUrl = rpcUrls.find((url) => /^https:|^http:\/\/(localhost|127\.0\.0\.1)\b/.test(url));
    if (rpcUrl === undefined) {
      throw new WalletError(
        -32602,
        `Expected an array with at least one valid string HTTPS url 'rpcUrls', Received:\n${rpcUrls}`,
      );
    }
    if (typeof chain.chainName !== 'string' || chain.chainName === '') {
      throw new WalletError(-32602, `Expected non-empty string 'chainName'. Received:\n${chain.chainName}`);
    }
    const { symbol = '', decimals } = nativeCurrency ?? {};
    if (decimals !== 18) {
      throw new WalletError(
        -32602,
        `Expected the number 18 for 'nativeCurrency.decimals' when 'nativeCurrency' is provided. Received: ${decimals}`,
      );
    }
    if (symbol.length < 1 || symbol.length > 6) {
      throw new WalletError(
        -32602,
        `Expected 1-6 character string 'nativeCurrency.symbol'. Received:\n${symbol}`,
      );
    }
    if (!knownChainIds.has(addedId)) {
      const nodeChainId = respondingRpcUrls.includes(rpcUrl) ? addedId : await findChainIdOfNode(rpcUrl);
      if (nodeChainId === null) {
        throw new WalletError(-32603, `Request for method 'eth_chainId on ${rpcUrl} failed`);
      }
      if (nodeChainId !== addedId) {
        throw new WalletError(
          -32602,
          `Chain ID returned by RPC URL ${rpcUrl} does not match ${chain.chainId}`,
        );
      }
      await askUser('wallet_addEthereumChain');
      knownChainIds.add(addedId);
    }
    return await switchToKnownChain(addedId);
  }

  async function respond({ method, params = [] }: WalletCall): Promise<unknown> {
    methods.push(method);
    switch (method) {
      case 'eth_accounts':
        return visibleAccounts();
      case 'eth_requestAccounts':
        return await connect();
      case 'eth_chainId':
        return `0x${chainId.toString(16)}`;
      case 'net_version':
        return String(chainId);
      case 'wallet_requestPermissions':
        await askUser(method);
        isConnected = true;
        await emit('accountsChanged', visibleAccounts());
        return [{ parentCapability: 'eth_accounts' }];
      case 'wallet_getPermissions':
        return isConnected ? [{ parentCapability: 'eth_accounts' }] : [];
      case 'wallet_revokePermissions':
        isConnected = false;
        await emit('accountsChanged', []);
        return null;
      case 'wallet_switchEthereumChain':
        return await switchToKnownChain(readChainId((params[0] as { chainId?: unknown })?.chainId));
      case 'wallet_addEthereumChain':
        return await addChain(params[0] as AddedChain);
      case 'eth_signTypedData_v4':
        return await sign(params as [string, string]);
      case 'personal_sign':
        return await signText(params as [string, string]);
      default:
        throw new WalletError(-32601, `The method "${method}" does not exist / is not available.`);
    }
  }

  return {
    accounts,
    methods,
    get chainId() {
      return chainId;
    },
    rejectNext: (method) => void rejected.push(method),
    holdNext: (method) => {
      const sent = Promise.withResolvers<void>();
      const choice = Promise.withResolvers<UserChoice>();
      held.push({ method, onSent: sent.resolve, choice: choice.promise });
      return {
        sent: sent.promise,
        approve: () => choice.resolve('approve'),
        reject: () => choice.resolve('reject'),
      };
    },
    selectAccount: async (account) => {
      selected = account;
      await emit('accountsChanged', visibleAccounts());
    },
    switchChain: async (newChainId) => {
      chainId = newChainId;
      knownChainIds.add(chainId);
      await emit('chainChanged', `0x${chainId.toString(16)}`);
    },
    lock: async () => {
      isLocked = true;
      unlocked = Promise.withResolvers();
      await emit('accountsChanged', []);
    },
    unlock: async () => {
      isLocked = false;
      unlocked.resolve();
      await emit('accountsChanged', visibleAccounts());
    },
    disconnect: async () => {
      isConnected = false;
      await emit('accountsChanged', []);
    },
    addTo: async (context) => {
      contexts.push(context);
      await context.exposeBinding(bindingName, async (_source, call: WalletCall): Promise<WalletReply> => {
        try {
          return { result: await respond(call) };
        } catch (error) {
          const { code = -32603, message } = error as Partial<WalletError>;
          return { error: { code, message: message ?? String(error) } };
        }
      });
      const { isAnnounced = true } = options;
      await context.addInitScript(addWalletToPage, { bindingName, uuid: randomUUID(), name, isAnnounced });
    },
  };
}

/**
 * Asks a node on this machine for its chain. Returns null if the node responds with an error. Also returns
 * null for a node on another machine, because tests use no network.
 */
async function findChainIdOfNode(rpcUrl: string): Promise<number | null> {
  if (!['localhost', '127.0.0.1'].includes(new URL(rpcUrl).hostname)) return null;
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  });
  return response.ok ? Number((await response.json()).result) : null;
}

/** Removes the first item for which `isWanted` returns true, and returns it. */
function takeFirst<Item>(items: Item[], isWanted: (item: Item) => boolean): Item | undefined {
  const index = items.findIndex(isWanted);
  return index === -1 ? undefined : items.splice(index, 1)[0];
}

interface AddedChain {
  chainId?: unknown;
  chainName?: unknown;
  rpcUrls?: string[];
  nativeCurrency?: { symbol?: string; decimals?: number };
}

class WalletError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function readChainId(value: unknown): number {
  if (typeof value !== 'string' || !/^0x[1-9a-f][0-9a-f]*$/i.test(value)) {
    throw new WalletError(
      -32602,
      `Expected 0x-prefixed, unpadded, non-zero hexadecimal string 'chainId'. Received:\n${value}`,
    );
  }
  return Number(value);
}

/** Makes the wallet of the page return `result` to all further calls of a method. */
export async function replaceReply(page: Page, method: string, result: unknown): Promise<void> {
  await page.evaluate(
    (reply) => {
      type Request = (call: { method: string }) => Promise<unknown>;
      const { ethereum } = window as unknown as { ethereum: { request: Request } };
      const request = ethereum.request.bind(ethereum);
      ethereum.request = async (call) => (call.method === reply.method ? reply.result : await request(call));
    },
    { method, result },
  );
}
