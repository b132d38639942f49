import type { Eip1193Provider } from '@badge/sdk';

/** A wallet that is installed in this browser. */
export interface InstalledWallet {
  /**
   * Such as `io.metamask/MetaMask`; `injected` if the wallet has not announced itself. It is the same at the
   * next visit.
   */
  walletId: string;
  /** Null if the wallet has not announced itself. */
  name: string | null;
  /** A `data:` URL. Null if the wallet has announced none. */
  iconUrl: string | null;
  provider: WalletProvider;
}

/** The provider of a wallet (EIP-1193), with its events. */
export interface WalletProvider extends Eip1193Provider {
  on?(event: string, listener: (value: never) => void): unknown;
  removeListener?(event: string, listener: (value: never) => void): unknown;
}

/** The wallets that have been found so far. */
export interface WalletDiscovery {
  list(): readonly InstalledWallet[];
  /** Null if no wallet with this id has been found yet. */
  find(walletId: string | null): InstalledWallet | null;
  /** Calls `listener` when a wallet is found. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
}

interface Announcement {
  info?: { uuid?: unknown; name?: unknown; icon?: unknown; rdns?: unknown };
  provider?: unknown;
}

/** Where wallets announce themselves: the window of a page. */
export type WalletWindow = EventTarget & { ethereum?: unknown };

/**
 * Finds the wallets of this browser (EIP-6963). `window.ethereum` is used only if no wallet announces itself,
 * because it can belong to any of several installed wallets.
 */
export function discoverWallets(page: WalletWindow): WalletDiscovery {
  const announced = new Map<string, InstalledWallet>();
  const listeners = new Set<() => void>();
  let wallets: readonly InstalledWallet[] = listWallets();

  page.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = parseAnnouncement((event as CustomEvent<Announcement>).detail);
    // Wallets announce themselves again at each request of the page.
    if (wallet === null || announced.has(wallet.walletId)) return;
    announced.set(wallet.walletId, wallet);
    update();
  });
  // Wallets on phones may set `window.ethereum` after the page has loaded.
  page.addEventListener('ethereum#initialized', update);
  page.dispatchEvent(new Event('eip6963:requestProvider'));

  return {
    list: () => wallets,
    find: (walletId) => wallets.find((wallet) => wallet.walletId === walletId) ?? null,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  function update(): void {
    wallets = listWallets();
    for (const listener of listeners) listener();
  }

  function listWallets(): InstalledWallet[] {
    if (announced.size > 0) return [...announced.values()];
    const provider = page.ethereum;
    return isProvider(provider) ? [{ walletId: 'injected', name: null, iconUrl: null, provider }] : [];
  }
}

function parseAnnouncement(announcement: Announcement | null | undefined): InstalledWallet | null {
  const { info, provider } = announcement ?? {};
  if (!isProvider(provider) || typeof info?.name !== 'string') return null;
  const walletId = `${info.rdns}/${info.name}`;
  const { icon } = info;
  // An icon at another origin would let that origin see who visits this page.
  const iconUrl = typeof icon === 'string' && icon.startsWith('data:image/') ? icon : null;
  return { walletId, name: info.name, iconUrl, provider };
}

function isProvider(value: unknown): value is WalletProvider {
  return typeof (value as Partial<WalletProvider> | undefined)?.request === 'function';
}
