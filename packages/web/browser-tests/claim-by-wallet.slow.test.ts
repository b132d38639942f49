import { newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { actAsNode, type RpcProxy, startRpcProxy } from '../../service/src/testing/rpc-proxy.ts';
import { browserTest, openPage, START_PATH } from './harness/browser.ts';
import { expectNoAxeViolations, expectNoHorizontalScroll, shareAndReadLink } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { type OwnSite, type Site, sharedSite, startSite } from './harness/site.ts';
import { createTestWallet, replaceReply, type TestWallet, type TestWalletOptions } from './harness/wallet.ts';

const SANDBOX_CHAIN = 80001;
/** A chain of which the page knows no node. */
const LOCAL_CHAIN = 31337;

const site = sharedSite();

browserTest('a person claims with a wallet, and sees and shares the badge', async () => {
  const tokenId = await site.createToken({
    headline: 'Speaker at the summer meeting 2026',
    description: 'For everyone who gave a talk.\nThank you!',
    links: ['https://example.org/talks', 'javascript:alert(1)'],
    startDateTimestamp: Date.UTC(2026, 5, 12),
    endDateTimestamp: Date.UTC(2026, 5, 14),
    expirationTimestamp: Date.UTC(2099, 0, 1),
  });
  const { page, wallet } = await openClaim(tokenId);
  const address = wallet.accounts[0]?.address ?? '';
  await page.getByRole('heading', { name: 'Speaker at the summer meeting 2026' }).waitFor();
  await page.getByText('0 of 10 claimed').waitFor();
  const links = page.getByRole('article').locator('a[target=_blank]');
  expect(await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))).toEqual([
    'https://example.org/talks',
  ]);
  expect(await links.getAttribute('rel')).toContain('noopener');
  expect(await links.getAttribute('rel')).toContain('nofollow ugc');
  await page.getByText('javascript:alert(1)').waitFor();
  await checkAndTakeScreenshots(page, 'claim-choose');

  const held = wallet.holdNext('eth_requestAccounts');
  await continueWithWallet(page);
  await held.sent;
  await page.getByRole('heading', { name: 'Open your wallet' }).waitFor();
  await checkAndTakeScreenshots(page, 'claim-connecting');
  held.approve();

  await page.getByRole('heading', { name: 'Sign to claim' }).waitFor();
  await page.getByText('Test Wallet', { exact: true }).waitFor();
  await page.getByRole('img', { name: address, exact: true }).waitFor();
  await page.getByText(`“tokenId: ${tokenId}”`).waitFor();
  await page.getByText('It costs nothing').waitFor();
  await checkAndTakeScreenshots(page, 'claim-review');
  await page.getByRole('button', { name: 'Sign in the wallet' }).click();

  await waitUntilClaimed(page);
  await page.getByRole('img', { name: address }).waitFor();
  await checkAndTakeScreenshots(page, 'claim-done');
  const { data } = await site.badge.listOwners({ tokenId });
  expect(data.map((owner) => owner.address)).toEqual([address]);

  expect(await shareAndReadLink(page)).toBe(`${site.url}/token/${tokenId}?owner=${address.toLowerCase()}`);
  const myBadges = page.getByRole('link', { name: 'My badges' });
  expect(await myBadges.getAttribute('href')).toBe(`/wallet/${address.toLowerCase()}`);
});

