// @module-tag slow
import { newAddress } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { verifyWebhook } from '../../sdk/src/index.ts';
import { startReceiver } from '../../service/src/testing/webhook-receiver.ts';
import { browserTest } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { type OwnSite, startSite } from './harness/site.ts';

let site: OwnSite;
let ownerKey: string;
beforeAll(async () => {
  site = await startSite({ BADGE_WEBHOOK_ALLOW: 'loopback' });
  ownerKey = (await site.operator.createApiKey({ communityId: 'demo', name: 'owner', role: 'owner' })).apiKey;
});
afterAll(() => site?.remove());

const row = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text }).first();

/** Fills in the dialog for a webhook, and adds it. Returns its secret. */
async function addWebhook(page: Page, url: string, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill(url);
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('The webhook is added.').waitFor();
  return await page.getByText(/^whsec_/).innerText();
}

browserTest('an owner adds a webhook, sends a test, and sees what was sent', async () => {
  const receiver = await startReceiver();
  const page = await openConsole(site, '/settings', { key: ownerKey });
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('No webhooks').waitFor();
  await expectAccessible(page);

  // Each field says what is wrong, also what only the service finds.
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.getByText('Enter a whole URL that begins with https://.').waitFor();
  await dialog.getByText('Give the webhook a name.').waitFor();
  await dialog.getByLabel('URL').fill('http://10.0.0.1/events');
  await dialog.getByLabel('Name', { exact: true }).fill('our backend');
  await dialog.getByLabel('Only some').check();
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.getByText('Choose at least one event.').waitFor();
  await dialog.getByLabel('Somebody gets a badge').check();
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.getByText(/The service does not accept this URL: .*private network/).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'webhook-add');
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('The webhook is added.').waitFor();
  const secret = await page.getByText(/^whsec_/).innerText();
  await row(page, 'our backend').getByText('Somebody gets a badge').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'webhooks');
  // The secret is shown once.
  await page.reload();
  await row(page, 'our backend').waitFor();
  expect(await page.getByText(/whsec_/).count()).toBe(0);

  await page.getByRole('button', { name: 'Send a test: our backend' }).click();
  await page.getByText('The test is on its way.').waitFor();
  await row(page, 'Test').getByText('Delivered').waitFor();
  await row(page, 'Test').getByText('response 200').waitFor();
  const [test] = await receiver.waitFor(1);
  const event = await verifyWebhook(test?.headers ?? {}, test?.body ?? '', secret);
  expect(event.type).toBe('webhook.test');

  // An event of the chosen type is sent, and no other one. A response that says no is shown with its words.
  receiver.respondWith((response) => {
    response.statusCode = 500;
    response.end('out of order');
  });
  const tokenId = await site.createToken({ headline: 'Announced' });
  await (await site.badge.airdrop({ tokenId, address: newAddress() })).wait();
  await receiver.waitFor(2);
  await page.reload();
  const claimed = row(page, 'Somebody gets a badge');
  await claimed.getByText('Waiting').waitFor();
  // The page notices the second attempt, a few seconds later.
  await claimed.getByText('2 attempts').click();
  await claimed.getByText('response 500').first().waitFor();
  await claimed.getByText('out of order').first().waitFor();
  await claimed.getByText(/next attempt from/).waitFor();
  expect(await row(page, 'A badge is made').count()).toBe(0);
  await expectAccessible(page);
  await takeScreenshots(page, 'webhook-log');

  receiver.respondWith((response) => response.end());
  const received = receiver.received.length;
  await page.getByRole('button', { name: 'Send again: Test' }).click();
  await page.getByText('It is sent again.').waitFor();
  const again = (await receiver.waitFor(received + 1)).at(-1);
  expect(again?.headers['webhook-id']).toBe(test?.headers['webhook-id']);
  await page.getByLabel('Status').selectOption('Failed');
  await page.getByText('Nothing has this status').waitFor();
  await page.getByRole('link', { name: 'All webhooks' }).click();
  await page.getByText('The service tells your program at once').waitFor();
});

browserTest('a webhook is paused, changed, gets a new secret, and is deleted', async () => {
  const receiver = await startReceiver();
  const page = await openConsole(site, '/settings/webhooks', { key: ownerKey });
  const secret = await addWebhook(page, receiver.url, 'second');
  const second = row(page, 'second');
  await page.getByRole('button', { name: 'Pause: second' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await second.getByText('Paused').waitFor();
  expect(await page.getByRole('button', { name: 'Send a test: second' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Resume: second' }).click();
  await second.getByText('On', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Change: second' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('renamed');
  await dialog.getByLabel('Only some').check();
  await dialog.getByLabel('An invitation fails').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row(page, 'renamed').getByText('An invitation fails').waitFor();

  await page.getByRole('button', { name: 'New secret: renamed' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
  await page.getByText('The webhook has a new secret.').waitFor();
  const newSecret = await page.getByText(/^whsec_/).innerText();
  expect(newSecret).not.toBe(secret);
  await row(page, 'renamed').getByText('two secrets until').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send a test: renamed' }).click();
  const [request] = await receiver.waitFor(1);
  for (const one of [secret, newSecret]) {
    await verifyWebhook(request?.headers ?? {}, request?.body ?? '', one);
  }

  // Gone: the service turns it off, and says why.
  await page.getByText('The test is on its way.').waitFor();
  receiver.respondWith((response) => {
    response.statusCode = 410;
    response.end();
  });
  await row(page, 'Test').getByText('Delivered').waitFor();
  await page.getByRole('button', { name: 'Send again: Test' }).click();
  await receiver.waitFor(2);
  await expect
    .poll(async () => {
      const { data } = await site.operator.listWebhooks({ communityId: 'demo' });
      return data.find(({ name }) => name === 'renamed')?.isEnabled;
    })
    .toBe(false);
  await page.getByRole('link', { name: 'All webhooks' }).click();
  await row(page, 'renamed').getByText('Turned off').waitFor();
  await row(page, 'renamed').getByText('The receiver responded with the status 410').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'webhook-off');

  await page.getByRole('button', { name: 'Delete: renamed' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row(page, 'renamed').waitFor({ state: 'detached' });
});

browserTest.for([
  ['es-MX', 'Webhooks', 'Añadir un webhook', 'Solo algunos'],
  ['ar', 'خطاطيف الويب', 'إضافة خطاف ويب', 'بعضها فقط'],
] as const)('webhooks in %s', async ([locale, title, add, some]) => {
  const page = await openConsole(site, '/settings', { key: ownerKey, locale });
  await page.getByRole('link', { name: title }).click();
  await page.getByRole('button', { name: add }).click();
  await page.getByRole('dialog').getByLabel(some).check();
  await expectAccessible(page);
});

browserTest('only owners see the webhooks', async () => {
  const editor = await site.operator.createApiKey({ communityId: 'demo', name: 'editor', role: 'editor' });
  const page = await openConsole(site, '/settings', { key: editor.apiKey });
  await page.getByRole('link', { name: 'Members' }).waitFor();
  expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  await page.goto('/console/settings/webhooks');
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.getByRole('button', { name: 'Add a webhook' }).count()).toBe(0);
});
