import type { Community, ManagedCommunity } from '@badge/protocol';
import type { Settings } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import type { CommunityRow } from '../../storage/communities.ts';

/** The community object (spec 2.4) of a stored community. */
export function toCommunity(settings: Settings, row: CommunityRow): Community {
  return {
    uniqId: row.community_id,
    displayId: row.display_id,
    name: row.name,
    description: row.description,
    logoUrl: row.logo_url ?? `${settings.imageUrl}/logo.png`,
  };
}

/** The same with its admins, for the operator. */
export function toManagedCommunity(settings: Settings, row: CommunityRow): ManagedCommunity {
  return { ...toCommunity(settings, row), adminAddresses: row.admin_addresses.map(toChecksumAddress) };
}