browserTest('the keyboard is enough to claim', async () => {
  const { page } = await openClaim(await site.createToken());
  await page.getByRole('heading', { name: 'Claim this badge' }).waitFor();
  const focusAndPress = async (name: string) => {
    const button = page.getByRole('button', { name });
    await button.waitFor();
    for (let presses = 0; presses < 20; presses += 1) {
      if (await button.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  };
  await focusAndPress('Continue with Test Wallet');
  await focusAndPress('Sign in the wallet');
  await waitUntilClaimed(page);
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  expect(focused).toBe('The badge is yours!');
});

browserTest('a person can claim with a wallet that does not announce itself', async () => {
  const { page } = await openClaim(await site.createToken(), { isAnnounced: false });
  await page.getByRole('button', { name: 'Continue with the wallet of this browser' }).click();
  await sign(page);
  await waitUntilClaimed(page);
});

browserTest('a person chooses between two wallets', async () => {
  const wallets = ['Fox', 'Bear'].map((name) => createTestWallet({ name, chainId: SANDBOX_CHAIN }));
  const page = await openPage(site, `/claim/${await site.createToken()}`, { wallets });
  await page.getByRole('button', { name: 'Continue with Fox' }).waitFor();
  await page.getByRole('button', { name: 'Continue with Bear' }).click();
  await page.getByRole('img', { name: wallets[1]?.accounts[0]?.address ?? '' }).waitFor();
});

browserTest('the wallet of the last visit is connected without a dialog', async () => {
  const { page, wallet } = await openClaim(await site.createToken());
  await continueWithWallet(page);
  await page.getByRole('heading', { name: 'Sign to claim' }).waitFor();
  await page.goto(`/claim/${await site.createToken()}`);
  await page.getByRole('heading', { name: 'Sign to claim' }).waitFor();
  expect(wallet.methods.filter((method) => method === 'eth_requestAccounts')).toHaveLength(1);
});

browserTest('a person who is not on the list is told so, and can claim with another account', async () => {
  const [stranger, member] = [newWallet(), newWallet()];
  const links = ['https://example.org/help', 'javascript:alert(1)'];
  const tokenId = await site.createToken({ contributors: [member.address], links });
  const { page, wallet } = await openClaim(tokenId, { accounts: [stranger, member] });
  await page.getByText('You need the wallet whose address is on the list').waitFor();
  await page.getByText('If you were invited by e-mail, open the link in that e-mail instead.').waitFor();
  await continueWithWallet(page);
  await page.getByText('This address is not on the list').waitFor();
  // The page cannot know whether this person is on the list by e-mail, so it says what to do then.
  await page.getByText('Were you invited by e-mail?').waitFor();
  await page.getByText('If you have lost it, ask the organizers, who can make a new link for you.').waitFor();
  const contact = page.getByRole('list', { name: 'Links of the community' }).getByRole('listitem');
  expect(await contact.allTextContents()).toEqual(['example.org/help']);
  await checkAndTakeScreenshots(page, 'claim-not-on-the-list');
  await wallet.selectAccount(member);
  await sign(page);
  await waitUntilClaimed(page);
});

browserTest('a person who has the badge is told so', async () => {
  const { page } = await openClaim(await site.createToken());
  await continueWithWallet(page);
  await sign(page);
  await waitUntilClaimed(page);
  await page.reload();
  await page.getByRole('heading', { name: 'You have already claimed this badge' }).waitFor();
  await checkAndTakeScreenshots(page, 'claim-already-yours');
});

browserTest('a person whose badge was revoked is told so', async () => {
  const owner = newWallet();
  const tokenId = await site.createToken();
  await (await site.badge.claim({ tokenId, claimingAddress: owner.address })).wait();
  await (await site.badge.revoke({ tokenId, address: owner.address, reason: 'a reason' })).wait();
  const { page } = await openClaim(tokenId, { accounts: [owner] });
  await continueWithWallet(page);
  await page.getByRole('heading', { name: 'This badge was revoked' }).waitFor();
  await checkAndTakeScreenshots(page, 'claim-revoked');
});

browserTest('a person is told that no badge is left', async () => {
  const tokenId = await site.createToken({ totalClaimCount: 1 });
  await (await site.badge.claim({ tokenId, claimingAddress: newWallet().address })).wait();
  const { page } = await openClaim(tokenId);
  await page.getByText('All badges are taken').waitFor();
  await page.getByText('1 of 1 claimed').waitFor();
  await page.getByText('ask the person who sent you the link').waitFor();
  await checkAndTakeScreenshots(page, 'claim-none-left');
});

browserTest('a person is told that the last badge was taken while they signed', async () => {
  const tokenId = await site.createToken({ totalClaimCount: 1 });
  const { page } = await openClaim(tokenId);
  await continueWithWallet(page);
  await page.getByRole('heading', { name: 'Sign to claim' }).waitFor();
  await (await site.badge.claim({ tokenId, claimingAddress: newWallet().address })).wait();
  await page.getByRole('button', { name: 'Sign in the wallet' }).click();
  await page.getByText('All badges are taken').waitFor();
});

browserTest('a person is told that claims have ended', async () => {
  const tokenId = await site.createToken({ expirationTimestamp: Date.UTC(2025, 11, 31, 23) });
  const page = await openPage(site, `/claim/${tokenId}`, { timezoneId: 'Europe/Madrid' });
  await page.getByText('The time to claim is over').waitFor();
  // There, the day was over.
  await page.getByText('Dec 31, 2025', { exact: true }).waitFor();
  expect(await page.getByText('10 left').count()).toBe(0);
  await checkAndTakeScreenshots(page, 'claim-expired');
});

browserTest('a badge that can be claimed later counts down, and opens by itself', async () => {
  const tokenId = await site.createToken({ claimableFromTimestamp: Date.now() + 2 * 3_600_000 });
  const later = await openPage(site, `/claim/${tokenId}`);
  await later.getByText('You can claim this badge later').waitFor();
  await later.getByText(/That is in 1 hour, \d+ minutes?\./).waitFor();
  await checkAndTakeScreenshots(later, 'claim-later');
  await site.badge.updateToken({ tokenId, claimableFromTimestamp: Date.now() + 8_000 });
  const soon = await openPage(site, `/claim/${tokenId}`);
  await soon.getByText('You can claim this badge later').waitFor();
  await soon.getByRole('heading', { name: 'Claim this badge', exact: true }).waitFor();
});

browserTest('a token that does not exist has a page that says so', async () => {
  const page = await openPage(site, '/claim/999999');
  await page.getByText('There is no such badge').waitFor();
  await page.goto('/claim/one');
  await page.getByText('There is no such badge').waitFor();
});

browserTest('a person who declines in the wallet can try again', async () => {
  const { page, wallet } = await openClaim(await site.createToken());
  wallet.rejectNext('eth_requestAccounts');
  await continueWithWallet(page);
  await page.getByText('You declined in the wallet').waitFor();
  await continueWithWallet(page);
  wallet.rejectNext('eth_signTypedData_v4');
  await sign(page);
  await page.getByText('You declined in the wallet').waitFor();
  await checkAndTakeScreenshots(page, 'claim-declined');
  await sign(page);
  await waitUntilClaimed(page);
});

browserTest('a person is told that the wallet still shows an earlier request', async () => {
  const { page, wallet } = await openClaim(await site.createToken());
  const held = wallet.holdNext('eth_requestAccounts');
  await continueWithWallet(page);
  await held.sent;
  await page.getByRole('button', { name: 'Cancel' }).click();
  await continueWithWallet(page);
  await page.getByText('Your wallet is waiting for you').waitFor();
  held.approve();
});

browserTest('a wallet that is on another chain switches, and signs', async () => {
  const options = { chainId: 1, knownChainIds: [1, SANDBOX_CHAIN] };
  const { page, wallet } = await openClaim(await site.createToken(), options);
  await page.getByRole('heading', { name: 'Claim this badge' }).waitFor();
  expect(await page.getByText('another network').count()).toBe(0);
  await continueWithWallet(page);
  await page.getByText('Your wallet is on another network').waitFor();
  await page.getByText('only on Badge sandbox. Switching costs nothing.').waitFor();
  await page.getByText('This is a test network without real money').waitFor();
  expect(await page.getByText('I have a code').count()).toBe(0);
  expect(await page.getByText('If you run this service').count()).toBe(0);
  await checkAndTakeScreenshots(page, 'claim-wrong-chain');
  wallet.rejectNext('wallet_switchEthereumChain');
  await switchAndSign(page);
  await page.getByText('You declined in the wallet').waitFor();
  await switchAndSign(page);
  await waitUntilClaimed(page);
  expect(wallet.chainId).toBe(SANDBOX_CHAIN);
});

browserTest('a wallet that does not know the chain of the sandbox adds it, and signs', async () => {
  const { page, wallet } = await openClaim(await site.createToken(), { chainId: 1 });
  await continueWithWallet(page);
  wallet.rejectNext('wallet_addEthereumChain');
  await switchAndSign(page);
  await page.getByText('You declined in the wallet').waitFor();
  await switchAndSign(page);
  await waitUntilClaimed(page);
  expect(wallet.chainId).toBe(SANDBOX_CHAIN);
});

browserTest('a wallet that says nothing about an unknown chain adds it, and signs', async () => {
  const { page, wallet } = await openClaim(await site.createToken(), { chainId: 1, isSilent: true });
  await continueWithWallet(page);
  await switchAndSign(page);
  await waitUntilClaimed(page);
  expect(wallet.methods).toContain('wallet_addEthereumChain');
  expect(wallet.chainId).toBe(SANDBOX_CHAIN);
});

browserTest('a wallet that stays on its chain although the chain was added is named', async () => {
  const { page } = await openClaim(await site.createToken(), { chainId: 1, isSilent: true });
  await replaceReply(page, 'wallet_addEthereumChain', null);
  await continueWithWallet(page);
  await switchAndSign(page);
  await page.getByText('The wallet is still on another network').waitFor();
});

browserTest('a person who switches the chain in the wallet can sign', async () => {
  const { page, wallet } = await openClaim(await site.createToken(), { chainId: 1 });
  await continueWithWallet(page);
  await page.getByText('Your wallet is on another network').waitFor();
  await wallet.switchChain(SANDBOX_CHAIN);
  await sign(page);
  await waitUntilClaimed(page);
});

browserTest(
  'if a wallet that does not return its chain refuses to sign, the page says that the chain is wrong',
  async () => {
    const { page } = await openClaim(await site.createToken(), { chainId: 1 });
    await replaceReply(page, 'eth_chainId', null);
    await continueWithWallet(page);
    await sign(page);
    await page.getByText('The wallet is still on another network').waitFor();
  },
);

browserTest('a wallet adds the chain of production, or the page shows how to add it by hand', async () => {
  const production = await startSite({ BADGE_CHAIN_ID: '137' });
  try {
    const wallet = createTestWallet({ knownChainIds: [1], respondingRpcUrls: ['https://polygon-rpc.com'] });
    const page = await openPage(production, `/claim/${await production.createToken()}`, {
      wallets: [wallet],
    });
    await continueWithWallet(page);
    await page.getByText('only on Polygon. Switching costs nothing.').waitFor();
    expect(await page.getByText('I have a code').count()).toBe(0);
    await page.getByRole('button', { name: 'Switch the network and sign' }).click();
    await waitUntilClaimed(page);
    expect(wallet.methods).toContain('wallet_addEthereumChain');

    // The node of the chain does not respond to this wallet, so the wallet refuses to add the chain.
    const refusingWallet = createTestWallet({ knownChainIds: [1] });
    const refusedPage = await openPage(production, `/claim/${await production.createToken()}`, {
      wallets: [refusingWallet],
    });
    await continueWithWallet(refusedPage);
    await refusedPage.getByRole('button', { name: 'Switch the network and sign' }).click();
    await refusedPage.getByText('Your wallet cannot switch to Polygon').waitFor();
    for (const value of ['Polygon', '137', 'https://polygon-rpc.com', 'POL'])
      await refusedPage.getByText(value, { exact: true }).waitFor();
    expect(await refusedPage.getByText('anvil').count()).toBe(0);
    expect(await refusedPage.getByText('If you run this service').count()).toBe(0);
  } finally {
    await production.remove();
  }
});

describe('a service on a chain of which the page knows no node', () => {
  let siteOnLocalChain: OwnSite;
  beforeAll(async () => {
    siteOnLocalChain = await startSite({ BADGE_CHAIN_ID: String(LOCAL_CHAIN) });
  });
  afterAll(() => siteOnLocalChain.remove());

  browserTest(
    'a person whose wallet cannot switch to the chain can enter a code, add the chain by hand, or try again',
    async () => {
      const tokenId = await siteOnLocalChain.createToken();
      const { page, wallet } = await openClaim(tokenId, { chainId: 1 }, siteOnLocalChain);
      await continueWithWallet(page);
      await page.getByText('only on network 31337').waitFor();
      expect(await page.getByText('This is a test network').count()).toBe(0);
      await switchAndSign(page);
      await page.getByRole('heading', { name: 'Your wallet cannot sign here' }).waitFor();
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
        'Your wallet cannot sign here',
      );
      await page.getByText('Your wallet cannot switch to network 31337').waitFor();
      await page.getByText('Nothing was signed or claimed.').waitFor();
      await page.getByRole('heading', { name: 'Add the network to your wallet' }).waitFor();
      await page.getByText('31337', { exact: true }).waitFor();
      await page.getByText('anvil --chain-id 31337').waitFor();
      await page.getByText('With a code you sign nothing').waitFor();
      await page.getByLabel('Code or link').waitFor();
      await checkAndTakeScreenshots(page, 'claim-unknown-chain');
      expect(await page.getByText('BADGE_CHAIN_ID=1').isVisible()).toBe(false);
      await page.getByText('If you run this service').click();
      await page.getByText('BADGE_CHAIN_ID=1').waitFor();
      await checkAndTakeScreenshots(page, 'claim-unknown-chain-unfolded');

      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Your wallet cannot sign here' }).waitFor();
      expect(wallet.methods.filter((method) => method === 'wallet_switchEthereumChain')).toHaveLength(2);
      await page.getByRole('button', { name: 'Use another wallet' }).click();
      await continueWithWallet(page);
      await page.getByRole('button', { name: 'Switch the network and sign' }).waitFor();
      expect(await page.getByText('Your wallet cannot').count()).toBe(0);

      await wallet.switchChain(LOCAL_CHAIN);
      await sign(page);
      await waitUntilClaimed(page);
    },
  );

  browserTest(
    'the page names no local node for the unknown chain of a service that is not a sandbox',
    async () => {
      const wallets = [createTestWallet({ chainId: 1 })];
      const page = await openPage(siteOnLocalChain, START_PATH, { wallets });
      await page.route('**/v1/environment', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), environment: 'production' } });
      });
      await page.goto(`/claim/${await siteOnLocalChain.createToken()}`);
      await continueWithWallet(page);
      await switchAndSign(page);
      await page.getByRole('heading', { name: 'Add the network to your wallet' }).waitFor();
      await page.getByText('31337', { exact: true }).waitFor();
      for (const text of ['anvil', 'Badge sandbox', 'localhost:8545', 'If you run this service'])
        expect(await page.getByText(text).count()).toBe(0);
    },
  );

  browserTest('the page offers no code if the badge requires a signature', async () => {
    const tokenId = await siteOnLocalChain.createToken({ isSignatureRequired: true });
    const { page } = await openClaim(tokenId, { chainId: 1 }, siteOnLocalChain);
    await page.getByRole('heading', { name: 'Claim this badge' }).waitFor();
    expect(await page.getByText('I have a code').count()).toBe(0);
    await continueWithWallet(page);
    await switchAndSign(page);
    await page.getByText('This badge always needs a signature').waitFor();
    expect(await page.getByText('I have a code').count()).toBe(0);
    await checkAndTakeScreenshots(page, 'claim-unknown-chain-signature');
  });
});

