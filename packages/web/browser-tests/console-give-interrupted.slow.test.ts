import { newAddress, newWallet } from '@badge/test-support/signing';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { browserTest } from './harness/browser.ts';
import { openConsole, parseCsv, readDownload } from './harness/console.ts';
import { type OwnSite, startSite } from './harness/site.ts';

const LINES = 1_000;
const WRONG = 20;
const GIVEN = LINES - WRONG;

let site: OwnSite;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.remove());

/** 1,000 lines, of which every fiftieth is wrong; the others are alternately addresses and e-mails. */
function makeList(): { text: string; addresses: string[]; emails: string[] } {
  const addresses: string[] = [];
  const emails: string[] = [];
  const lines = Array.from({ length: LINES }, (_, index) => {
    if (index % (LINES / WRONG) === 0) return index % 100 === 0 ? `p${index}@example` : '0x1234';
    const recipient = index % 2 === 0 ? `p${index}@example.org` : newAddress();
    (index % 2 === 0 ? emails : addresses).push(recipient);
    return recipient;
  });
  const rows = lines.map((recipient, index) => `Person ${index};${recipient}`);
  return { text: `Name;Recipient\r\n${rows.join('\r\n')}\r\n`, addresses, emails };
}

/**
 * Does something at the given requests that write, such as `claimLinks 2` for the second one that creates
 * links.
 */
async function interrupt(page: Page, at: Record<string, (route: Route) => Promise<void>>): Promise<void> {
  const counts: Record<string, number> = {};
  await page.context().route(/\/v1\/tokens\/\d+\/(addContributors|airdrop|claimLinks)$/, async (route) => {
    if (route.request().method() !== 'POST') return await route.continue();
    const call = route.request().url().split('/').at(-1) ?? '';
    counts[call] = (counts[call] ?? 0) + 1;
    await (at[`${call} ${counts[call]}`] ?? (() => route.continue()))(route);
  });
}

browserTest.for([
  {
    kind: 'allowlisted',
    atClose: 'claimLinks 1',
    atKill: 'claimLinks 3',
    at503: ['addContributors 1', 'claimLinks 2'],
  },
  { kind: 'open', atClose: 'claimLinks 2', atKill: 'airdrop 130', at503: ['airdrop 40', 'claimLinks 4'] },
] as const)(
  'a list of 1,000 lines is given once, in spite of a closed tab, a killed process and a 503 ($kind)',
  { timeout: 300_000 },
  async ({ kind, atClose, atKill, at503 }) => {
    const isAllowlisted = kind === 'allowlisted';
    const creator = newWallet();
    const tokenId = await site.createToken({
      signer: creator,
      headline: 'For a thousand',
      ...(isAllowlisted ? { contributors: [creator.address] } : { totalClaimCount: 2_000 }),
    });
    const { text, addresses, emails } = makeList();
    expect(addresses.length + emails.length).toBe(GIVEN);
    const page = await openConsole(site, '');
    await page.evaluate((key) => localStorage.setItem('badge.console.testKey', key), creator.privateKey);
    await page.goto(`/console/badges/${tokenId}/give`);

    const closed = Promise.withResolvers<void>();
    const restarted = Promise.withResolvers<void>();
    const lostStatuses: number[] = [];
    await interrupt(page, {
      // The request is executed, and the tab is closed before the response arrives.
      [atClose]: async (route) => {
        await route.fetch();
        await page.close();
        closed.resolve();
      },
      // The process is killed while it executes the request, and started again a little later.
      [atKill]: async (route) => {
        const response = route.fetch().catch(() => null);
        await site.stop('SIGKILL');
        await response;
        await route.abort('connectionreset');
        await site.start();
        restarted.resolve();
      },
      // The request is executed, but the page gets a 503.
      ...Object.fromEntries(
        at503.map((request) => [
          request,
          async (route: Route) => {
            lostStatuses.push((await route.fetch()).status());
            const problem = { name: 'Unavailable', status: 503, title: 'Unavailable', detail: 'Busy.' };
            await route.fulfill({ status: 503, contentType: 'application/problem+json', json: problem });
          },
        ]),
      ),
    });

    await page.getByLabel('Choose a file').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    });
    await page.getByText(`${WRONG} are wrong`).waitFor();
    await page.getByRole('button', { name: /^(Put|Give it to) \d+.*, make \d+ links$/ }).click();
    await closed.promise;

    const again = await page.context().newPage();
    await again.goto(`/console#key=${site.apiKey}`);
    await again.getByRole('navigation').first().waitFor();
    await again.goto(`/console/badges/${tokenId}/give`);
    await again.getByRole('button', { name: 'Continue' }).click();
    await restarted.promise;
    await again.getByRole('heading', { name: 'Done', exact: true }).waitFor({ timeout: 200_000 });
    const downloaded = again.waitForEvent('download');
    await again.getByRole('button', { name: 'Save as CSV' }).click();
    const rows = parseCsv(await readDownload(await downloaded));

    expect(lostStatuses).toEqual([202, 201]);
    // The file has a line for each of the 1,000, and a link for each that is right.
    expect(rows).toHaveLength(LINES);
    expect(rows.filter(([, , , link]) => link !== '')).toHaveLength(GIVEN);
    expect(rows.map(([name]) => name).sort()).toEqual(
      Array.from({ length: LINES }, (_, index) => `Person ${index}`).sort(),
    );

    // Each e-mail has exactly one link that works, and it is the one in the file.
    const { data: links } = await site.badge.listClaimLinks({ tokenId, limit: 1_000 });
    const unused = links.filter(({ status }) => status === 'unused');
    expect(unused).toHaveLength(emails.length);
    if (isAllowlisted) expect(unused.map(({ identifier }) => identifier).sort()).toEqual([...emails].sort());
    const codes = rows.flatMap(([, email, , link = '']) => (email && link ? [link.split('#')[1] ?? ''] : []));
    expect(new Set(codes).size).toBe(emails.length);
    for (const claimCode of codes) {
      expect((await site.badge.checkClaimCode({ tokenId, claimCode })).reasons).toEqual([]);
    }

    // Each address has exactly one badge, or is on the list once.
    if (isAllowlisted) {
      const { data: contributors } = await site.badge.listContributors({ tokenId, limit: 1_000 });
      expect(contributors.map(({ contributor }) => contributor).sort()).toEqual(
        [creator.address, ...addresses, ...emails].sort(),
      );
    } else {
      const { data: owners } = await site.badge.listOwners({ tokenId, limit: 1_000 });
      expect(owners.map(({ address }) => address).sort()).toEqual([...addresses].sort());
    }
  },
);
