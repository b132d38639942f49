import { useSyncExternalStore } from 'react';
import { useLoaded } from '../../use-loaded.ts';
import { discoverWallets } from '../../wallet/discover-wallets.ts';
import { findLastWallet } from '../../wallet/last-wallet.ts';
import { useSession } from '../session/session.ts';
import { findManagedCreator } from './creator-signer.ts';
import type { SignerChoice } from './signer.ts';

const wallets = discoverWallets(window);

/**
 * Returns who can sign for the community that is open. The first is the one to suggest: a key that the
 * service keeps needs nothing else, then the last wallet. Null until it is known.
 */
export function useSigners(): {
  choices: readonly SignerChoice[] | null;
  error: unknown;
  reload: () => void;
} {
  const { badge, communityId } = useSession();
  const installed = useSyncExternalStore(wallets.subscribe, wallets.list);
  const keys = useLoaded(`signers/${communityId}`, async (signal) => {
    const [environment, managed] = await Promise.all([
      badge.getEnvironment({ signal }),
      findManagedCreator(badge, communityId, signal),
    ]);
    return { isSandbox: environment.environment === 'sandbox', managed };
  });
  const { reload } = keys;
  if (keys.status !== 'loaded') {
    return { choices: null, error: keys.status === 'failed' ? keys.error : null, reload };
  }
  const { isSandbox, managed } = keys.value;
  const last = findLastWallet(wallets);
  const ordered = installed.toSorted((one, other) => Number(other === last) - Number(one === last));
  const choices: SignerChoice[] = [
    ...(managed === null ? [] : [{ id: 'managed', address: managed.address } as const]),
    ...ordered.map((wallet) => ({ id: `wallet:${wallet.walletId}`, wallet }) as const),
    ...(isSandbox ? [{ id: 'testKey' } as const] : []),
  ];
  return { choices, error: null, reload };
}
