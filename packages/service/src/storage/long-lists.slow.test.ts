import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openExplaining, pagesRead } from '../testing/explaining-database.ts';
import { API_KEY_ID, createFilledDatabase } from '../testing/filled-database.ts';
import { listAuditLog } from './audit-log.ts';
import { listClaimLinks } from './claim-links.ts';
import { listContributors } from './claims.ts';
import type { Database } from './database.ts';
import { findLoggedObjects } from './logged-objects.ts';
import { listHolders, listOwners } from './ownership.ts';

// Owners, contributors, claim links and the audit log; wallet-listings.slow.test.ts tests wallets.

test.each(['no statistics', 'statistics'])(
  'a page near the start of 20,000 entries costs less than twice as much as one of 2,000, with %s',
  { timeout: 60_000 },
  async (statistics) => {
    const readCosts = async (total: number): Promise<number[]> => {
      const url = await createFilledDatabase(total);
      const explaining = openExplaining(url);
      if (statistics === 'statistics') await sql`analyze`.execute(explaining);
      const costs = await countPagesRead(explaining);
      await explaining.destroy();
      return costs;
    };
    const small = await readCosts(2_000);
    const large = await readCosts(20_000);
    // A cost below 50 pages of the database counts as 50: a few pages more or less do not matter.
    const ratios = large.map((cost, index) => cost / Math.max(50, small[index] ?? 0));
    expect(Math.max(...ratios)).toBeLessThan(2);
  },
);

/**
 * Returns how many pages of the database each list reads. `db` returns the plan of a statement instead of its
 * rows.
 */
async function countPagesRead(db: Database): Promise<number[]> {
  const plans: object[][] = [];
  for (const offset of [0, 700]) {
    const page = { limit: 50, offset };
    // For filters that match some entries, but fewer than 700 of 2,000.
    const smallOffset = offset / 10;
    plans.push(
      await listHolders(db, 1, page),
      await listOwners(db, { tokenId: 1, ...page, status: 'all', search: '' }),
      await listContributors(db, 1, page),
      await listClaimLinks(db, 1, { ...page, status: undefined }),
      await listClaimLinks(db, 1, { ...page, offset: smallOffset, status: 'used' }),
      await listClaimLinks(db, 1, { ...page, offset: smallOffset, status: 'unused' }),
      await listAuditLog(db, page),
      await listAuditLog(db, { ...page, communityId: 'b' }),
      await listAuditLog(db, { ...page, action: 'updateToken' }),
      await listAuditLog(db, { ...page, action: 'revokeApiKey' }),
      await listAuditLog(db, { ...page, offset: smallOffset, apiKeyId: API_KEY_ID }),
    );
  }
  plans.push(
    await findLoggedObjects(db, {
      operationIds: listIds('claim'),
      tokenIds: [1],
      claimLinkIds: listIds('link'),
      invitationIds: listIds('link'),
      recipientIds: listIds('link'),
      apiKeyIds: [API_KEY_ID],
      webhookIds: [API_KEY_ID],
      nftTypes: [{ communityId: 'a', nftTypeId: API_KEY_ID }],
      communityIds: ['a', 'b'],
    }),
  );
  return plans.map(pagesRead);
}

/** 25 of the ids that `createFilledDatabase` has made. */
function listIds(kind: 'claim' | 'link'): string[] {
  return Array.from({ length: 25 }, (_, index) => {
    const digits = createHash('md5')
      .update(`${kind}${(index + 1) * 2}`)
      .digest('hex');
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  });
}
