import {
  createFairSemaphore,
  type FairSemaphore,
  type Permit,
  type SemaphoreLimits,
} from '@badge/turn-queue/fair-semaphore';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusal.ts';
import type { Metrics } from '../../metrics.ts';
import { stateOf } from '../request-state.ts';

declare module 'fastify' {
  interface FastifyInstance {
    resources: Resources;
  }
}

const SECOND_MS = 1_000;
const MIB = 1024 * 1024;

// docs/reliability.md explains these limits. `By address` means that `perCaller` limits each address. Of the
// 16 database connections in the pool, at least three are left for everything else.
const RESOURCES = {
  /**
   * Bytes of lists, tokens, metadata, web pages about tokens, and pictures, that are read, drawn and sent. By
   * address.
   */
  responseMemory: {
    resource: 'memory for responses',
    perCaller: 16 * MIB,
    total: 256 * MIB,
    maxWaitMs: 20 * SECOND_MS,
  },
  /**
   * Database connections that read lists, tokens (also for web pages), metadata and stored files, and check
   * the codes of rooms. By address.
   */
  readConnections: {
    resource: 'database connections for reads',
    perCaller: 3,
    total: 8,
    maxWaitMs: 10 * SECOND_MS,
  },
  /**
   * Bytes of uploads in the temporary directory. By community. While an upload waits, its body is not read.
   * The connection would be closed after `uploadPauseMs` without a new byte, so the wait is shorter.
   */
  uploadDisk: {
    resource: 'disk space for uploads',
    perCaller: 80 * MIB,
    total: 800 * MIB,
    maxWaitMs: 10 * SECOND_MS,
  },
  /**
   * Database connections of writes that have a transaction of their own. By API key; those of uploads by
   * community.
   */
  writeConnections: {
    resource: 'database connections for writes',
    perCaller: 1,
    total: 5,
    maxWaitMs: 10 * SECOND_MS,
  },
  /**
   * Bytes of JSON bodies, held from the headers of a request until its response. By key or address. Requests
   * do not wait for it.
   */
  bodyMemory: { resource: 'memory for bodies', perCaller: 16 * MIB, total: 128 * MIB, maxWaitMs: 0 },
  /**
   * Requests whose JSON body has more than `BODY_LIMITS.largeBytes`, until their response. By key or address.
   * The attack `large allowlists` needs this limit.
   */
  largeBodies: { resource: 'handling of large bodies', perCaller: 1, total: 4, maxWaitMs: 20 * SECOND_MS },
  /** Reads of chains: each is one contract wallet, or up to 25 ENS names. By key or address. */
  chainReads: { resource: 'reads of chains', perCaller: 4, total: 8, maxWaitMs: 10 * SECOND_MS },
} satisfies Record<string, SemaphoreLimits & { resource: string }>;

type ResourceName = keyof typeof RESOURCES;

/** What the requests of a process share. */
export type Resources = Record<ResourceName, FairSemaphore>;

export type ResourceLimits = Partial<Record<ResourceName, Partial<SemaphoreLimits>>>;

/** Adds `resources` to the app. `limits` overrides limits above, for tests. */
export function addResources(app: FastifyInstance, metrics: Metrics, limits: ResourceLimits = {}): void {
  // The series exist from the start: an increase from nothing is not seen.
  for (const resource of Object.keys(RESOURCES)) {
    metrics.waitingRequests.set({ resource }, 0);
    for (const limit of ['caller', 'total']) metrics.refusedRequests.inc({ resource, limit }, 0);
  }
  const entries = Object.entries(RESOURCES).map(([name, { resource, ...defaults }]) => [
    name,
    createFairSemaphore({
      ...defaults,
      ...limits[name as ResourceName],
      onWait: (difference) => metrics.waitingRequests.inc({ resource: name }, difference),
      refuse: ({ limit, hasWaited }) => {
        metrics.refusedRequests.inc({ resource: name, limit });
        // A request that has waited is always refused as Unavailable, because a slow database can be the
        // cause of a long wait.
        return limit === 'caller' && !hasWaited
          ? new Refusal(
              'RateLimited',
              `Your requests in progress use your share of the ${resource}. Retry later.`,
            )
          : new Refusal('Unavailable', `Too many requests in progress use the ${resource}. Retry later.`);
      },
    }),
  ]);
  app.decorate('resources', Object.fromEntries(entries) as Resources);
}

/** Releases what `releaseBeforeResponse` was called with. */
export function releasePermits(request: FastifyRequest): void {
  for (const release of stateOf(request).releases.splice(0)) release();
}

/**
 * Releases a permit just before the response is sent. It is not released earlier if the client disconnects,
 * because a request that writes is still processed to its end.
 */
export function releaseBeforeResponse(request: FastifyRequest, release: () => void): void {
  stateOf(request).releases.push(release);
}

/** Releases a permit when the response is sent or the connection is closed. */
export function releaseOnClose({ raw }: FastifyReply, permit: Permit): void {
  raw.once('close', permit.release);
  if (raw.closed) permit.release();
}
