import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { browserTest } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { findMailLink, type MailSite, startMailSite } from './harness/mail-site.ts';

/** Three requests. */
const LINES = 1_200;

let site: MailSite;
beforeAll(async () => {
  site = await startMailSite({ BADGE_MAIL_LIMIT: 'off' });
});
afterAll(() => site?.remove());

/**
 * Does something at the given requests for invitations, such as `2 1` for the first one of the second part.
 */
async function interrupt(page: Page, at: Record<string, (route: Route) => Promise<void>>): Promise<void> {
  const counts: Record<string, number> = {};
  await page.context().route(/\/v1\/tokens\/\d+\/invitations$/, async (route) => {
    if (route.request().method() !== 'POST') return await route.continue();
    // The key ends with the index of the part, from 0, and its attempt.
    const [, index = ''] = /-(\d+)-\d+$/.exec(route.request().headers()['idempotency-key'] ?? '') ?? [];
    const part = Number(index) + 1;
    counts[part] = (counts[part] ?? 0) + 1;
    await (at[`${part} ${counts[part]}`] ?? (() => route.continue()))(route);
  });
}

browserTest(
  '1,200 people are invited once, in spite of a closed tab, a killed process and a 503',
  { timeout: 500_000 },
  async () => {
    const tokenId = await site.createToken({ headline: 'For many', totalClaimCount: 2_000 });
    const emails = Array.from({ length: LINES }, (_, index) => `p${index}@example.org`);
    const page = await openConsole(site, `/badges/${tokenId}/give`);
    const closed = Promise.withResolvers<void>();
    const restarted = Promise.withResolvers<void>();
    let lostStatus = 0;
    await interrupt(page, {
      // The request is executed, and the tab is closed before the response arrives.
      '1 1': async (route) => {
        await route.fetch();
        await page.close();
        closed.resolve();
      },
      // The process is killed while it executes the request, and started again a little later.
      '2 1': async (route) => {
        const response = route.fetch().catch(() => null);
        await site.stop('SIGKILL');
        await response;
        await route.abort('connectionreset');
        await site.start();
        restarted.resolve();
      },
      // The request is executed, but the page gets a 503.
      '3 1': async (route) => {
        lostStatus = (await route.fetch()).status();
        const problem = { name: 'Unavailable', status: 503, title: 'Unavailable', detail: 'Busy.' };
        await route.fulfill({ status: 503, contentType: 'application/problem+json', json: problem });
      },
    });
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['E-mail', ...emails].join('\r\n')),
    });
    await page.getByRole('button', { name: 'Invite 1,200 people' }).click();
    await closed.promise;

    const again = await page.context().newPage();
    await again.goto(`/console#key=${site.apiKey}`);
    await again.getByRole('navigation').first().waitFor();
    await again.goto(`/console/badges/${tokenId}/give`);
    await again.getByRole('button', { name: 'Continue' }).click();
    await restarted.promise;
    await again.getByRole('heading', { name: 'Done', exact: true }).waitFor({ timeout: 120_000 });
    await again.getByText('1,200 invited').waitFor();
    expect(lostStatus).toBe(201);

    // Each has one invitation, and one link that works.
    const invitations: (string | null)[] = [];
    for await (const { email } of site.badge.listInvitations({ tokenId, limit: 1_000 }))
      invitations.push(email);
    expect(invitations.sort()).toEqual([...emails].sort());
    let links = 0;
    for await (const { status } of site.badge.listClaimLinks({ tokenId, limit: 1_000 })) {
      expect(status).toBe('unused');
      links += 1;
    }
    expect(links).toBe(LINES);

    // Each gets one mail. A process that is killed can send a mail twice, but then both have one id and one
    // link.
    await again.getByLabel('What they have').selectOption('Invited');
    await again.getByText('1,200 people', { exact: true }).waitFor({ timeout: 240_000 });
    const byPerson = Map.groupBy(site.mails.received, ({ recipient }) => recipient);
    expect([...byPerson.keys()].sort()).toEqual([...emails].sort());
    for (const mails of byPerson.values()) {
      const different = new Set(mails.map((mail) => `${mail.messageId} ${findMailLink(mail, 'claim')}`));
      expect(different.size).toBe(1);
    }
  },
);
