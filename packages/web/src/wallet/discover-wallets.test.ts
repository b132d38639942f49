import { expect, test, vi } from 'vitest';
import { discoverWallets, type WalletWindow } from './discover-wallets.ts';

const ICON = 'data:image/svg+xml,<svg/>';

test('finds the wallets that announce themselves, each once', () => {
  const page = createPage([
    makeAnnouncement('Fox', 'io.fox'),
    makeAnnouncement('Bear', 'io.bear'),
    makeAnnouncement('Fox', 'io.fox'),
  ]);
  expect(discoverWallets(page).list()).toMatchObject([
    { walletId: 'io.fox/Fox', name: 'Fox', iconUrl: ICON },
    { walletId: 'io.bear/Bear', name: 'Bear', iconUrl: ICON },
  ]);
});

test('finds a wallet by its id', () => {
  const wallets = discoverWallets(createPage([makeAnnouncement('Fox', 'io.fox')]));
  expect(wallets.find('io.fox/Fox')).toMatchObject({ name: 'Fox' });
  expect(wallets.find('io.bear/Bear')).toBeNull();
  expect(wallets.find(null)).toBeNull();
});

test('uses window.ethereum if no wallet announces itself', () => {
  const ethereum = { request: async () => null };
  expect(discoverWallets(createPage([], ethereum)).list()).toEqual([
    { walletId: 'injected', name: null, iconUrl: null, provider: ethereum },
  ]);
});

test('ignores window.ethereum if a wallet announces itself', () => {
  const page = createPage([makeAnnouncement('Fox', 'io.fox')], { request: async () => null });
  expect(discoverWallets(page).list()).toMatchObject([{ walletId: 'io.fox/Fox' }]);
});

test('calls its listeners when a wallet announces itself later', () => {
  const page = createPage([]);
  const wallets = discoverWallets(page);
  const listener = vi.fn();
  wallets.subscribe(listener);
  page.dispatchEvent(makeAnnouncement('Fox', 'io.fox'));
  expect(listener).toHaveBeenCalledTimes(1);
  expect(wallets.list()).toMatchObject([{ walletId: 'io.fox/Fox' }]);
});

test('calls its listeners when window.ethereum is set later', () => {
  const page = createPage([]);
  const wallets = discoverWallets(page);
  const listener = vi.fn();
  wallets.subscribe(listener);
  page.ethereum = { request: async () => null };
  page.dispatchEvent(new Event('ethereum#initialized'));
  expect(listener).toHaveBeenCalledTimes(1);
  expect(wallets.list()).toMatchObject([{ walletId: 'injected' }]);
});

test('does not call a listener after it has unsubscribed', () => {
  const page = createPage([]);
  const wallets = discoverWallets(page);
  const listener = vi.fn();
  wallets.subscribe(listener)();
  page.dispatchEvent(makeAnnouncement('Fox', 'io.fox'));
  expect(listener).not.toHaveBeenCalled();
  expect(wallets.list()).toHaveLength(1);
});

test('does not load an icon from another origin', () => {
  const page = createPage([makeAnnouncement('Fox', 'io.fox', 'https://fox.example/icon.png')]);
  expect(discoverWallets(page).list()).toMatchObject([{ name: 'Fox', iconUrl: null }]);
});

test.for<[string, unknown]>([
  ['without a provider', { info: { name: 'Fox', rdns: 'io.fox' } }],
  ['without a name', { info: { rdns: 'io.fox' }, provider: { request: async () => null } }],
  ['without a detail', null],
])('ignores an announcement %s', ([, detail]) => {
  const event = new CustomEvent('eip6963:announceProvider', { detail });
  expect(discoverWallets(createPage([event])).list()).toEqual([]);
});

/** A page whose wallets send these announcements when it asks for them. */
function createPage(announcements: Event[], ethereum?: unknown): WalletWindow {
  const page: WalletWindow = Object.assign(new EventTarget(), { ethereum });
  page.addEventListener('eip6963:requestProvider', () => {
    for (const announcement of announcements) page.dispatchEvent(announcement);
  });
  return page;
}

function makeAnnouncement(name: string, rdns: string, icon = ICON): Event {
  const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name, icon, rdns };
  return new CustomEvent('eip6963:announceProvider', {
    detail: { info, provider: { request: async () => null } },
  });
}
