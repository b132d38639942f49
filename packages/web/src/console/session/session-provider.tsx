import { type BadgeClient, type Caller, createBadgeClient } from '@badge/sdk';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { ConsoleFrame } from '../console-frame.tsx';
import { forgetRooms } from '../room/room-code.ts';
import { ChangeKeyDialog } from './change-key-dialog.tsx';
import { findOfferedKey, takeKeyFromUrl } from './key-in-url.ts';
import { otherTabs } from './other-tabs.ts';
import {
  type ConsoleSession,
  includesRole,
  type NamedCommunity,
  SessionContext,
  type SignedOutBecause,
} from './session.ts';
import { SignInPage } from './sign-in-page.tsx';
import { findCommunityId, findKey, writeCommunityId, writeKey } from './stored-key.ts';

const MAX_COMMUNITIES = 1_000;

/** Shows its children to somebody who is signed in, otherwise the sign-in. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [key, setKey] = useState(findKey);
  /** The key of a link that was opened while somebody is signed in. */
  const [offered, setOffered] = useState(findOfferedKey);
  const [because, setBecause] = useState<SignedOutBecause>(null);
  // Whether a page was shown with a key before. It stays, hidden, while the person signs in again.
  const [hasPage, setHasPage] = useState(false);

  const signIn = useCallback((newKey: string) => {
    writeKey(newKey);
    setKey(newKey);
    setBecause(null);
  }, []);
  // A link that is opened in a tab with the console does not load the page again.
  useEffect(() => {
    const takeKey = () => {
      const newKey = takeKeyFromUrl();
      if (newKey === null || newKey === key) return;
      if (key === null) signIn(newKey);
      else setOffered(newKey);
    };
    addEventListener('hashchange', takeKey);
    return () => removeEventListener('hashchange', takeKey);
  }, [signIn, key]);
  const leave = useCallback((cause: SignedOutBecause) => {
    writeKey(null);
    setKey(null);
    setBecause(cause);
    if (cause !== 'expired') setHasPage(false);
  }, []);
  const showPage = useCallback(() => setHasPage(true), []);

  return (
    <>
      {key === null && (
        <ConsoleFrame>
          <SignInPage because={because} onKey={signIn} />
        </ConsoleFrame>
      )}
      {(key !== null || hasPage) && (
        <KeyedSession apiKey={key} onLeave={leave} onPage={showPage}>
          {children}
        </KeyedSession>
      )}
      {offered !== null && (
        <ChangeKeyDialog
          offered={offered}
          onChange={() => {
            if (key !== null) endUnusedSession(key).catch(() => {});
            signIn(offered);
          }}
          onClose={() => setOffered(null)}
        />
      )}
    </>
  );
}

/** Ends a session that this tab leaves, unless another tab may go on with it. */
async function endUnusedSession(key: string): Promise<void> {
  if (!key.startsWith('badge_session_') || (await otherTabs.countTabs()) > 1) return;
  await createBadgeClient({ url: location.origin, apiKey: key }).signOut();
}

interface KeyedSessionProps {
  /** Null while the person signs in again. */
  apiKey: string | null;
  onLeave: (because: SignedOutBecause) => void;
  onPage: () => void;
  children: ReactNode;
}

interface Identity {
  caller: Caller;
  communities: NamedCommunity[];
}

