import type { AuditEntry } from '@badge/sdk';
import { useLoaded } from '../../use-loaded.ts';
import { findName } from '../people/person-name.tsx';
import { useSession } from '../session/session.ts';

/** By the badge and the address, such as `7/0x…`. */
export type OwnerNames = ReadonlyMap<string, string>;

/** Returns the names of those whose badges the entries are about, as far as they are known. */
export function useOwnerNames(entries: readonly AuditEntry[]): OwnerNames {
  const { badge } = useSession();
  const owners = new Map(
    entries.flatMap(({ tokenId, ownerAddress, toAddress }) =>
      [ownerAddress, toAddress].flatMap((address) =>
        tokenId === null || address === null
          ? []
          : [[`${tokenId}/${address}`, { tokenId, address }] as const],
      ),
    ),
  );
  const loaded = useLoaded(`owner-names/${[...owners.keys()].join()}`, async (signal) => {
    const names = new Map<string, string>();
    // One after the other, because each search reads all people of a badge.
    for (const [key, { tokenId, address }] of owners) {
      const { data } = await badge.listRecipients({ tokenId, search: address, limit: 1 }, { signal });
      const name = data[0] === undefined ? null : findName(data[0]);
      if (name !== null) names.set(key, name);
    }
    return names;
  });
  return loaded.status === 'loaded' ? loaded.value : new Map();
}
