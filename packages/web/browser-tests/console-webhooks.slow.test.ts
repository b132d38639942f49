import { newAddress, newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { createBadgeClient, verifyWebhook } from '../../sdk/src/index.ts';
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

  // Gone: the service disables it, and says why.
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

/** Adds an owner who makes webhooks of these names, and one API key. */
async function addMaker(webhookNames: string[]) {
  const { address, signMessage } = newWallet();
  // The last owner cannot be removed.
  for (const owner of [newWallet().address, address]) {
    await site.operator.setMember({ communityId: 'demo', address: owner, role: 'owner' });
  }
  const { message } = await site.operator.createSignInChallenge({ address });
  const signature = await signMessage({ message });
  const { sessionToken } = await site.operator.signIn({ message, signature });
  const maker = createBadgeClient({ url: site.url, apiKey: sessionToken });
  const webhooks = [];
  for (const name of webhookNames) {
    const url = 'http://127.0.0.1:9/events';
    webhooks.push(await maker.createWebhook({ communityId: 'demo', name, url }));
  }
  const { apiKeyId } = await maker.createApiKey({ communityId: 'demo', name: 'newsletter', role: 'issuer' });
  return { address, sessionToken, webhooks, apiKeyId };
}

const webhookOf = async (webhookId: string) => {
  const { data } = await site.operator.listWebhooks({ communityId: 'demo' });
  return data.find((one) => one.webhookId === webhookId);
};

browserTest('an owner removes a member, and keeps what it chooses of what the member has made', async () => {
  const { address, webhooks, apiKeyId } = await addMaker(['stays', 'stops', 'vanishes']);
  const [stays, stops, vanishes] = webhooks;
  if (stays === undefined || stops === undefined || vanishes === undefined) throw new Error('no webhooks');
  const page = await openConsole(site, '/settings/members', { key: ownerKey });
  await page.getByRole('button', { name: `Remove: ${address}` }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('These API keys are revoked, unless they are kept: newsletter').waitFor();
  const boxes = dialog.getByRole('checkbox');
  expect(await boxes.count()).toBe(5);
  expect(await boxes.evaluateAll((all) => all.some((one) => (one as HTMLInputElement).checked))).toBe(false);
  for (const label of ['stays', 'vanishes', 'All of these API keys', 'The invitations that wait']) {
    await dialog.getByLabel(label).press('Space');
  }
  await expectAccessible(page);
  await takeScreenshots(page, 'member-remove');
  // Meanwhile, somebody deletes a webhook, which so cannot be kept.
  await site.operator.deleteWebhook({ communityId: 'demo', webhookId: vanishes.webhookId });
  const sent = page.waitForRequest((request) => request.method() === 'DELETE');
  await dialog.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
  expect(Object.fromEntries(new URL((await sent).url()).searchParams)).toEqual({
    keepMails: 'true',
    keepApiKeys: 'true',
  });
  await dialog.waitFor({ state: 'detached' });

  const secret = await page.getByText(/^whsec_/).innerText();
  expect(secret).not.toBe(stays.secret);
  const failure = page.getByRole('alert').filter({ hasText: 'these webhooks are not kept' });
  await failure.getByText('vanishes').waitFor();
  await failure.getByText('Give each of them a new secret').waitFor();
  await expectAccessible(page);
  expect(await webhookOf(stays.webhookId)).toMatchObject({ isEnabled: true, createdBy: null });
  expect(await webhookOf(stops.webhookId)).toMatchObject({ isEnabled: false, createdBy: address });
  const keys = await site.operator.listApiKeys({ communityId: 'demo' });
  expect(keys.data.find((one) => one.apiKeyId === apiKeyId)).toMatchObject({ createdBy: null });
  await failure.getByRole('link', { name: 'Webhooks' }).click();
  await row(page, 'stops').getByText('Turned off').waitFor();
  expect(await page.getByText(/whsec_/).count()).toBe(0);

  await page.goto('/console/settings/keys');
  await page.getByRole('button', { name: 'Revoke: newsletter' }).press('Enter');
  await dialog.getByLabel('The invitations that wait').press('Space');
  const revoked = page.waitForRequest((request) => request.method() === 'DELETE');
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).press('Enter');
  expect(new URL((await revoked).url()).search).toBe('?keepMails=true');
  await dialog.waitFor({ state: 'detached' });
});

browserTest('a lower role ends what it does not allow, and a member keeps nothing of its own', async () => {
  const { address, sessionToken, webhooks, apiKeyId } = await addMaker(['lowered']);
  const page = await openConsole(site, '/settings/members', { key: sessionToken });
  await page.getByRole('button', { name: `Change the role: ${address}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Role').selectOption('Editor');
  await dialog.getByText('You can keep nothing that you have made yourself.').waitFor();
  await dialog.getByText('These webhooks stop: lowered').waitFor();
  // An editor may still have the key of an issuer.
  expect(await dialog.getByText('newsletter').count()).toBe(0);
  await dialog.getByLabel('Role').selectOption('Viewer');
  await dialog.getByText('unless they are kept: newsletter').waitFor();
  expect(await dialog.getByRole('checkbox').count()).toBe(0);

  const other = await openConsole(site, '/settings/members', { key: ownerKey });
  await other.getByRole('button', { name: `Change the role: ${address}` }).click();
  const question = other.getByRole('dialog');
  await question.getByLabel('Role').selectOption('Editor');
  expect(await question.getByLabel('The invitations that wait').count()).toBe(0);
  await question.getByLabel('Role').selectOption('Viewer');
  await question.getByLabel('lowered').check();
  await question.getByLabel('The invitations that wait').check();
  await question.getByRole('button', { name: 'Change the role' }).click();
  await other.getByText(/^whsec_/).waitFor();
  expect(await webhookOf(webhooks[0]?.webhookId ?? '')).toMatchObject({ isEnabled: true, createdBy: null });
  const { data } = await site.operator.listApiKeys({ communityId: 'demo' });
  expect(data.map((one) => one.apiKeyId)).not.toContain(apiKeyId);
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