function KeyedSession({ apiKey, onLeave, onPage, children }: KeyedSessionProps) {
  const [communityId, setCommunityId] = useState(findCommunityId);
  // The last session. A page that is hidden during a sign-in still has it.
  const [last, setLast] = useState<Identity | null>(null);
  const fetchWithKey = useMemo(() => createFetch(apiKey, onLeave), [apiKey, onLeave]);
  const client = useMemo(
    () => createBadgeClient({ url: location.origin, apiKey: apiKey ?? undefined, fetch: fetchWithKey }),
    [apiKey, fetchWithKey],
  );
  const identity = useLoaded(`identity/${apiKey}`, async (signal) =>
    apiKey === null ? null : await readIdentity(client, signal),
  );
  const { reload } = identity;
  const read = identity.status === 'loaded' ? identity.value : null;
  useEffect(() => {
    if (read === null) return;
    setLast(read);
    onPage();
  }, [read, onPage]);

  const forget = useCallback(() => {
    forgetRooms();
    onLeave('signedOut');
  }, [onLeave]);
  // Only who is known to the service: a mistyped key is no sign-in.
  const isSignedIn = read !== null;
  useEffect(() => {
    if (apiKey !== null && isSignedIn) return otherTabs.share(apiKey, forget);
  }, [apiKey, isSignedIn, forget]);

  const shown = read ?? last;
  const session = useMemo((): ConsoleSession | null => {
    if (shown === null) return null;
    const { caller, communities } = shown;
    const isOperator = caller.kind === 'operator';
    const forgetEverywhere = () => {
      if (apiKey !== null) otherTabs.signOutOtherTabs(apiKey);
      forget();
    };
    const open =
      (communities.find((one) => one.communityId === communityId) ?? communities[0])?.communityId ?? '';
    const role = isOperator
      ? 'owner'
      : (caller.memberships.find((membership) => membership.communityId === open)?.role ?? 'viewer');
    return {
      badge: client,
      kind: caller.kind,
      address: caller.address,
      callerId: caller.apiKeyId ?? caller.address ?? caller.kind,
      communityId: open,
      role,
      communities,
      isOperator,
      isPaused: apiKey === null,
      may: (needed) => includesRole(role, needed),
      openCommunity(id) {
        writeCommunityId(id);
        setCommunityId(id);
      },
      reload,
      signOut() {
        // The key is forgotten at once, even if the service cannot be reached: then the session ends by
        // itself.
        if (caller.kind === 'session') client.signOut().catch(() => {});
        forgetEverywhere();
      },
      async signOutEverywhere() {
        await client.signOutEverywhere();
        forgetEverywhere();
      },
      fetchFile: (path, accept) =>
        fetchWithKey(path, { headers: { Accept: accept, Authorization: `Bearer ${apiKey}` } }),
    };
  }, [shown, communityId, client, fetchWithKey, apiKey, forget, reload]);

  if (apiKey !== null && session === null) {
    return (
      <ConsoleFrame>
        {identity.status === 'failed' ? (
          <LoadError isPage error={identity.error} onRetry={reload} />
        ) : (
          <LoadingBlock />
        )}
      </ConsoleFrame>
    );
  }
  if (session === null) return null;
  return (
    <SessionContext value={session}>
      <div hidden={apiKey === null}>{children}</div>
    </SessionContext>
  );
}

async function readIdentity(client: BadgeClient, signal: AbortSignal): Promise<Identity> {
  const caller = await client.getCaller({ signal });
  if (caller.kind !== 'operator') {
    return { caller, communities: caller.memberships };
  }
  const { data } = await client.listCommunities({ limit: MAX_COMMUNITIES }, { signal });
  return { caller, communities: data.map(({ uniqId, name }) => ({ communityId: uniqId, name })) };
}

/** A `fetch` that says when the service rejects the key. */
function createFetch(
  apiKey: string | null,
  onLeave: (because: SignedOutBecause) => void,
): typeof globalThis.fetch {
  let isAccepted = false;
  return async (input, init) => {
    const response = await fetch(input, init);
    // Signing out is not an expiry, whatever the service responds.
    const isSignOut = init?.method === 'DELETE' && String(input).endsWith('/v1/sessions/current');
    if (response.status === 401 && apiKey !== null && !isSignOut) {
      onLeave(isAccepted || apiKey.startsWith('badge_session_') ? 'expired' : 'refused');
    } else if (response.ok) {
      isAccepted = true;
    }
    return response;
  };
}
