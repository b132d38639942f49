import {
  type Community,
  type CommunityConfiguration,
  type CommunityWithAdmins,
  LIMITS,
  RESERVED_ATTRIBUTE_NAMES,
  type ReminderSettings,
} from '@badge/protocol';
import type { Context, Settings } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import {
  type CommunityRow,
  findCommunities,
  listCommunityIds,
  listCommunities as listCommunityRows,
} from '../../storage/communities.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readEnvironment } from '../environment/read-environment.ts';
import { isCustomId } from '../ids.ts';
import { mapPieces, type Piece, type Reader, readInPieces } from '../reader.ts';
import { Refusal } from '../refusal.ts';

// A description of 1,000 characters of up to 6 bytes in JSON, a logo's URL and 100 addresses, among others.
const COMMUNITY_BYTES = 16 * 1024;

/** Reads a community's row by its uniqId, which is case-sensitive. */
export async function readCommunityRow(context: Context, communityId: string): Promise<CommunityRow> {
  const row = isCustomId(communityId) ? await context.lookUps.findCommunity(communityId) : undefined;
  if (row === undefined) throw new Refusal('CommunityNotFound', 'There is no community with this id.');
  return row;
}

/** Reads the id of the chain on which the contract wallets of a community are. */
export async function readWalletChainId(context: Context, communityId: string): Promise<number> {
  return findWalletChainId(context.settings, await readCommunityRow(context, communityId));
}

function findWalletChainId({ domain }: Settings, row: CommunityRow): number {
  return row.contract_wallet_chain_id ?? domain.chainId;
}

/** Reads the public fields of a community. */
export async function readCommunity(context: Context, communityId: string): Promise<Community> {
  return toCommunity(context.settings, await readCommunityRow(context, communityId));
}

/** Lists all communities for the operator, oldest first, with their admins' addresses. */
export function listCommunities(
  { database, settings }: Context,
  reader: Reader,
  page: { limit: number; offset: number },
): AsyncGenerator<Piece<CommunityWithAdmins>> {
  const rows = readInPieces<string, CommunityRow>(reader, {
    limit: page.limit,
    maxItemBytes: COMMUNITY_BYTES,
    listIds: () => listCommunityIds(database, page),
    listItems: () => listCommunityRows(database, page),
    findItems: async (ids) => (await findCommunities(database, ids)).filter((row) => row !== undefined),
  });
  return mapPieces(rows, (row) => toCommunityWithAdmins(settings, row));
}

/**
 * Reads the configuration that a community's own software needs: the environment, the EIP-712 domain and
 * types, the admins, the limits and the reserved names of attributes.
 */
export async function readConfiguration(
  context: Context,
  caller: Caller,
  communityId: string,
): Promise<CommunityConfiguration> {
  const row = await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  return {
    communityId,
    ...readEnvironment(context),
    adminAddresses: row.admin_addresses.map(toChecksumAddress),
    contractWalletChainId: findWalletChainId(context.settings, row),
    reminders: toReminders(row),
    limits: { ...LIMITS, storageBytes: context.settings.storageQuotaBytes },
    reservedAttributeNames: [...RESERVED_ATTRIBUTE_NAMES],
  };
}

function toCommunity(settings: Settings, row: CommunityRow): Community {
  return {
    uniqId: row.community_id,
    displayId: row.display_id,
    name: row.name,
    description: row.description,
    logoUrl: row.logo_url ?? `${settings.imageUrl}/logo.png`,
  };
}

export function toCommunityWithAdmins(settings: Settings, row: CommunityRow): CommunityWithAdmins {
  return {
    ...toCommunity(settings, row),
    adminAddresses: row.admin_addresses.map(toChecksumAddress),
    contractWalletChainId: findWalletChainId(settings, row),
    reminders: toReminders(row),
  };
}

function toReminders(row: CommunityRow): ReminderSettings {
  return {
    unclaimedAfterDays: row.remind_unclaimed_after,
    beforeExpiryDays: row.remind_before_expiry,
  };
}
