/** A link that opens a page in the browser of a wallet app. */
export interface WalletAppLink {
  name: string;
  url: string;
}

/**
 * Returns links that open `page` in wallet apps, with its fragment.
 *
 * A code in the fragment must not reach a server. Browsers do not send the fragment of a link, so MetaMask's link
 * contains it as it is. The web links of the others contain the page as a parameter, which their servers would see:
 * with a code, the link uses the scheme of the app, which no server sees.
 */
export function listWalletAppLinks(page: string): WalletAppLink[] {
  const { host, pathname, search, hash } = new URL(page);
  const encoded = encodeURIComponent(page);
  const hasCode = hash !== '';
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
