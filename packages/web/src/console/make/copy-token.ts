import {
  BadgeApiError,
  type BadgeClient,
  type Contributor,
  type Page,
  type PageOptions,
  type Token,
} from '@badge/sdk';
import { emptyFields, type Fields } from './draft.ts';
import { fromEnd, fromTimestamp } from './typed-times.ts';

const PAGE_SIZE = 1_000;
/** What one request can add or remove. */
const MAX_CONTRIBUTORS = 10_000;
/** How often a removal is repeated because somebody claims meanwhile. */
const MAX_REMOVALS = 20;
const LINKS_AT_ONCE = 10;
const LINK_PREFIX = 'claimLink:';

/** The fields of a corrected copy: those of the badge, and as many claims as are left. */
export function toFields(token: Token): Fields {
  const { isAllowlistRequired, totalClaimCount, remainingClaimCount, expirationTimestamp } =
    token.claimabilityAttributes;
  return {
    ...emptyFields(token.nftTypeId),
    headline: token.headline,
    description: token.description,
    criteria: token.criteria ?? '',
    who: isAllowlistRequired ? 'list' : 'everyone',
    count: isAllowlistRequired ? '' : String(remainingClaimCount || totalClaimCount),
    links: [...token.links],
    start: fromTimestamp(token.startDateTimestamp),
    end: fromTimestamp(token.endDateTimestamp),
    claimUntil: fromEnd(expirationTimestamp),
    attributes: token.customAttributes.map(({ fieldName, type, value }) => ({
      name: fieldName,
      type,
      value: type === 'date' && typeof value === 'number' ? new Date(value).toISOString() : String(value),
    })),
  };
}

/**
 * Lists who is on the list of a badge and has not claimed. Those with a link for anybody have no name, so
 * they are left out.
 */
export async function listWaiting(
  badge: BadgeClient,
  tokenId: number,
  signal?: AbortSignal,
): Promise<string[]> {
  const contributors = await readAll<Contributor>((part) =>
    badge.listContributors({ tokenId, ...part }, { signal }),
  );
  return contributors
    .filter(({ contributor, hasClaimed }) => !hasClaimed && !contributor.startsWith(LINK_PREFIX))
    .map(({ contributor }) => contributor);
}

/** As many people as the request that creates the copy can have. `finishCopy` adds the others. */
export function firstContributors(waiting: readonly string[]): string[] {
  return waiting.slice(0, MAX_CONTRIBUTORS);
}

interface Copy {
  badge: BadgeClient;
  oldTokenId: number;
  newTokenId: number;
  /** Signs that people are added to the list of the copy. */
  sign: () => Promise<string>;
  signal: AbortSignal;
}

/**
 * Hides the badge that was copied, and moves those who have not claimed to the copy: they are taken off the
 * old list, so that their links end, and the links for anybody are revoked. Each step can run again after a
 * crash.
 */
export async function finishCopy({ badge, oldTokenId, newTokenId, sign, signal }: Copy): Promise<void> {
  await badge.updateToken({ tokenId: oldTokenId, isHidden: true }, { signal });
  const { claimabilityAttributes } = await badge.getToken({ tokenId: oldTokenId }, { signal });
  if (!claimabilityAttributes.isAllowlistRequired) return;
  const listed = await readAll<Contributor>((part) =>
    badge.listContributors({ tokenId: newTokenId, ...part }, { signal }),
  );
  const keys = new Set(listed.map(({ contributor }) => contributor.toLowerCase()));
  const waiting = await listWaiting(badge, oldTokenId, signal);
  const missing = waiting.filter((contributor) => !keys.has(contributor.toLowerCase()));
  if (missing.length > 0) {
    const signature = await sign();
    for (const contributors of split(missing, MAX_CONTRIBUTORS)) {
      const addition = { tokenId: newTokenId, contributors, signature };
      await (await badge.addContributors(addition, { signal })).wait({ signal });
    }
  }
  await removeWaiting(badge, oldTokenId, waiting, signal);
  await revokeOpenLinks(badge, oldTokenId, signal);
}

async function removeWaiting(
  badge: BadgeClient,
  tokenId: number,
  waiting: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  let left = [...waiting];
  for (let removals = 0; left.length > 0; removals += 1) {
    const contributors = left.slice(0, MAX_CONTRIBUTORS);
    try {
      const removal = await badge.removeContributors({ tokenId, contributors }, { signal });
      await removal.wait({ signal });
      left = left.slice(MAX_CONTRIBUTORS);
    } catch (error) {
      const hasClaimed =
        error instanceof BadgeApiError && ['InvalidRequest', 'ContributorHasClaimed'].includes(error.name);
      if (!hasClaimed || removals >= MAX_REMOVALS) throw error;
      // Somebody has claimed meanwhile, and keeps the old badge.
      const stillWaiting = new Set(await listWaiting(badge, tokenId, signal));
      left = left.filter((contributor) => stillWaiting.has(contributor));
    }
  }
}

async function revokeOpenLinks(badge: BadgeClient, tokenId: number, signal: AbortSignal): Promise<void> {
  for (const status of ['unused', 'paused', 'notStarted'] as const) {
    const links = await readAll((part) => badge.listClaimLinks({ tokenId, status, ...part }, { signal }));
    for (const batch of split(links, LINKS_AT_ONCE)) {
      await Promise.all(
        batch.map(({ claimLinkId }) =>
          badge.revokeClaimLink({ tokenId, claimLinkId }, { signal }).catch((error: unknown) => {
            // It has just been used.
            if (!(error instanceof BadgeApiError) || error.name !== 'ClaimCodeUsed') throw error;
          }),
        ),
      );
    }
  }
}

async function readAll<Item>(list: (part: PageOptions) => PromiseLike<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const { data } = await list({ limit: PAGE_SIZE, offset: items.length });
    items.push(...data);
    if (data.length < PAGE_SIZE) return items;
  }
}

function split<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
