import { findCommunityId, findKey, writeCommunityId, writeKey } from './stored-key.ts';

// The tabs of the console tell each other who is signed in. Only pages of this origin get these messages, and
// nothing is stored: whoever closes the last tab is forgotten.

type Message =
  | { type: 'whoIsSignedIn' }
  | { type: 'signedIn'; key: string; communityId: string | null }
  | { type: 'signedOut'; key: string };

const NAME = 'badge.console.session';

// A tab that is signed in answers at once, unless its page is busy.
const ANSWER_MS = 2_000;

/** How many tabs are signed in. Zero if the browser cannot say. */
export async function countSignedInTabs(): Promise<number> {
  const { held = [] } = (await navigator.locks?.query().catch(() => null)) ?? {};
  return held.filter(({ name }) => name === NAME).length;
}

/** Signs in as another tab is, if this tab is not signed in. Takes no time if no other tab is signed in. */
export async function signInAsOtherTab(): Promise<void> {
  if (findKey() !== null || (await countSignedInTabs()) === 0) return;
  const channel = new BroadcastChannel(NAME);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ANSWER_MS);
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.type !== 'signedIn') return;
      clearTimeout(timer);
      writeKey(data.key);
      writeCommunityId(data.communityId);
      resolve();
    };
    channel.postMessage({ type: 'whoIsSignedIn' } satisfies Message);
  });
  channel.close();
}

/**
 * Answers tabs that ask who is signed in, until the returned function is called. Calls `onSignedOut` when the
 * person signs out in another tab.
 */
export function shareSignIn(key: string, onSignedOut: () => void): () => void {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'whoIsSignedIn') {
      channel.postMessage({ type: 'signedIn', key, communityId: findCommunityId() } satisfies Message);
    } else if (data.type === 'signedOut' && data.key === key) {
      onSignedOut();
    }
  };
  const leaving = new AbortController();
  // Held until this tab is closed or signs out, so that a new tab knows whether somebody will answer.
  navigator.locks
    ?.request(NAME, { mode: 'shared', signal: leaving.signal }, () => waitForAbort(leaving.signal))
    .catch(() => {});
  return () => {
    leaving.abort();
    channel.close();
  };
}

/** Signs out the other tabs that have this key. */
export function signOutOtherTabs(key: string): void {
  const channel = new BroadcastChannel(NAME);
  channel.postMessage({ type: 'signedOut', key } satisfies Message);
  channel.close();
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
