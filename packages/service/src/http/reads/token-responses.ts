import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Context, TokenChange, TokenChanges } from '../../context.ts';

declare module 'fastify' {
  interface FastifyInstance {
    tokenResponses: TokenResponses;
  }
}

/** Token ids, both included. */
interface IdRange {
  lowestId: number;
  highestId: number;
}

/**
 * What a response depends on. A token that is added, removed, hidden or shown can move other tokens to
 * another page. So it can affect a response that does not contain it. Any other change affects only the
 * responses that contain the token.
 */
export interface Dependency {
  /** The tokens that the response contains. */
  content: IdRange;
  /** Adding, removing, hiding or showing a token in this range affects the response. */
  membership: IdRange;
  /** Whether the response also contains the owners of the tokens. */
  hasOwners: boolean;
}

/**
 * The dependency of a response about who holds or can claim a token, or any token. Each change of these also
 * changes the owners or the content of the token.
 */
export function ofOwners(tokenId?: number): Dependency {
  const content = {
    lowestId: tokenId ?? Number.NEGATIVE_INFINITY,
    highestId: tokenId ?? Number.POSITIVE_INFINITY,
  };
  return { content, membership: NO_TOKEN, hasOwners: true };
}

/** A response, and what is stored of it. `stored` is null if the response must not be stored. */
export interface ReadResponse<Response> {
  response: Response;
  stored: { body: Buffer; dependency: Dependency } | null;
}

/** Responses that are ready to be sent. A response is dropped when a token that it depends on has changed. */
export interface TokenResponses {
  /**
   * Returns a stored response, unless a token that it depends on was changed before this call, or the changes
   * cannot be read now.
   */
  find(key: string): Promise<Buffer | undefined>;
  /** Reads a response, and stores it unless a token that it depends on changes meanwhile. */
  read<Response>(key: string, read: () => Promise<ReadResponse<Response>>): Promise<Response>;
}

const NO_TOKEN: IdRange = { lowestId: Number.POSITIVE_INFINITY, highestId: Number.NEGATIVE_INFINITY };

const MAX_BYTES = 16 * 1024 * 1024;
// What a response costs in addition to its body: memory, and the time to compare it with each change.
const OVERHEAD_BYTES = 4 * 1024;
// A response is not stored if more changes than this arrive while it is read. The array of so many changes
// needs about 8 kB. All reads share the changes themselves.
const MAX_MISSED_CHANGES = 1_000;

/** Adds `tokenResponses` to the app. */
export function addTokenResponses(
  app: FastifyInstance,
  { catchUp, onChanges }: Context['tokenChanges'],
): void {
  const responses = createTokenResponses(catchUp);
  onChanges(responses.apply);
  app.decorate('tokenResponses', responses);
}

interface StoredResponse {
  body: Buffer;
  dependency: Dependency;
}

interface ReadInProgress {
  /** The changes since the read began. The read may return the state before them. */
  missed: TokenChanges;
}

/**
 * Creates an empty store. `catchUp` must pass to `apply` all changes that were committed before its call. It
 * must return false if it cannot.
 */
export function createTokenResponses(
  catchUp: () => Promise<boolean>,
  maxBytes = MAX_BYTES,
): TokenResponses & { apply(changes: TokenChanges): void } {
  const responses = new LRUCache<string, StoredResponse>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, key) => key.length + body.length + OVERHEAD_BYTES,
  });
  const readsInProgress = new Set<ReadInProgress>();

  function dropAll(): void {
    responses.clear();
    for (const read of readsInProgress) read.missed = 'unknown';
  }

  return {
    apply: (changes) => {
      if (changes === 'unknown') return dropAll();
      for (const [key, { dependency }] of responses) {
        if (isAffected(dependency, changes)) responses.delete(key);
      }
      for (const read of readsInProgress) read.missed = addChanges(read.missed, changes);
    },

    find: async (key) => {
      if (!responses.has(key) || !(await catchUp())) return undefined;
      return responses.get(key)?.body;
    },

    read: async (key, read) => {
      const inProgress: ReadInProgress = { missed: [] };
      readsInProgress.add(inProgress);
      try {
        const { response, stored } = await read();
        const { missed } = inProgress;
        const mayStore = stored !== null && missed !== 'unknown' && !isAffected(stored.dependency, missed);
        if (mayStore) responses.set(key, stored);
        return response;
      } finally {
        readsInProgress.delete(inProgress);
      }
    },
  };
}

function addChanges(missed: TokenChanges, changes: TokenChange[]): TokenChanges {
  if (missed === 'unknown' || missed.length + changes.length > MAX_MISSED_CHANGES) return 'unknown';
  missed.push(...changes);
  return missed;
}

function isAffected({ content, membership, hasOwners }: Dependency, changes: TokenChange[]): boolean {
  return changes.some((change) => {
    if (change.isOfOwners && !hasOwners) return false;
    return overlaps(change, change.changesLists ? membership : content);
  });
}

function overlaps(one: IdRange, other: IdRange): boolean {
  return one.lowestId <= other.highestId && one.highestId >= other.lowestId;
}
