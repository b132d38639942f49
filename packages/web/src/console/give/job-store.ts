import type { GiveJob, JobPart } from './give-job.ts';
import { toKey } from './plan-lines.ts';

export interface StoredJob {
  job: GiveJob;
  parts: JobPart[];
}

/** Keeps jobs in this browser. Each part is stored by itself, because a job can have 10,000 people. */
export interface JobStore {
  /** The job of a badge that was stored last, or null. */
  find(tokenId: number): Promise<StoredJob | null>;
  /** Stores a job, unless the badge has one. */
  add(stored: StoredJob): Promise<void>;
  savePart(part: JobPart): Promise<void>;
  /** Forgets a job. The names of its people are kept. */
  remove(job: GiveJob): Promise<void>;
  /** The names of those whom a badge was given in this browser, by `toKey` of their address or e-mail. */
  findNames(token: { tokenId: number; createdAtTimestamp: number }): Promise<ReadonlyMap<string, string>>;
  /** Forgets the names of all badges. The people of jobs that were not ended are kept. */
  forgetNames(): Promise<void>;
}

/** The service stores no names, so they are kept here after their job is forgotten. */
interface KeptNames {
  tokenId: number;
  tokenCreatedAtTimestamp: number;
  names: ReadonlyMap<string, string>;
}

const DATABASE = 'badge.console.give';
const JOBS = 'jobs';
const PARTS = 'parts';
const NAMES = 'names';

/**
 * Opens the jobs in IndexedDB. Throws if the browser stores nothing: without a store, nothing could be
 * continued.
 */
export async function openJobStore(): Promise<JobStore> {
  const opening = indexedDB.open(DATABASE, 2);
  opening.onupgradeneeded = ({ oldVersion }) => {
    if (oldVersion < 1) {
      opening.result.createObjectStore(JOBS, { keyPath: 'tokenId' });
      opening.result.createObjectStore(PARTS, { keyPath: ['jobId', 'index'] });
    }
    opening.result.createObjectStore(NAMES, { keyPath: 'tokenId' });
  };
  const database = await settle(opening);
  // Another tab with a newer release of this page can then change the database.
  database.onversionchange = () => database.close();

  function begin(mode: IDBTransactionMode) {
    // `strict`: a request is sent only after its key is on the disk.
    const transaction = database.transaction([JOBS, PARTS, NAMES], mode, { durability: 'strict' });
    const [jobs, parts, names] = [JOBS, PARTS, NAMES].map((name) => transaction.objectStore(name)) as [
      IDBObjectStore,
      IDBObjectStore,
      IDBObjectStore,
    ];
    return { transaction, jobs, parts, names };
  }

  const partsOf = ({ jobId }: GiveJob) => IDBKeyRange.bound([jobId], [jobId, []]);

  return {
    async find(tokenId) {
      const { jobs, parts } = begin('readonly');
      const job = await settle<GiveJob | undefined>(jobs.get(tokenId));
      return job === undefined ? null : { job, parts: await settle<JobPart[]>(parts.getAll(partsOf(job))) };
    },
    async add({ job, parts: newParts }) {
      const { transaction, jobs, parts, names } = begin('readwrite');
      const { tokenId, tokenCreatedAtTimestamp } = job;
      const kept = await settle<KeptNames | undefined>(names.get(tokenId));
      const isSame = kept?.tokenCreatedAtTimestamp === tokenCreatedAtTimestamp;
      const all = addNames(isSame ? kept.names : new Map(), job.people);
      names.put({ tokenId, tokenCreatedAtTimestamp, names: all } satisfies KeptNames);
      // `add` fails if there is one, for example of another tab.
      jobs.add(job);
      for (const part of newParts) parts.add(part);
      await complete(transaction);
    },
    async savePart(part) {
      const { transaction, parts } = begin('readwrite');
      parts.put(part);
      await complete(transaction);
    },
    async remove(job) {
      const { transaction, jobs, parts } = begin('readwrite');
      jobs.delete(job.tokenId);
      parts.delete(partsOf(job));
      await complete(transaction);
    },
    async findNames({ tokenId, createdAtTimestamp }) {
      const kept = await settle<KeptNames | undefined>(begin('readonly').names.get(tokenId));
      return kept?.tokenCreatedAtTimestamp === createdAtTimestamp ? kept.names : new Map();
    },
    async forgetNames() {
      const { transaction, names } = begin('readwrite');
      names.clear();
      await complete(transaction);
    },
  };
}

/**
 * Adds the names of a list to those of earlier lists. The first line of a person counts, and not a repetition
 * of it.
 */
export function addNames(
  kept: ReadonlyMap<string, string>,
  people: GiveJob['people'],
): ReadonlyMap<string, string> {
  const named = people.flatMap(({ name, recipient }) =>
    name === '' ? [] : [[toKey(recipient), name] as const],
  );
  return new Map([...kept, ...named.reverse()]);
}

async function settle<T>(request: IDBRequest<T>): Promise<T> {
  return await new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function complete(transaction: IDBTransaction): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
