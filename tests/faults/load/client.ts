import { setTimeout as wait } from 'node:timers/promises';
import type { Operation, Token } from '@badge/protocol';
import type { SupervisedBadge } from '@badge/test-support/supervised-badge';
import { ATTACKED_LIMITS, loadAddress } from '../attacks/attacked-service.ts';
import { type AttemptResult, type Journal, type JournaledRequest, toSeenOperation } from '../journal.ts';
import type { Random } from '../random.ts';
import type { SystemUnderLoad } from '../system/system.ts';
import { createPacer } from './pacer.ts';

const ATTEMPT_TIMEOUT_MS = 10_000;
const RETRY_PAUSE_MS = 150;
// The service counts a body of this size, and a list of this length, as one request.
const BYTES_PER_REQUEST = 64 * 1024;
const ITEMS_PER_REQUEST = 100;
const NOT_SENT: AttemptResult = { outcome: 'unknown', status: null, reason: 'no process is ready' };

/** A request that was sent and has no response yet. */
export interface InFlight {
  processName: string;
  sentAtMs: number;
  description: string;
  /**
   * Resolves to true if the connection ended without a response, and to false if a response came or the
   * client gave up.
   */
  isLost: Promise<boolean>;
}

export interface Client {
  /**
   * Journals a request. Sends `copies` of it concurrently, by default one, to different processes if
   * possible. Retries each copy until its outcome is known. After several copies, sends one more.
   */
  send(request: JournaledRequest, copies?: number): Promise<AttemptResult>;
  /**
   * Journals a request that a flood has sent, and its response, if any. If the outcome is unknown, sends it
   * again.
   */
  recordFloodRequest(
    request: JournaledRequest,
    received: { status: number; location: string | null; name: string | null } | null,
  ): Promise<void>;
  /**
   * Sends a request without journaling it, and retries it until its status is below 500 and not 429. Returns
   * undefined if retries have ended.
   */
  request(path: string, init: () => RequestInit): Promise<Response | undefined>;
  /**
   * Reads an operation until it is final, and journals it. Returns undefined if it is missing or retries have
   * ended.
   */
  waitForOperation(location: string): Promise<Operation | undefined>;
  /** Reads a created token, and journals its counts. */
  readToken(tokenId: number): Promise<void>;
  /** Sends this many concurrent GET requests to one process, and ignores the responses. */
  readAtOnce(path: string, times: number): Promise<void>;
  /** The names of the processes that serve the API, whether or not they run now. */
  readonly apiNames: string[];
  /**
   * Sends a request once to one process. Returns undefined if the process returns 429 or 503 or does not
   * respond.
   */
  readFrom(processName: string, path: string, init?: RequestInit): Promise<Response | undefined>;
  inFlight(processName: string): InFlight[];
  readonly counts: {
    /** Attempts of journaled requests that returned 202. */
    accepted: number;
    /** Reads of operations and created tokens that returned 200. */
    reads: number;
    /** Attempts of journaled requests that returned 503. */
    unavailable: number;
    /** Copies of journaled requests that had an unknown result twice in a row. */
    failedTwice: number;
  };
  /** Ends all retries after this time. */
  giveUpAfter(ms: number): void;
}

export interface ClientParts {
  system: SystemUnderLoad;
  journal: Journal;
  random: Random;
  onAccepted: (processName: string, sentAtMs: number) => void;
}

