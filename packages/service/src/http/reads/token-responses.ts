import type { FastifyInstance } from 'fastify';
import type { Context, TokenChange, TokenChanges } from '../../context.ts';

declare module 'fastify' {
  interface FastifyInstance {
    tokenResponses: TokenResponses;
  }
}

/** The tokens that a stored response depends on. */
export interface Dependency {
  /** The ids of the tokens in it. */
  lowestId: number;
  highestId: number;
  /** The response also depends on which tokens are in the list, from one id to the other. */
  listFromId: number;
  listToId: number;
}

/** A response, and what it depends on; null if it must not be stored. */
export interface ReadResponse<Response> {
  response: Response;
  stored: { body: Buffer; dependency: Dependency } | null;
}

/** Responses that are ready to be sent. A response is dropped when a token that it depends on has changed. */
export interface TokenResponses {
  /** Returns a stored response if its tokens have not changed before this call. */
  find(key: string): Promise<Buffer | undefined>;
  /** Reads a response, and stores it unless its tokens change meanwhile. */
  read<Response>(key: string, read: () => Promise<ReadResponse<Response>>): Promise<Response>;
}

const MAX_BYTES = 16 * 1024 * 1024;
// What a response costs in addition to its body: memory, and the time to compare it with each change.
const OVERHEAD_BYTES = 4 * 1024;
const MAX_PENDING_CHANGES = 10_000;

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

/**
 * Creates an empty store. `catchUp` must pass all changes to `apply` that were committed before its call, and return
 * false if it cannot.
 */
export function createTokenResponses(
  catchUp: () => Promise<boolean>,
  maxBytes = MAX_BYTES,
): TokenResponses & { apply(changes: TokenChanges): void } {
  // A Map iterates in insertion order: the first response is the least recently used.
  const responses = new Map<string, StoredResponse>();
  let bytes = 0;
  let readsInProgress = 0;
  // The changes since the first read in progress began. `unknownCount` counts how often the changes were unknown.
  let pendingChanges: TokenChange[] = [];
  let unknownCount = 0;

  const costOf = (key: string, { body }: StoredResponse) => key.length + body.length + OVERHEAD_BYTES;

  function drop(key: string): void {
    const response = responses.get(key);
    if (response === undefined) return;
    responses.delete(key);
    bytes -= costOf(key, response);
  }

  function store(key: string, response: StoredResponse): void {
    drop(key);
    responses.set(key, response);
    bytes += costOf(key, response);
    for (const oldest of responses.keys()) {
      if (bytes <= maxBytes) break;
      drop(oldest);
    }
  }

  function forgetAll(): void {
    responses.clear();
    bytes = 0;
    pendingChanges = [];
    unknownCount += 1;
  }

  return {
    apply: (changes) => {
      if (changes === 'unknown') return forgetAll();
      for (const [key, { dependency }] of responses) {
        if (changes.some((change) => affects(change, dependency))) drop(key);
      }
      if (readsInProgress === 0) return;
      pendingChanges.push(...changes);
      if (pendingChanges.length > MAX_PENDING_CHANGES) forgetAll();
    },

    find: async (key) => {
      if (!responses.has(key) || !(await catchUp())) return undefined;
      const response = responses.get(key);
      if (response === undefined) return undefined;
      responses.delete(key);
      responses.set(key, response);
      return response.body;
    },

    // The read may see an older state than the last `apply`. All changes that it may have missed are applied after it
    // began.
    read: async (key, read) => {
      const firstChange = pendingChanges.length;
      const startedAtCount = unknownCount;
      readsInProgress += 1;
      try {
        const { response, stored } = await read();
        const missed = pendingChanges.slice(firstChange);
        if (
          stored !== null &&
          unknownCount === startedAtCount &&
          !missed.some((change) => affects(change, stored.dependency))
        ) {
          store(key, stored);
        }
        return response;
      } finally {
        readsInProgress -= 1;
        if (readsInProgress === 0) pendingChanges = [];
      }
    },
  };
}

function affects(change: TokenChange, dependency: Dependency): boolean {
  return change.changesLists
    ? change.lowestId <= dependency.listToId && change.highestId >= dependency.listFromId
    : change.lowestId <= dependency.highestId && change.highestId >= dependency.lowestId;
}
