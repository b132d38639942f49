import type { Page } from 'playwright-core';
import { beforeAll } from 'vitest';
import { type BadgeClient, createBadgeClient } from '../../../sdk/src/index.ts';
import { openSigner } from '../../src/console/signer/signer.ts';
import { parseCsv, readDownload } from './console.ts';
import { sharedSite } from './site.ts';

export const A = '0x52908400098527886E0F7030069857D2E4169EE7';

export const site = sharedSite();

export const FIRST = 'first@example.org';

export async function pasteList(page: Page, list: string): Promise<void> {
  await page.getByLabel('Who gets it').fill(list);
  await page.getByRole('button', { name: 'Check the list' }).click();
  await page.getByRole('table').waitFor();
}

export async function saveResult(page: Page): Promise<string[][]> {
  const downloaded = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const file = await downloaded;
  await page.getByText(`Saved as ${file.suggestedFilename()}.`).waitFor();
  return parseCsv(await readDownload(file));
}

export const finished = (page: Page) => page.getByRole('heading', { name: 'Done', exact: true }).waitFor();

/**
 * Creates a community with a managed creator before the tests. Returns its key, and what the tests do in the
 * console.
 */
export function giveFixture() {
  /** A community of these tests, with a managed creator. */
  let communityId: string;
  let key: string;
  let badge: BadgeClient;
  beforeAll(async () => {
    communityId = `give-${Math.random().toString(36).slice(2)}`;
    await site.operator.createCommunity({ uniqId: communityId, displayId: communityId, name: 'Givers' });
    await site.operator.updateCommunity({ communityId, hasManagedCreator: true });
    key = (await site.operator.createApiKey({ communityId, name: 'give', role: 'issuer' })).apiKey;
    badge = createBadgeClient({ url: site.url, apiKey: key });
  });

  /** Creates a badge for people on a list, with the managed creator. Returns its id. */
  async function createManaged(headline: string): Promise<number> {
    const { address } = await site.operator.getManagedCreator({ communityId });
    const { signer } = await openSigner({ id: 'managed', address }, { badge: site.operator, communityId });
    const creation = await site.operator.createToken({
      signer,
      communityId,
      headline,
      nftTypeId: 'defaultOrangeRed',
      isSignatureRequired: false,
      isAllowlistRequired: true,
      contributors: [FIRST],
    });
    return (await creation.wait()).tokenId;
  }

  return {
    get communityId() {
      return communityId;
    },
    get key() {
      return key;
    },
    get badge() {
      return badge;
    },
    createManaged,
  };
}
