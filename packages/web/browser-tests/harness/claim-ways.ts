import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { MailSite } from './mail-site.ts';

/** Chooses the wallet instead of the e-mail, and returns the field for its address. */
export async function openAddressField(page: Page): Promise<Locator> {
  await page.getByRole('radio', { name: 'Use my wallet' }).check();
  return page.getByLabel(/^Address of your wallet|^Or another address/);
}

/** Asks for a mail with a code, in the form of the page. */
export async function askForCode(page: Page, email: string): Promise<void> {
  await page.getByLabel('Your e-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.getByText('Look into your mailbox').waitFor();
}

/** Types a code into the form of the page, and sends it. */
export async function typeCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code from the mail').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** The codes of the sign-in mails to an address, the oldest first, once there are so many. */
export async function readCodes(site: MailSite, email: string, count = 1): Promise<string[]> {
  const read = () =>
    site.mails.received
      .filter(({ recipient }) => recipient === email)
      .flatMap(({ text = '' }) => /\/sign-in\S*#([\w-]+)/.exec(text)?.[1] ?? []);
  await expect.poll(() => read().length, { timeout: 20_000 }).toBe(count);
  return read();
}

/** Signs in with an e-mail address, in the form of the page. */
export async function signInByEmail(site: MailSite, page: Page, email: string, count = 1): Promise<void> {
  await askForCode(page, email);
  await typeCode(page, (await readCodes(site, email, count)).at(-1) ?? '');
}
