import { expect, test } from 'vitest';
import { listWalletAppLinks } from './wallet-app-links.ts';

const PAGE = 'https://badge.example/claim/7';

test('the links open the page in wallet apps', () => {
  expect(listWalletAppLinks(PAGE)).toEqual([
    { name: 'MetaMask', url: 'https://metamask.app.link/dapp/badge.example/claim/7' },
    {
      name: 'Coinbase Wallet',
      url: 'https://go.cb-w.com/dapp?cb_url=https%3A%2F%2Fbadge.example%2Fclaim%2F7',
    },
    {
      name: 'Trust Wallet',
      url: 'https://link.trustwallet.com/open_url?coin_id=60&url=https%3A%2F%2Fbadge.example%2Fclaim%2F7',
    },
  ]);
});

test('the links keep the code of the page, and send it to no server', () => {
  const code = '0123456789ABCDEFGHJKMNPQRS';
  for (const { url } of listWalletAppLinks(`${PAGE}#${code}`)) {
    expect(decodeURIComponent(url)).toContain(`badge.example/claim/7#${code}`);
    const { protocol, hash } = new URL(url);
    // Browsers send an https URL without its fragment, and do not send the URLs of other schemes.
    const sentUrl = protocol === 'https:' ? decodeURIComponent(url.replace(hash, '')) : '';
    expect(sentUrl).not.toContain(code);
  }
});
