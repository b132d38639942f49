import { newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import { expectNoAxeViolations } from './harness/page-checks.ts';
import { type OwnSite, startSite } from './harness/site.ts';
import { createTestWallet, type TestWallet, type TestWalletOptions } from './harness/wallet.ts';

// The other browser tests rely on the wallet, so this file tests that it behaves as MetaMask does.

const SANDBOX_CHAIN = 80001;
const ADDED_CHAIN = {
  chainId: '0x13881',
  chainName: 'Sandbox',
  rpcUrls: ['https://rpc.example'],
  nativeCurrency: { symbol: 'ETH', decimals: 18 },
};

let site: OwnSite;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.remove());

interface Outcome {
  result?: unknown;
  code?: number;
  message?: string;
}

/** Sends a request to `window.ethereum`, and returns its result or its error. */
function request(page: Page, method: string, params?: unknown[]): Promise<Outcome> {
  return page.evaluate(
    async ([name, values]) => {
      const { ethereum } = window as unknown as {
        ethereum: { request(call: object): Promise<unknown> };
      };
      try {
        return { result: await ethereum.request({ method: name, params: values }) };
      } catch (error) {
        const { code, message } = error as { code: number; message: string };
        return { code, message };
      }
    },
    [method, params] as const,
  );
}

async function openWithWallet(options: TestWalletOptions = {}): Promise<{ page: Page; wallet: TestWallet }> {
  const wallet = createTestWallet(options);
  return { page: await openPage(site, START_PATH, { wallets: [wallet] }), wallet };
}

/** The typed data of a claim, as a page passes it to the wallet. */
async function claimToSign(tokenId: number): Promise<string> {
  const { eip712 } = await site.badge.getEnvironment();
  const domainFields = [
    { name: 'name', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ];
  return JSON.stringify({
    domain: eip712.domain,
    types: { EIP712Domain: domainFields, Claim: eip712.types.Claim },
    primaryType: 'Claim',
    message: { tokenId },
  });
}

browserTest('the wallet signs a claim that the service accepts', async () => {
  const account = newWallet();
  const { page } = await openWithWallet({ accounts: [account], chainId: SANDBOX_CHAIN });
  const tokenId = await site.createToken();
  expect(await request(page, 'eth_requestAccounts')).toEqual({ result: [account.address.toLowerCase()] });
  const typedData = await claimToSign(tokenId);
  const signed = await request(page, 'eth_signTypedData_v4', [account.address, typedData]);
  const claim = await site.badge.claim({
    tokenId,
    claimingAddress: account.address,
    signature: signed.result as `0x${string}`,
  });
  expect(await claim.wait()).toMatchObject({ status: 'success' });
});

browserTest('the wallet refuses typed data for another chain than the active one', async () => {
  const { page, wallet } = await openWithWallet({ isConnected: true });
  const address = wallet.accounts[0]?.address;
  expect(await request(page, 'eth_signTypedData_v4', [address, await claimToSign(1)])).toEqual({
    code: -32603,
    message: 'Provided chainId "80001" must match the active chainId "1"',
  });
});

browserTest('the wallet switches to a known chain and reports an unknown one', async () => {
  const { page, wallet } = await openWithWallet();
  expect(await request(page, 'wallet_switchEthereumChain', [{ chainId: '0x89' }])).toEqual({ result: null });
  expect(wallet.chainId).toBe(137);
  expect(await request(page, 'wallet_switchEthereumChain', [{ chainId: '0x13881' }])).toMatchObject({
    code: 4902,
  });
});

browserTest('the wallet adds a chain only if its RPC responds', async () => {
  const { page: pageWithoutRpc } = await openWithWallet();
  expect(await request(pageWithoutRpc, 'wallet_addEthereumChain', [ADDED_CHAIN])).toEqual({
    code: -32603,
    message: "Request for method 'eth_chainId on https://rpc.example failed",
  });
  const { page, wallet } = await openWithWallet({ respondingRpcUrls: ADDED_CHAIN.rpcUrls });
  expect(await request(page, 'wallet_addEthereumChain', [ADDED_CHAIN])).toEqual({ result: null });
  expect(wallet.chainId).toBe(SANDBOX_CHAIN);
});

browserTest('the user can reject a request', async () => {
  const { page, wallet } = await openWithWallet();
  wallet.rejectNext('eth_requestAccounts');
  expect(await request(page, 'eth_requestAccounts')).toEqual({
    code: 4001,
    message: 'User rejected the request.',
  });
});

browserTest('while a request waits for the user, the wallet refuses another one', async () => {
  const { page, wallet } = await openWithWallet();
  const held = wallet.holdNext('eth_requestAccounts');
  const first = request(page, 'eth_requestAccounts');
  await held.sent;
  expect(await request(page, 'eth_requestAccounts')).toMatchObject({ code: -32002 });
  held.approve();
  expect(await first).toEqual({ result: [wallet.accounts[0]?.address.toLowerCase()] });
});

browserTest(
  'a locked wallet shows no accounts, and a page gets an event when the accounts that it sees change',
  async () => {
    const accounts = [newWallet(), newWallet()];
    const [first = '', second = ''] = accounts.map(({ address }) => address.toLowerCase());
    const { page, wallet } = await openWithWallet({ accounts, isConnected: true, isLocked: true });
    expect(await request(page, 'eth_accounts')).toEqual({ result: [] });
    await page.evaluate(() => {
      const pageWindow = window as unknown as {
        ethereum: { on(event: string, listener: (value: unknown) => void): void };
        changes: unknown[];
      };
      pageWindow.changes = [];
      pageWindow.ethereum.on('accountsChanged', (value) => pageWindow.changes.push(value));
    });
    await wallet.unlock();
    await wallet.selectAccount(accounts[1] ?? newWallet());
    await wallet.lock();
    expect(await page.evaluate(() => (window as unknown as { changes: unknown[] }).changes)).toEqual([
      [first, second],
      [second, first],
      [],
    ]);
  },
);

browserTest('the wallet announces itself whenever a page asks', async () => {
  const { page } = await openWithWallet({ name: 'Fox' });
  const names = await page.evaluate(() => {
    const found: string[] = [];
    window.addEventListener('eip6963:announceProvider', (event) =>
      found.push((event as CustomEvent<{ info: { name: string } }>).detail.info.name),
    );
    window.dispatchEvent(new Event('eip6963:requestProvider'));
    return found;
  });
  expect(names).toEqual(['Fox']);
});

browserTest('axe finds an image without a text alternative', async () => {
  const page = await openPage(site, START_PATH);
  await page.evaluate(() => document.body.append(document.createElement('img')));
  await expect(expectNoAxeViolations(page)).rejects.toThrow('image-alt');
});
