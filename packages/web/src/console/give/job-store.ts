import type { Token } from '@badge/sdk';
import { collectOutcomes, type GiveJob, type JobPart, type Outcome } from './give-job.ts';

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
  /**
   * Moves the job of a badge to the one that has replaced it, unless that one has a job. Whoever is left gets
   * nothing, because the signature for the list is for the former badge: they can be given the new one.
   */
  move(from: BadgeOfJob, to: BadgeOfJob): Promise<void>;
  /** Forgets a job, with its people. */
  remove(job: GiveJob): Promise<void>;
}

type BadgeOfJob = Pick<Token, 'tokenId' | 'createdAtTimestamp'>;

const DATABASE = 'badge.console.give';
const JOBS = 'jobs';
const PARTS = 'parts';
/** Kept the names of people, before the service did. */
const FORMER_NAMES = 'names';

/**
 * Opens the jobs in IndexedDB. Throws if the browser stores nothing: without a store, nothing could be
 * continued.
 */
export async function openJobStore(): Promise<JobStore> {
  const opening = indexedDB.open(DATABASE, 3);
  opening.onupgradeneeded = ({ oldVersion }) => {
    if (oldVersion < 1) {
      opening.result.createObjectStore(JOBS, { keyPath: 'tokenId' });
      opening.result.createObjectStore(PARTS, { keyPath: ['jobId', 'index'] });
    }
    if (oldVersion === 2) opening.result.deleteObjectStore(FORMER_NAMES);
  };
  const database = await settle(opening);
  // Another tab with a newer release of this page can then change the database.
  database.onversionchange = () => database.close();

  function begin(mode: IDBTransactionMode) {
    // `strict`: a request is sent only after its key is on the disk.
    const transaction = database.transaction([JOBS, PARTS], mode, { durability: 'strict' });
    return { transaction, jobs: transaction.objectStore(JOBS), parts: transaction.objectStore(PARTS) };
  }

  const partsOf = ({ jobId }: GiveJob) => IDBKeyRange.bound([jobId], [jobId, []]);

  return {
    async find(tokenId) {
      const { jobs, parts } = begin('readonly');
      const job = await settle<GiveJob | undefined>(jobs.get(tokenId));
      return job === undefined ? null : { job, parts: await settle<JobPart[]>(parts.getAll(partsOf(job))) };
    },
    async add({ job, parts: newParts }) {
      const { transaction, jobs, parts } = begin('readwrite');
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
    async move(from, to) {
      const { transaction, jobs, parts } = begin('readwrite');
      const job = await settle<GiveJob | undefined>(jobs.get(from.tokenId));
      const other = await settle<GiveJob | undefined>(jobs.get(to.tokenId));
      if (job?.tokenCreatedAtTimestamp === from.createdAtTimestamp && other === undefined) {
        const ownParts = await settle<JobPart[]>(parts.getAll(partsOf(job)));
        jobs.delete(from.tokenId);
        jobs.add({ ...job, tokenId: to.tokenId, tokenCreatedAtTimestamp: to.createdAtTimestamp });
        for (const part of ownParts) if (!part.isDone) parts.put(endPart(part, collectOutcomes(ownParts)));
      }
      await complete(transaction);
    },
    async remove(job) {
      const { transaction, jobs, parts } = begin('readwrite');
      jobs.delete(job.tokenId);
      parts.delete(partsOf(job));
      await complete(transaction);
    },
  };
}

function endPart(part: JobPart, known: ReadonlyMap<number, Outcome>): JobPart {
  const left = part.members.filter((place) => !known.has(place));
  const outcome: Outcome = { status: 'refused', error: 'TokenReplaced', detail: 'The badge was corrected.' };
  const outcomes = { ...part.outcomes, ...Object.fromEntries(left.map((place) => [place, outcome])) };
  return { ...part, isDone: true, outcomes };
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