/** Creates the client. `send` journals a request before sending it, and each result before using it. */
export function createClient({ system, journal, random, onAccepted }: ClientParts): Client {
  let requests = 0;
  let fetches = 0;
  let deadlineMs = Number.POSITIVE_INFINITY;
  const inFlight = new Set<InFlight>();
  const counts = { accepted: 0, reads: 0, unavailable: 0, failedTwice: 0 };
  const pacer = createPacer();
  const haveRetriesEnded = () => performance.now() > deadlineMs;

  // Like a load balancer: a retry goes to another process if there is one.
  function chooseProcess(previous?: SupervisedBadge): SupervisedBadge | undefined {
    const ready = system.apis.filter(({ url }) => url !== undefined);
    const others = ready.filter((process) => process !== previous);
    return random.pick(others.length > 0 ? others : ready);
  }

  /**
   * Waits until neither the key of a request nor its address can exceed its limit. The service counts it for
   * one of them.
   */
  async function waitForTurns(path: string, headers: Headers, body: unknown): Promise<() => void> {
    const limit = Number(new URLSearchParams(path.split('?')[1]).get('limit'));
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : 0;
    const weight = Math.max(1, Math.ceil(limit / ITEMS_PER_REQUEST), Math.ceil(bytes / BYTES_PER_REQUEST));
    const { perKey, perAddress } = ATTACKED_LIMITS;
    const key = headers.get('Authorization');
    const address = headers.get('X-Forwarded-For') ?? '';
    const leaveAddress = await pacer.enter(address, perAddress, weight);
    const leaveKey = key === null ? undefined : await pacer.enter(key, perKey, weight);
    return () => {
      leaveAddress();
      leaveKey?.();
    };
  }

  async function fetchFrom(target: SupervisedBadge, path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    let leave: (() => void) | undefined;
    if (system.isAttacked) {
      headers.set('X-Forwarded-For', loadAddress(fetches++));
      leave = await waitForTurns(path, headers, init.body);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const entry: InFlight = {
      processName: target.name,
      sentAtMs: performance.now(),
      description: `${init.method ?? 'GET'} ${path} to ${target.name}`,
      isLost: promise,
    };
    inFlight.add(entry);
    const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
    try {
      const response = await fetch(`${target.url}${path}`, { ...init, headers, signal });
      const body = await response.arrayBuffer();
      resolve(false);
      const { status } = response;
      // The load stays below its limits, so only others can have caused a 429.
      if (status === 429 || (status >= 500 && status !== 503))
        await journal.violation('I10', `${entry.description} returned ${status}: ${Buffer.from(body)}`);
      return new Response(status === 204 ? null : body, { status, headers: response.headers });
    } catch (error) {
      resolve(!signal.aborted);
      throw error;
    } finally {
      inFlight.delete(entry);
      leave?.();
    }
  }

  async function attempt(request: JournaledRequest, target: SupervisedBadge): Promise<AttemptResult> {
    const sentAtMs = performance.now();
    try {
      const response = await fetchFrom(target, request.path, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(request.isKeySent ? { Authorization: `Bearer ${request.apiKey ?? system.apiKey}` } : {}),
          ...(request.idempotencyKey === null ? {} : { 'Idempotency-Key': request.idempotencyKey }),
        },
        body: request.body,
      });
      const { name = null } = (await response.json()) as { name?: string };
      const result = toResult(response.status, response.headers.get('location'), name);
      if (result.outcome === 'accepted') {
        counts.accepted += 1;
        onAccepted(target.name, sentAtMs);
      }
      if (response.status === 503) counts.unavailable += 1;
      return result;
    } catch (error) {
      return { outcome: 'unknown', status: null, reason: describeError(error) };
    }
  }

  async function sendUntilKnown(
    request: JournaledRequest,
    requestId: number,
    first = chooseProcess(),
  ): Promise<AttemptResult> {
    let target = first;
    let failuresInARow = 0;
    for (;;) {
      const result = target === undefined ? NOT_SENT : await attempt(request, target);
      if (result !== NOT_SENT) {
        await journal.append({ type: 'result', requestId, result });
        failuresInARow = result.outcome === 'unknown' ? failuresInARow + 1 : 0;
        if (failuresInARow === 2) counts.failedTwice += 1;
      }
      if (result.outcome !== 'unknown' || haveRetriesEnded()) return result;
      await wait(RETRY_PAUSE_MS);
      target = chooseProcess(target);
    }
  }

  async function request(path: string, init: () => RequestInit): Promise<Response | undefined> {
    let target: SupervisedBadge | undefined;
    while (!haveRetriesEnded()) {
      target = chooseProcess(target);
      try {
        const response = target && (await fetchFrom(target, path, init()));
        if (response !== undefined && response.status < 500 && response.status !== 429) return response;
      } catch {
        // The process did not respond. The next attempt goes to another one, if there is one.
      }
      await wait(RETRY_PAUSE_MS);
    }
    return undefined;
  }

  // Returns null for a 404, and undefined if retries have ended.
  async function read<T>(path: string): Promise<T | null | undefined> {
    const response = await request(path, () => ({}));
    if (response === undefined) return undefined;
    if (response.status === 404) return null;
    if (response.ok) counts.reads += 1;
    return (await response.json()) as T;
  }

  return {
    counts,
    request,
    async send(request, copies = 1) {
      const requestId = requests++;
      await journal.append({ type: 'request', requestId, request });
      let target: SupervisedBadge | undefined;
      const results = await Promise.all(
        Array.from({ length: copies }, () => {
          target = chooseProcess(target);
          return sendUntilKnown(request, requestId, target);
        }),
      );
      // Concurrent copies are often accepted in one batch. For a later copy, the service must find the stored
      // operation.
      if (copies > 1) await sendUntilKnown(request, requestId, chooseProcess(target));
      return results.find(({ outcome }) => outcome === 'accepted') ?? results[0] ?? NOT_SENT;
    },
    async recordFloodRequest(request, received) {
      const requestId = requests++;
      await journal.append({ type: 'request', requestId, request });
      const result: AttemptResult =
        received === null || received.status === 429
          ? { outcome: 'unknown', status: null, reason: 'no answer to a flood' }
          : toResult(received.status, received.location, received.name);
      await journal.append({ type: 'result', requestId, result });
      if (result.outcome === 'unknown') await sendUntilKnown(request, requestId);
    },
    async waitForOperation(location) {
      for (;;) {
        const operation = await read<Operation>(`${location}?wait=5`);
        if (operation === undefined) return undefined;
        if (operation === null) {
          await journal.append({ type: 'operation', location, operation: null });
          return undefined;
        }
        if (operation.status !== 'success' && operation.status !== 'error') continue;
        await journal.append({ type: 'operation', location, operation: toSeenOperation(operation) });
        return operation;
      }
    },
    async readToken(tokenId) {
      const token = await read<Token>(`/v1/tokens/${tokenId}`);
      if (token === undefined) return;
      const seen = token && {
        total: token.claimabilityAttributes.totalClaimCount,
        remaining: token.claimabilityAttributes.remainingClaimCount,
      };
      await journal.append({ type: 'token', tokenId, counts: seen });
    },
    async readAtOnce(path, times) {
      const target = chooseProcess();
      if (target === undefined) return;
      await Promise.allSettled(Array.from({ length: times }, () => fetchFrom(target, path, {})));
    },
    get apiNames() {
      return system.apis.map(({ name }) => name);
    },
    async readFrom(processName, path, init = {}) {
      const target = system.apis.find(({ name, url }) => name === processName && url !== undefined);
      const response = target && (await fetchFrom(target, path, init).catch(() => undefined));
      return response?.status === 429 || response?.status === 503 ? undefined : response;
    },
    inFlight: (processName) => [...inFlight].filter((entry) => entry.processName === processName),
    giveUpAfter(ms) {
      deadlineMs = performance.now() + ms;
    },
  };
}

function toResult(status: number, location: string | null, name: string | null): AttemptResult {
  if (status === 202 && location !== null) return { outcome: 'accepted', location };
  if (status >= 500) return { outcome: 'unknown', status, reason: name ?? '' };
  return { outcome: 'refused', status, name: name ?? '' };
}

function describeError(error: unknown): string {
  // The cause of an error of `fetch` is the network error.
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  // A timeout is a DOMException, whose code is a number.
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
