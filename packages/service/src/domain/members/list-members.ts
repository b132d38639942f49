import type { Member } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { listMembers as listMemberRows, type MemberRow } from '../../storage/members.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import type { Reader } from '../reader.ts';

// More than a member needs in JSON.
const MEMBER_BYTES = 256;

/** Lists the members of a community, the oldest first. */
export async function listMembers(
  context: Context,
  reader: Reader,
  caller: Caller,
  { communityId, ...page }: { communityId: string; limit: number; offset: number },
): Promise<Member[]> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const rows = await reader.read(page.limit * MEMBER_BYTES, () =>
    listMemberRows(context.database, { ...page, communityId }),
  );
  return rows.map(toMember);
}

export function toMember(row: MemberRow): Member {
  return {
    address: toChecksumAddress(row.address),
    role: row.role,
    addedAtTimestamp: row.added_at.getTime(),
  };
}
