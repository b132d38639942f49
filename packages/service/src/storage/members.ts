import type { Role } from '@badge/protocol';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { prepared } from './prepared-statements.ts';

export interface MemberKey {
  communityId: string;
  address: Address;
}

/** Returns the role of each address in its community, in the same order; null for who is not a member. */
export async function findMemberRoles(db: Database, keys: MemberKey[]): Promise<(Role | null)[]> {
  const { rows } = await prepared<{ position: number; role: Role }>`
    select wanted.position, m.role
    from unnest(
      (select ${keys.map((key) => key.communityId)}::text[]), (select ${keys.map((key) => key.address)}::bytea[])
    ) with ordinality as wanted (community_id, address, position)
    cross join lateral (
      select * from members m where m.community_id = wanted.community_id and m.address = wanted.address limit 1
    ) m`.execute(db);
  const byPosition = new Map(rows.map((row) => [Number(row.position), row.role]));
  return keys.map((_, index) => byPosition.get(index + 1) ?? null);
}
