import { open, readFile } from 'node:fs/promises';
import type { Invariant } from './check/tally.ts';

export type RequestKind =
  | 'createToken'
  | 'claim'
  | 'airdrop'
  | 'communityAdminAirdrop'
  | 'burn'
  | 'addContributors';

/** A request as it goes over the wire; an attempt to send it again sends the same bytes. */
export interface JournaledRequest {
  kind: RequestKind;
  path: string;
  body: string;
  isKeySent: boolean;
}

export type Answer =
  | { outcome: 'accepted'; location: string }
  | { outcome: 'refused'; status: number; name: string }
  | { outcome: 'unknown'; status: number | null; reason: string };

export interface SeenOperation {
  operationType: string;
  status: string;
  resourceId: number | null;
  errorName: string | null;
}

export type JournalEntry =
  | { type: 'request'; requestId: number; request: JournaledRequest }
  | { type: 'answer'; requestId: number; answer: Answer }
  /** What GET answered for an accepted Location: null is a 404. */
  | { type: 'operation'; location: string; operation: SeenOperation | null }
  /** What GET answered for a token that was already read as created: null is a 404. */
  | { type: 'token'; tokenId: number; counts: { total: number | null; remaining: number | null } | null }
  /** What one statement, and so one snapshot of the database, showed while the faults went on. */
  | { type: 'snapshot'; tokens: number; claims: number; oldestPendingMs: number }
  /** What GET answered for an NFT type's asset: whether it was the uploaded one. */
  | { type: 'asset'; nftTypeId: string; isWhole: boolean }
  /** What must never be seen, and was. */
  | { type: 'violation'; invariant: Invariant; detail: string }
  /** Checks that were made while the faults went on, and found nothing. */
  | { type: 'checked'; invariant: Invariant; count: number }
  | { type: 'kill'; target: string; pid: number }
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
  close(): Promise<void>;
}

/** Opens an append-only journal; entries that come together share an fsync. */
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

  return {
    append(entry) {
      waiting ??= { text: '', written: Promise.withResolvers() };
      waiting.text += `${JSON.stringify({ atMs: Date.now(), ...entry })}\n`;
      const { promise } = waiting.written;
      writing ??= write();
      return promise;
    },
    async close() {
      await writing;
      await file.close();
    },
  };
}

/** Reads a journal back from the disk; each entry with its time in milliseconds. */
export async function readJournal(path: string): Promise<(JournalEntry & { atMs: number })[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line): JournalEntry & { atMs: number } => JSON.parse(line));
}
