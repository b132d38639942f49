import { BadgeApiError } from '@badge/sdk';
import { useCallback, useEffect, useState } from 'react';
import { findStored, writeStored } from '../../browser-storage.ts';
import { type Loaded, useLoaded, useReloadWhenShown } from '../../use-loaded.ts';
import { useSession } from '../session/session.ts';

const REFRESH_MS = 2_000;

/**
 * The export or the import of the community that this browser follows, by its id; null if there is none. A
 * reloaded page, and another page that leads back, find it again.
 */
export function useFollowedId(kind: 'export' | 'import'): [number | null, (id: number | null) => void] {
  const { communityId } = useSession();
  const name = `badge.console.${kind}.${communityId}`;
  const [id, setId] = useState(() => Number(findStored(name)) || null);
  const follow = useCallback(
    (next: number | null) => {
      writeStored(name, next === null ? null : String(next));
      setId(next);
    },
    [name],
  );
  return [id, follow];
}

/** Reads an export or an import, and reads it again until it is final. Calls `onGone` if it is not kept. */
export function useTransfer<T extends { status: string }>(
  name: string,
  read: (signal: AbortSignal) => Promise<T>,
  onGone: () => void,
): Loaded<T> {
  const { isPaused } = useSession();
  const loaded = useLoaded(name, read);
  const { reload } = loaded;
  const isRunning = loaded.status === 'loaded' && ['pending', 'processing'].includes(loaded.value.status);
  const isGone =
    loaded.status === 'failed' && loaded.error instanceof BadgeApiError && loaded.error.status === 404;
  const refresh = useCallback(() => {
    if (document.visibilityState === 'visible') reload();
  }, [reload]);
  useEffect(() => {
    if (!isRunning || isPaused) return;
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isRunning, isPaused, refresh]);
  useReloadWhenShown(refresh);
  useEffect(() => {
    if (isGone) onGone();
  }, [isGone, onGone]);
  return loaded;
}
