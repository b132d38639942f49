import { BadgeApiError, type BadgeClient, type EventPage } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { keepTrying, pause } from '../../pages/claim/keep-trying.ts';
import { useSession } from '../session/session.ts';

const PAGE_SIZE = 1_000;
const WAIT_SECONDS = 25;
/** A crowd claims in the same second. Then everything is read again once in this time. */
const PAUSE_MS = 1_000;
const MAX_ERROR_PAUSE_MS = 60_000;
/** How far the events of each community were read in this tab. */
const cursors = new Map<string, string>();

/**
 * Follows the events of the community while the page is visible. Returns a number that goes up when something
 * has happened with the badge, so that what is shown can be read again.
 */
export function useBadgeEvents(tokenId: number | null): number {
  const { badge, communityId, isPaused } = useSession();
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (tokenId === null || isPaused) return;
    let controller: AbortController | null = null;
    const follow = () => {
      controller?.abort();
      controller = null;
      if (document.visibilityState !== 'visible') return;
      controller = new AbortController();
      const { signal } = controller;
      const options = { communityId, tokenId, signal, onChange: () => setCount((last) => last + 1) };
      void followEvents(badge, options).catch(() => {
        // It has ended: the page is left, or may not read the events. What is shown stays.
      });
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      controller?.abort();
    };
  }, [badge, communityId, tokenId, isPaused]);
  return count;
}

type Event = EventPage['data'][number];

interface FollowOptions {
  communityId: string;
  tokenId: number;
  signal: AbortSignal;
  onChange: () => void;
}

/**
 * Calls `onChange` after each change of the badge, until the signal is aborted or the events may not be read.
 */
async function followEvents(badge: BadgeClient, options: FollowOptions): Promise<never> {
  const { communityId, tokenId, signal, onChange } = options;
  let errorPauseMs = PAUSE_MS;
  let isChanged = false;
  for (;;) {
    try {
      // What has happened before the first response is not in the feed that follows, so everything is read
      // again.
      isChanged ||= !cursors.has(communityId);
      const page = await readNext(badge, communityId, signal);
      errorPauseMs = PAUSE_MS;
      cursors.set(communityId, page.nextCursor);
      isChanged ||= page.data.some((event) => isAbout(event, tokenId));
      if (page.hasMore || !isChanged) continue;
      isChanged = false;
      onChange();
      await pause(PAUSE_MS, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BadgeApiError && error.name === 'CursorExpired') {
        cursors.delete(communityId);
        onChange();
      } else if (error instanceof BadgeApiError && error.status < 500) throw error;
      await pause(errorPauseMs, signal);
      errorPauseMs = Math.min(2 * errorPauseMs, MAX_ERROR_PAUSE_MS);
    }
  }
}

/**
 * Reads the next events, or waits for one. While the service cannot be reached, it is asked ever less often.
 */
async function readNext(badge: BadgeClient, communityId: string, signal: AbortSignal): Promise<EventPage> {
  const after = cursors.get(communityId);
  const query = {
    communityId,
    limit: PAGE_SIZE,
    ...(after === undefined ? { after: 'end' } : { after, wait: WAIT_SECONDS }),
  };
  return await keepTrying(() => badge.readEvents(query, { signal }), {
    signal,
    onProblem: () => {},
    wakeUps: window,
    isOnline: () => navigator.onLine,
  });
}

const isAbout = ({ data }: Event, tokenId: number) => 'tokenId' in data && data.tokenId === tokenId;
