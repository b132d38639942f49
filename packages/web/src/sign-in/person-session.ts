import {
  type BadgeClient,
  type BadgeClientOptions,
  type CreatedSession,
  createBadgeClient,
} from '@badge/sdk';
import { useEffect, useSyncExternalStore } from 'react';
import { createSharedSignIn } from '../shared-sign-in.ts';
import { findInTab, writeInTab } from '../tab-store.ts';

/** Who has signed in on these pages, with an e-mail address or with a wallet. */
export interface PersonSession {
  /** The token of the session. */
  key: string;
  /** Null after a sign-in with a wallet. */
  email: string | null;
  /** Null after a sign-in by e-mail. */
  address: string | null;
}

const NAME = 'badge.session';

const listeners = new Set<() => void>();
const otherTabs = createSharedSignIn<PersonSession>({ name: NAME, find: findSession, keep });
let session = readSession();
let stopSharing = () => {};
/** Whether other tabs are being asked, and whether it is known what they say. */
let isAsking = false;
let hasAsked = session !== null;
if (session !== null) share(session);

/** Who has signed in on this tab, or null. */
export function findSession(): PersonSession | null {
  return session;
}

/**
 * Who has signed in, on this tab or another one; null if nobody has. Undefined for a moment, while another
 * tab is asked.
 */
export function useSession(): PersonSession | null | undefined {
  useEffect(() => {
    if (isAsking || hasAsked) return;
    isAsking = true;
    void otherTabs.signInAsOtherTab().finally(() => {
      hasAsked = true;
      tell();
    });
  }, []);
  return useSyncExternalStore(subscribe, () => session ?? (hasAsked ? null : undefined));
}

/** Signs in with what the service has returned. */
export function keepSession({ sessionToken, identity }: CreatedSession): PersonSession {
  const created = {
    key: sessionToken,
    email: identity.type === 'email' ? identity.email : null,
    address: identity.type === 'wallet' ? identity.address : null,
  };
  keep(created);
  return created;
}

/** Forgets a session that is over, in this tab. */
export function forgetSession({ key }: PersonSession): void {
  if (session?.key !== key) return;
  stopSharing();
  session = null;
  writeInTab(NAME, null);
  tell();
}

/** Signs out in all tabs. The session is forgotten at once; without a connection, it ends by itself. */
export function signOut(ended: PersonSession): void {
  otherTabs.signOutOtherTabs(ended.key);
  clientOf(ended)
    .signOut()
    .catch(() => {});
  forgetSession(ended);
}

/** Ends all sessions of the person, also on other devices. Throws, and changes nothing, if this fails. */
export async function signOutEverywhere(ended: PersonSession): Promise<void> {
  await clientOf(ended).signOutEverywhere();
  otherTabs.signOutOtherTabs(ended.key);
  forgetSession(ended);
}

/** A client with the session. A session that the service no longer accepts is forgotten. */
export function clientOf(
  used: PersonSession,
  options: Pick<BadgeClientOptions, 'maxRetries' | 'timeoutMs'> = {},
): BadgeClient {
  return createBadgeClient({
    ...options,
    url: location.origin,
    apiKey: used.key,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.status === 401) forgetSession(used);
      return response;
    },
  });
}

function keep(created: PersonSession): void {
  stopSharing();
  session = created;
  writeInTab(NAME, JSON.stringify(created));
  share(created);
  tell();
}

function share(shared: PersonSession): void {
  stopSharing = otherTabs.share(shared.key, () => forgetSession(shared));
}

function readSession(): PersonSession | null {
  try {
    const stored = JSON.parse(findInTab(NAME) ?? 'null') as PersonSession | null;
    return typeof stored?.key === 'string' ? stored : null;
  } catch {
    return null;
  }
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
