import type { BadgeClient, Caller, Role } from '@badge/sdk';
import { createContext, use } from 'react';

export interface NamedCommunity {
  communityId: string;
  name: string;
}

/** Who is signed in, and for which community they act. */
export interface ConsoleSession {
  /** A client with the key or the session. */
  badge: BadgeClient;
  kind: Caller['kind'];
  /** The address that has signed in with a wallet; null with a key. */
  address: string | null;
  /** Names the key, or the address of the session. `Idempotency-Key`s count for it alone. */
  callerId: string;
  /** The community that is open. */
  communityId: string;
  /** The role in this community. The operator is an `owner` of each. */
  role: Role;
  /** The communities to choose from. For the operator: the first 1,000. */
  communities: readonly NamedCommunity[];
  /** Whether the service lets this role do what needs `needed`. */
  may(needed: Role): boolean;
  /** Whether this is the operator's key. */
  isOperator: boolean;
  /** Whether the sign-in is shown, and the page is hidden meanwhile. */
  isPaused: boolean;
  openCommunity(communityId: string): void;
  /** Reads again who is signed in, for example after a change of members. */
  reload(): void;
  signOut(): void;
  /**
   * Ends all sessions of this person, and signs out. Throws, and changes nothing, if the service cannot end
   * them.
   */
  signOutEverywhere(): Promise<void>;
  /** Sends a GET with the key, for what the client does not return, such as a CSV file. */
  fetchFile(path: string, accept: string): Promise<Response>;
}

/** Why nobody is signed in any more. */
export type SignedOutBecause = 'expired' | 'refused' | 'signedOut' | null;

export const SessionContext = createContext<ConsoleSession | null>(null);

/** The session of the console. Only pages below `SessionProvider` are shown, so there is always one. */
export function useSession(): ConsoleSession {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession() outside of a SessionProvider');
  return session;
}

/**
 * Whether the sign-in is shown. An open dialog would block it although nobody sees the dialog. The dialog
 * that asks whether to change the session is outside of it.
 */
export function useIsPaused(): boolean {
  return use(SessionContext)?.isPaused ?? false;
}

// The order of the roles in @badge/protocol. Each may do what the ones before it may do.
export const ROLES = ['viewer', 'issuer', 'editor', 'owner'] as const satisfies readonly Role[];

export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