describe('a service that can ask contract wallets on another chain', () => {
  // The node confirms every signature.
  const magicValue = `0x1626ba7e${'0'.repeat(56)}`;
  let node: RpcProxy;
  let siteWithChain: OwnSite;
  beforeAll(async () => {
    node = await startRpcProxy();
    node.misbehave(actAsNode(1, magicValue));
    siteWithChain = await startSite({ BADGE_CHAIN_RPC_URLS: `1=${node.url}` });
    await siteWithChain.operator.updateCommunity({ communityId: 'demo', contractWalletChainId: 1 });
  });
  afterAll(async () => {
    await siteWithChain.remove();
    await node.stop();
  });

  browserTest('a person claims with a smart-contract wallet, which stays on its chain', async () => {
    const tokenId = await siteWithChain.createToken();
    const { page, wallet } = await openClaim(tokenId, { chainId: 1 }, siteWithChain);
    const address = wallet.accounts[0]?.address ?? '';
    await replaceReply(page, 'eth_getCode', '0x6080604052');
    await replaceReply(page, 'eth_signTypedData_v4', `0x${'11'.repeat(130)}`);
    await continueWithWallet(page);
    await page.getByRole('heading', { name: 'Sign to claim' }).waitFor();
    expect(await page.getByText('Switch the network').count()).toBe(0);
    await sign(page);
    await waitUntilClaimed(page);
    expect(wallet.methods).not.toContain('wallet_switchEthereumChain');
    expect(node.methods).toContain('eth_call');
    const { data } = await siteWithChain.badge.listOwners({ tokenId });
    expect(data.map((owner) => owner.address)).toEqual([address]);
  });

  browserTest('the claim waits while the endpoint does not respond', async () => {
    const tokenId = await siteWithChain.createToken();
    const { page } = await openClaim(tokenId, { chainId: 1 }, siteWithChain);
    await replaceReply(page, 'eth_getCode', '0x6080604052');
    await replaceReply(page, 'eth_signTypedData_v4', `0x${'11'.repeat(130)}`);
    await continueWithWallet(page);
    node.misbehave((response) => response.writeHead(502).end());
    await sign(page);
    await page.getByText('The service needs a moment').waitFor();
    node.misbehave(actAsNode(1, magicValue));
    await waitUntilClaimed(page);
  });
});

