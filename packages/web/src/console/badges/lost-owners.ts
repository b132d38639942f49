import { BadgeApiError, type BadgeClient, type Contributor, type OwnerState, type Token } from '@badge/sdk';
import { findStored, writeStored } from '../../browser-storage.ts';
import { isAddress } from '../../urls.ts';
import { findHolders } from '../find-holders.ts';

const PAGE_SIZE = 1_000;
/** A longer list is not read as a whole. The search for a whole address finds everybody. */
const MAX_PAGES = 5;
const MAX_REMEMBERED = 100;
/** Each of them is asked for by itself. */
const MAX_LOST = 50;

const storedAs = (tokenId: number) => `badge.console.revoked.${tokenId}`;

/** The addresses that were revoked in this browser. The service does not list them. */
function findRevokedHere(tokenId: number): string[] {
  try {
    const addresses: unknown = JSON.parse(findStored(storedAs(tokenId)) ?? '[]');
    return Array.isArray(addresses) ? addresses.filter(isAddress) : [];
  } catch {
    return [];
  }
}

/** Remembers an address that has just lost a badge, so that it can be found again. */
export function rememberRevoked(tokenId: number, address: string): void {
  const others = findRevokedHere(tokenId).filter((other) => other !== address);
  writeStored(storedAs(tokenId), JSON.stringify([address, ...others].slice(0, MAX_REMEMBERED)));
}

/** Who is on the list of a badge and has claimed it, and who of them does not hold it any more. */
export interface Claimants {
  /** Who claimed with which address, by the address in lower case. */
  byAddress: ReadonlyMap<string, Contributor>;
  /** Those who have lost the badge, the last one first. */
  lost: readonly OwnerState[];
  /** False if there are so many that not all were read. */
  isComplete: boolean;
}

/**
 * The service lists only the addresses that hold a badge. This finds those that have lost it: they were
 * revoked in this browser, or are on the list, which still says that they have claimed.
 */
export async function readClaimants(
  badge: BadgeClient,
  { tokenId, claimabilityAttributes }: Token,
  signal: AbortSignal,
): Promise<Claimants> {
  const byAddress = new Map<string, Contributor>();
  let isComplete = true;
  if (claimabilityAttributes.isAllowlistRequired) {
    for (let page = 0; ; page += 1) {
      const part = { limit: PAGE_SIZE, offset: page * PAGE_SIZE };
      const { data } = await badge.listContributors({ tokenId, ...part }, { signal });
      for (const entry of data) {
        if (entry.hasClaimed && entry.address !== null) byAddress.set(entry.address.toLowerCase(), entry);
      }
      if (data.length < PAGE_SIZE) break;
      isComplete = page + 1 < MAX_PAGES;
      if (!isComplete) break;
    }
  }
  const here = findRevokedHere(tokenId).map((address) => address.toLowerCase());
  const lost = await findLost(badge, tokenId, [...new Set([...here, ...byAddress.keys()])], signal);
  return { byAddress, lost: lost.owners, isComplete: isComplete && lost.isComplete };
}

/** Returns which of these addresses have lost the badge. */
export async function findLost(
  badge: BadgeClient,
  tokenId: number,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<{ owners: OwnerState[]; isComplete: boolean }> {
  const holders = await findHolders(badge, tokenId, addresses, signal);
  const missing = addresses.filter((address) => !holders.has(address.toLowerCase()));
  const states = await Promise.all(
    missing.slice(0, MAX_LOST).map((address) => findOwner(badge, tokenId, address, signal)),
  );
  return {
    owners: states
      .filter((owner) => owner !== null)
      .filter(({ status }) => status !== 'held')
      .sort((one, other) => other.statusChangedAtTimestamp - one.statusChangedAtTimestamp),
    isComplete: missing.length <= MAX_LOST,
  };
}

/** What has become of the badge of an address; null if it has never had it. */
export async function findOwner(
  badge: BadgeClient,
  tokenId: number,
  address: string,
  signal: AbortSignal,
): Promise<OwnerState | null> {
  try {
    return await badge.getOwner({ tokenId, address }, { signal });
  } catch (error) {
    if (error instanceof BadgeApiError && error.name === 'OwnerNotFound') return null;
    throw error;
  }
}
