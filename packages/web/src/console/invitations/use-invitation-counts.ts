import type { BadgeClient, Invitation } from '@badge/sdk';
import { useCallback, useEffect, useState } from 'react';
import { useLoaded, useReloadOn, useReloadWhenShown } from '../../use-loaded.ts';
import { useSession } from '../session/session.ts';

export const INVITATION_STATUSES = [
  'queued',
  'sent',
  'failed',
  'claimed',
  'unsubscribed',
  'revoked',
] as const satisfies readonly Invitation['status'][];

const PAGE_SIZE = 1_000;
/** The service has no counts of its own. */
const MAX_PAGES = 10;
const REFRESH_MS = 3_000;
/** To count a long list takes several requests. */
const REFRESH_LONG_MS = 30_000;

export interface InvitationCounts {
  byStatus: Record<Invitation['status'], number>;
  total: number;
  /** Whether there are more than were counted. */
  isIncomplete: boolean;
}

async function countInvitations(
  badge: BadgeClient,
  tokenId: number,
  signal: AbortSignal,
): Promise<InvitationCounts> {
  const byStatus = { queued: 0, sent: 0, failed: 0, claimed: 0, unsubscribed: 0, revoked: 0 };
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const part = { limit: PAGE_SIZE, offset: page * PAGE_SIZE };
    const { data } = await badge.listInvitations({ tokenId, ...part }, { signal });
    for (const { status } of data) byStatus[status] += 1;
    const total = part.offset + data.length;
    if (data.length < PAGE_SIZE) return { byStatus, total, isIncomplete: false };
  }
  return { byStatus, total: MAX_PAGES * PAGE_SIZE, isIncomplete: true };
}

/**
 * Counts the invitations of a badge by their status: again whenever `eventCount` goes up or, without it,
 * again and again while mails are queued. `refreshCount` goes up after each time, so that the list can be
 * read again too.
 */
export function useInvitationCounts(
  tokenId: number,
  version: number,
  eventCount?: number,
): { counts: InvitationCounts | null; refreshCount: number } {
  const { badge, isPaused } = useSession();
  const loaded = useLoaded(`invitation-counts/${tokenId}/${version}`, (signal) =>
    countInvitations(badge, tokenId, signal),
  );
  const [refreshCount, setRefreshCount] = useState(0);
  const counts = loaded.status === 'loaded' ? loaded.value : null;
  const { reload } = loaded;
  useEffect(() => {
    if (counts !== null) setRefreshCount((count) => count + 1);
  }, [counts]);

  useReloadOn(eventCount ?? 0, reload);
  const isMoving = eventCount === undefined && counts !== null && counts.byStatus.queued > 0 && !isPaused;
  const pauseMs = (counts?.total ?? 0) > PAGE_SIZE ? REFRESH_LONG_MS : REFRESH_MS;
  const refresh = useCallback(() => {
    if (document.visibilityState === 'visible') reload();
  }, [reload]);
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(refresh, pauseMs);
    return () => clearInterval(timer);
  }, [isMoving, pauseMs, refresh]);
  useReloadWhenShown(refresh);
  return { counts, refreshCount };
}
