/** A link that opens a page in the browser of a wallet app. */
export interface WalletAppLink {
  name: string;
  url: string;
}

/**
 * Returns links that open `page` in wallet apps, with its fragment.
 *
 * A code in the fragment must not reach a server:
 * - MetaMask's link has the fragment of the page as its own fragment, which browsers do not send.
 * - The web links of the others contain the page as a parameter, which browsers send. So with a code, these
 *   links use the scheme of the app instead, which opens the app without a server.
 */
export function listWalletAppLinks(page: string): WalletAppLink[] {
  const { host, pathname, search, hash } = new URL(page);
  const encoded = encodeURIComponent(page);
  const hasCode = hash !== '';
  // In the link of Trust Wallet, 60 is Ethereum.
  return [
    { name: 'MetaMask', url: `https://metamask.app.link/dapp/${host}${pathname}${search}${hash}` },
    {
      name: 'Coinbase Wallet',
      url: hasCode ? `cbwallet://dapp?url=${encoded}` : `https://go.cb-w.com/dapp?cb_url=${encoded}`,
    },
    {
      name: 'Trust Wallet',
      url: `${hasCode ? 'trust://' : 'https://link.trustwallet.com/'}open_url?coin_id=60&url=${encoded}`,
    },
  ];
}
