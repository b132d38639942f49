import { newAddress } from '@badge/test-support/signing';
import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  actAsNode,
  type Misbehave,
  type RpcProxy,
  sendResult,
  startRpcProxy,
} from '../../service/src/testing/rpc-proxy.ts';
import { browserTest, openPage } from './harness/browser.ts';
import { type OwnSite, startSite } from './harness/site.ts';
import { createTestWallet, replaceReply } from './harness/wallet.ts';

const MAINNET = 1;
const NAMED = newAddress();
let node: RpcProxy;
let site: OwnSite;
beforeAll(async () => {
  node = await startRpcProxy();
  node.misbehave(confirmAndName);
  site = await startSite({ BADGE_CHAIN_RPC_URLS: `1=${node.url}`, BADGE_ENS_RPC_URL: node.url });
  await site.operator.updateCommunity({ communityId: 'demo', contractWalletChainId: MAINNET });
});
afterAll(async () => {
  await site.remove();
  await node.stop();
});

/**
 * Acts as a node whose contracts confirm every signature, and on which one address has the name `ada.eth`.
 */
const confirmAndName: Misbehave = (response, call) => {
  if (call.method !== 'eth_call') return actAsNode(MAINNET)(response, call);
  const [{ data = '' }] = call.params as [{ data?: string }];
  const address = NAMED as Hex;
  // The selectors of reverse(bytes,uint256) and resolve(bytes,bytes).
  if (data.startsWith('0x5d78a217')) {
    const name = data.includes(NAMED.slice(2).toLowerCase()) ? 'ada.eth' : '';
    const result = encodeAbiParameters(parseAbiParameters('string, address, address'), [
      name,
      address,
      address,
    ]);
    return sendResult(response, call, result);
  }
  if (data.startsWith('0x9061b923')) {
    const resolved = encodeAbiParameters(parseAbiParameters('address'), [address]);
    return sendResult(
      response,
      call,
      encodeAbiParameters(parseAbiParameters('bytes, address'), [resolved, address]),
    );
  }
  return sendResult(response, call, `0x1626ba7e${'0'.repeat(56)}`);
};

browserTest('a member with a smart-contract wallet signs in to the console, and makes a badge', async () => {
  const wallet = createTestWallet({ chainId: MAINNET });
  const address = wallet.accounts[0]?.address ?? '';
  const communityId = 'safe-dao';
  await site.operator.createCommunity({ uniqId: communityId, displayId: communityId, name: 'Safe DAO' });
  await site.operator.updateCommunity({ communityId, contractWalletChainId: MAINNET });
  await site.operator.setMember({ communityId, address, role: 'owner' });
  const page = await openPage(site, '/console/make', { wallets: [wallet] });
  const signature = `0x${'22'.repeat(130)}`;
  for (const [method, reply] of [
    ['eth_getCode', '0x6080604052'],
    ['personal_sign', signature],
    ['eth_signTypedData_v4', signature],
  ] as const) {
    await replaceReply(page, method, reply);
  }
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click();
  await page.getByLabel('Headline').fill('Made by a Safe');
  await page.getByLabel('How many people').fill('30');
  await page.getByRole('button', { name: 'Make the badge' }).click();
  await page.waitForURL('**/console/badges/*/give');
  const { data } = await site.badge.listTokens({ order: 'desc', limit: 1 });
  expect(data[0]).toMatchObject({ headline: 'Made by a Safe', communityId, createdByAddress: address });
  expect(wallet.methods).not.toContain('wallet_switchEthereumChain');

  await page.goto('/console/settings');
  await page.getByLabel('Chain of smart-contract wallets').selectOption({ label: 'Badge sandbox' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  const { contractWalletChainId } = await site.operator.getCommunityConfiguration({ communityId });
  expect(contractWalletChainId).toBe(80001);
});

browserTest(
  'pages show the name of an address before it, and a list shows the address of a name',
  async () => {
    const tokenId = await site.createToken({ contributors: ['ada.eth'] });
    const openId = await site.createToken();
    await (await site.badge.airdrop({ tokenId: openId, address: NAMED })).wait();
    // The first page lets the service look it up.
    await openPage(site, `/wallet/${NAMED}`);
    await expect
      .poll(async () => (await site.badge.getEnsNames({ addresses: [NAMED] })).items[0]?.name, {
        timeout: 30_000,
      })
      .toBe('ada.eth');
    const ofWallet = await openPage(site, `/wallet/${NAMED}`);
    await ofWallet.getByText('ada.eth').waitFor();
    const ofBadge = await openPage(site, `/token/${openId}`);
    await ofBadge.getByText('ada.eth').waitFor();
    const ofList = await openPage(site, `/console#key=${site.apiKey}`);
    await ofList.getByRole('navigation').first().waitFor();
    await ofList.goto(`/console/badges/${tokenId}`);
    await ofList.getByText('ada.eth').waitFor();
    await ofList.getByTitle(NAMED).first().waitFor();
  },
);