browserTest('a smart-contract wallet is refused before it is asked to sign', async () => {
  const { page, wallet } = await openClaim(await site.createToken());
  await replaceReply(page, 'eth_getCode', '0x6080604052');
  await continueWithWallet(page);
  await sign(page);
  await page.getByText('The service cannot check this smart-contract wallet').waitFor();
  await page.getByText('with it, this badge needs no signature').waitFor();
  expect(wallet.methods).not.toContain('eth_signTypedData_v4');
  await checkAndTakeScreenshots(page, 'claim-contract-wallet');
});

browserTest(
  'the page offers no code to a smart-contract wallet if the badge requires a signature',
  async () => {
    const { page } = await openClaim(await site.createToken({ isSignatureRequired: true }));
    await replaceReply(page, 'eth_getCode', '0x6080604052');
    await continueWithWallet(page);
    await sign(page);
    await page.getByText('The service cannot check this smart-contract wallet').waitFor();
    expect(await page.getByText('link with a code').count()).toBe(0);
  },
);

browserTest('a person whose wallet cannot sign can choose another wallet, or enter a code', async () => {
  const { page } = await openClaim(await site.createToken());
  await continueWithWallet(page);
  await page.getByRole('heading', { name: 'Sign to claim' }).waitFor();
  await failCalls(page, 'eth_signTypedData_v4', -32601);
  await sign(page);
  await page.getByRole('heading', { name: 'This wallet cannot sign the message' }).waitFor();
  await page.getByText('Nothing was signed or claimed.').waitFor();
  await page.getByText('I have a code').waitFor();
  await checkAndTakeScreenshots(page, 'claim-wallet-cannot-sign');
  await page.getByRole('button', { name: 'Use another wallet' }).click();
  await page.getByRole('heading', { name: 'Claim this badge' }).waitFor();
});

