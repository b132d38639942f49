import type { Token } from '@badge/sdk';
import { useLoaded } from '../../use-loaded.ts';
import { openJobStore } from '../give/job-store.ts';
import { toKey } from '../give/plan-lines.ts';

/**
 * Returns a function that says the name of an address or an e-mail, from the lists that were given in this
 * browser. Empty if no list has said it.
 */
export function useNames(token: Token): (recipient: string) => string {
  const names = useLoaded(`names/${token.tokenId}`, async () => {
    // Without a store, there are no names.
    const store = await openJobStore().catch(() => null);
    return (await store?.findNames(token)) ?? new Map<string, string>();
  });
  return (recipient) => (names.status === 'loaded' ? (names.value.get(toKey(recipient)) ?? '') : '');
}
