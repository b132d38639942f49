import { open, readFile } from 'node:fs/promises';
import type { Operation } from '@badge/protocol';
import type { Invariant } from './invariants.ts';

export type RequestKind =
  | 'createToken'
  | 'claim'
  | 'airdrop'
  | 'communityAdminAirdrop'
  | 'burn'
  | 'addContributors'
  | 'removeContributors'
  | 'revoke'
  | 'reinstate'
  | 'move';

/** A request as it is sent. A retry sends the same bytes. */
export interface JournaledRequest {
  kind: RequestKind;
  path: string;
  body: string;
  /** True if an API key is sent. */
  isKeySent: boolean;
  /** The API key that is sent. Default: the key of the community `demo`. */
  apiKey?: string;
  /** Null if none is sent. */
  idempotencyKey: string | null;
}

/** A claim link as the API returned it. */
export interface JournaledLink {
  claimLinkId: string;
  code: string;
  /** Null for a link that is not for an identifier. */
  identifier: string | null;
  /** Null if the link does not expire. */
  expiresAtTimestamp: number | null;
  /** For how many claims the code of a room is good; null for a link for one claim. */
  maxClaims: number | null;
}

/**
 * The result of one attempt to send a request. `unknown`: the request may or may not have been accepted, so
 * it is sent again.
 */
export type AttemptResult =
  | { outcome: 'accepted'; location: string }
  | { outcome: 'refused'; status: number; name: string }
  | { outcome: 'unknown'; status: number | null; reason: string };

/** The fields of an operation that the checks compare. */
export interface SeenOperation {
  operationType: string;
  status: string;
  resourceId: number | null;
  errorName: string | null;
}

export function toSeenOperation({ operationType, status, resourceId, error }: Operation): SeenOperation {
  return { operationType, status, resourceId, errorName: error?.name ?? null };
}

/**
 * A kind of probe. `write` creates a token and waits for its operation. `picture` requests a picture for the
 * first time.
 */
export type ProbeKind = 'healthz' | 'write' | 'read' | 'picture';

export interface ProbeResult {
  probe: ProbeKind;
  /** Until the expected response or the failure, with all retries. */
  tookMs: number;
  /**
   * The part of `tookMs` in which the prober itself could not run on time, mostly because it got no
   * processor.
   */
  lagMs: number;
  /**
   * The part of `tookMs` in which the service's main thread waited for a processor. 0 if the system does not
   * report it.
   */
  serviceWaitMs: number;
  /** Why the probe failed; null if it got the expected response. */
  failure: string | null;
}

export type JournalEntry =
  | { type: 'request'; requestId: number; request: JournaledRequest }
  | { type: 'result'; requestId: number; result: AttemptResult }
  /** A GET of the operation of an accepted request. `operation` is null if it returned 404. */
  | { type: 'operation'; location: string; operation: SeenOperation | null }
  /** A GET of a created token. `counts` is null if it returned 404. */
  | { type: 'token'; tokenId: number; counts: { total: number | null; remaining: number | null } | null }
  /**
   * A snapshot of the database during the faults: how many tokens and claims were checked in it, and for how
   * long the oldest pending operation had been waiting.
   */
  | { type: 'snapshot'; tokens: number; claims: number; oldestPendingMs: number }
  /** A GET of an NFT type's asset; `isUnchanged` if its bytes are the uploaded ones. */
  | { type: 'asset'; nftTypeId: string; isUnchanged: boolean }
  /** A GET with an API key, after the key was created or after it was revoked. */
  | {
      type: 'key';
      communityId: string;
      apiKeyId: string;
      isRevoked: boolean;
      processName: string;
      status: number;
    }
  /** A GET with the session of a member, before or after the member was removed. */
  | { type: 'session'; address: string; isMember: boolean; processName: string; status: number }
  /**
   * Claim links that were created. Nobody claims with links whose response was lost, because their codes are
   * unknown.
   */
  | { type: 'claimLinks'; tokenId: number; links: JournaledLink[] }
  /**
   * The revocation of a claim link: an entry with status null before it is sent, and an entry with the
   * response.
   */
  | { type: 'revocation'; claimLinkId: string; status: number | null }
  /** A page of the feed of events that a reader got, by following the cursor. */
  | { type: 'feed'; eventIds: string[] }
  /** A request that the receiver of a webhook got, before it responded. */
  | { type: 'received'; eventId: string; isSigned: boolean; bodyHash: string }
  /** The pause of a room link, before it is sent. */
  | { type: 'pause'; claimLinkId: string }
  /** A violation that was found during the faults. */
  | { type: 'violation'; invariant: Invariant; detail: string }
  /** How many checks were made during the faults. Each violation is an entry of its own. */
  | { type: 'checked'; invariant: Invariant; count: number }
  | { type: 'kill'; target: string; pid: number }
  /** How often each result of an attack occurred. */
  | { type: 'attack'; attack: string; counts: Record<string, number> }
  /** A probe during an attack. */
  | ({ type: 'probe'; attack: string } & ProbeResult)
  /** The most memory that a process of the service had during an attack. */
  | { type: 'memory'; attack: string; process: string; peakBytes: number }
  /** A flood of requests. `capacityPerSecond` is measured before an overload; it is null for other floods. */
  | {
      type: 'flood';
      kind: string;
      capacityPerSecond: number | null;
      offeredPerSecond: number;
      sent: number;
      statuses: Record<string, number>;
    };

export interface Journal {
  /** Resolves once the entry is on disk. */
  append(entry: JournalEntry): Promise<void>;
  violation(invariant: Invariant, detail: string): Promise<void>;
  checked(invariant: Invariant, count: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens a new append-only journal. Entries appended at the same time share an fsync. */
export async function openJournal(path: string): Promise<Journal> {
  const file = await open(path, 'ax');
  let waiting: { text: string; written: PromiseWithResolvers<void> } | undefined;
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    while (waiting !== undefined) {
      const { text, written } = waiting;
      waiting = undefined;
      await file.appendFile(text);
      await file.datasync();
      written.resolve();
    }
    writing = undefined;
  }

  function append(entry: JournalEntry): Promise<void> {
    waiting ??= { text: '', written: Promise.withResolvers() };
    waiting.text += `${JSON.stringify({ atMs: Date.now(), ...entry })}\n`;
    const { promise } = waiting.written;
    writing ??= write();
    return promise;
  }

  return {
    append,
    violation: (invariant, detail) => append({ type: 'violation', invariant, detail }),
    checked: (invariant, count) => append({ type: 'checked', invariant, count }),
    async close() {
      await writing;
      await file.close();
    },
  };
}

/** Reads a journal back from disk, each entry with the time it was appended. */
export async function readJournal(path: string): Promise<(JournalEntry & { atMs: number })[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line): JournalEntry & { atMs: number } => JSON.parse(line));
}