browserTest('a person is told that the wallet has switched to another account', async () => {
  const { page } = await openClaim(await site.createToken());
  await continueWithWallet(page);
  await page.getByRole('heading', { name: 'Sign to claim' }).waitFor();
  await replaceReply(page, 'eth_accounts', [newWallet().address]);
  await sign(page);
  await page.getByText('The wallet is on another account').waitFor();
});

browserTest('the signature of another account is refused', async () => {
  const { page } = await openClaim(await site.createToken());
  await continueWithWallet(page);
  await page.getByRole('heading', { name: 'Sign to claim' }).waitFor();
  await replaceReply(page, 'eth_signTypedData_v4', `0x${'11'.repeat(64)}1b`);
  await sign(page);
  await page.getByRole('heading', { name: 'Another account has signed' }).waitFor();
  await page.getByText('select the account that is shown here').waitFor();
  await checkAndTakeScreenshots(page, 'claim-another-account-signed');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Sign to claim' }).waitFor();
});

async function openClaim(
  tokenId: number,
  options: TestWalletOptions = {},
  tokenSite: Site = site,
): Promise<{ page: Page; wallet: TestWallet }> {
  const wallet = createTestWallet({ chainId: SANDBOX_CHAIN, ...options });
  const page = await openPage(tokenSite, `/claim/${tokenId}`, { wallets: [wallet] });
  return { page, wallet };
}

async function continueWithWallet(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Test Wallet' }).click();
}

async function sign(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in the wallet' }).click();
}

async function switchAndSign(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Switch the network and sign' }).click();
}

async function waitUntilClaimed(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'The badge is yours!' }).waitFor();
}

async function checkAndTakeScreenshots(page: Page, name: string): Promise<void> {
  await expectNoAxeViolations(page);
  await expectNoHorizontalScroll(page);
  await takeScreenshots(page, name);
}

/** Makes the wallet of the page refuse all further calls of a method, with this error code. */
async function failCalls(page: Page, method: string, code: number): Promise<void> {
  await page.evaluate(
    (failure) => {
      type Request = (call: { method: string }) => Promise<unknown>;
      const { ethereum } = window as unknown as { ethereum: { request: Request } };
      const request = ethereum.request.bind(ethereum);
      ethereum.request = async (call) => {
        if (call.method === failure.method) throw Object.assign(new Error('refused by the test'), failure);
        return await request(call);
      };
    },
    { method, code },
  );
}
