import { setTimeout as wait } from 'node:timers/promises';
import type { Operation, Token } from '@badge/protocol';
import type { SupervisedBadge } from '@badge/test-support/supervised-badge';
import type { Answer, Journal, JournaledRequest } from '../journal.ts';
import type { Random } from '../random.ts';
import type { System } from '../system/system.ts';

const ATTEMPT_TIMEOUT_MS = 10_000;
const PAUSE_MS = 150;
const NOT_SENT: Answer = { outcome: 'unknown', status: null, reason: 'no process serves' };

/** A request that a process has not answered yet. */
export interface Flight {
  processName: string;
  sentAtMs: number;
  description: string;
  /** Whether an answer of any status came. */
  answered: Promise<boolean>;
}

export interface Client {
  /** Sends a request, so many copies at once, and again for as long as its answer is unknown. */
  send(request: JournaledRequest, copies?: number): Promise<Answer>;
  /** Takes over a request that somebody else has sent, with what it was answered; null: it is sent again. */
  adopt(
    request: JournaledRequest,
    answer: { status: number; location: string | null; name: string | null } | null,
  ): Promise<void>;
  /** Sends what is no operation, again until its answer is below 500; undefined if the time is over. */
  ask(path: string, init: () => RequestInit): Promise<Response | undefined>;
  /** Reads an accepted operation until it is final; undefined if it is missing or the time is over. */
  follow(location: string): Promise<Operation | undefined>;
  /** Reads a token that is known to be created, on any process. */
  lookAt(tokenId: number): Promise<void>;
  /** Reads so often at once, whatever is answered. */
  readAtOnce(path: string, times: number): Promise<void>;
  inFlight(processName: string): Flight[];
  readonly counts: {
    /** Answered with 200. */
    reads: number;
    /** Writes answered with 503. */
    unavailable: number;
    /** Requests whose first attempt and its retry both got no answer. */
    failedTwice: number;
  };
  /** Ends what is still unknown after this time. */
  giveUpAfter(ms: number): void;
}

interface ClientParts {
  system: System;
  journal: Journal;
  random: Random;
  onAccepted: (processName: string, sentAtMs: number) => void;
}

/** Makes the client whose journal is the oracle: nothing is sent or believed before it is on disk. */
export function createClient({ system, journal, random, onAccepted }: ClientParts): Client {
  let requests = 0;
  let deadlineMs = Number.POSITIVE_INFINITY;
  const flights = new Set<Flight>();
  const counts = { reads: 0, unavailable: 0, failedTwice: 0 };
  const isOver = () => performance.now() > deadlineMs;

  // As behind a load balancer: a retry goes to another process, if there is one.
  function choose(former?: SupervisedBadge): SupervisedBadge | undefined {
    const serving = system.apis.filter(({ url }) => url !== undefined);
    const others = serving.filter((process) => process !== former);
    return random.pick(others.length > 0 ? others : serving);
  }

  async function fly(target: SupervisedBadge, path: string, init: RequestInit): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const flight: Flight = {
      processName: target.name,
      sentAtMs: performance.now(),
      description: `${init.method ?? 'GET'} ${path} to ${target.name}`,
      answered: promise,
    };
    flights.add(flight);
    try {
      const response = await fetch(`${target.url}${path}`, {
        ...init,
        signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
      });
      const body = await response.arrayBuffer();
      resolve(true);
      if (response.status >= 500 && response.status !== 503) {
        const detail = `${flight.description} was answered ${response.status}: ${Buffer.from(body)}`;
        await journal.append({ type: 'violation', invariant: 'I10', detail });
      }
      const { status, headers } = response;
      return new Response(status === 204 ? null : body, { status, headers });
    } catch (error) {
      resolve(false);
      throw error;
    } finally {
      flights.delete(flight);
    }
  }

  async function attempt(request: JournaledRequest, target: SupervisedBadge): Promise<Answer> {
    const sentAtMs = performance.now();
    try {
      const response = await fly(target, request.path, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(request.isKeySent ? { Authorization: `Bearer ${system.apiKey}` } : {}),
        },
        body: request.body,
      });
      const answer = await readAnswer(response);
      if (answer.outcome === 'accepted') onAccepted(target.name, sentAtMs);
      if (response.status === 503) counts.unavailable += 1;
      return answer;
    } catch (error) {
      return { outcome: 'unknown', status: null, reason: describe(error) };
    }
  }

  async function sendUntilKnown(request: JournaledRequest, requestId: number): Promise<Answer> {
    let target: SupervisedBadge | undefined;
    for (let failures = 0; ; ) {
      target = choose(target);
      const answer = target === undefined ? NOT_SENT : await attempt(request, target);
      if (answer !== NOT_SENT) {
        await journal.append({ type: 'answer', requestId, answer });
        failures = answer.outcome === 'unknown' ? failures + 1 : 0;
        if (failures === 2) counts.failedTwice += 1;
      }
      if (answer.outcome !== 'unknown' || isOver()) return answer;
      await wait(PAUSE_MS);
    }
  }

  async function ask(path: string, init: () => RequestInit): Promise<Response | undefined> {
    let target: SupervisedBadge | undefined;
    while (!isOver()) {
      target = choose(target);
      try {
        const response = target && (await fly(target, path, init()));
        if (response !== undefined && response.status < 500) return response;
      } catch {
        // A process that was killed while it answered: asked again below.
      }
      await wait(PAUSE_MS);
    }
    return undefined;
  }

  async function read<T>(path: string): Promise<T | null | undefined> {
    const response = await ask(path, () => ({}));
    if (response === undefined) return undefined;
    if (response.status === 404) return null;
    if (response.ok) counts.reads += 1;
    return (await response.json()) as T;
  }

  return {
    counts,
    ask,
    async send(request, copies = 1) {
      const requestId = requests++;
      await journal.append({ type: 'request', requestId, request });
      const answers = await Promise.all(
        Array.from({ length: copies }, () => sendUntilKnown(request, requestId)),
      );
      return answers.find(({ outcome }) => outcome === 'accepted') ?? answers[0] ?? NOT_SENT;
    },
    async adopt(request, answer) {
      const requestId = requests++;
      await journal.append({ type: 'request', requestId, request });
      const known: Answer =
        answer === null
          ? { outcome: 'unknown', status: null, reason: 'no answer to a flood' }
          : toAnswer(answer.status, answer.location, answer.name);
      await journal.append({ type: 'answer', requestId, answer: known });
      if (known.outcome === 'unknown') await sendUntilKnown(request, requestId);
    },
    async follow(location) {
      for (;;) {
        const operation = await read<Operation>(`${location}?wait=5`);
        if (operation === undefined) return undefined;
        const isFinal = operation?.status === 'success' || operation?.status === 'error';
        if (operation !== null && !isFinal) continue;
        await journal.append({ type: 'operation', location, operation: operation && toSeen(operation) });
        return operation ?? undefined;
      }
    },
    async lookAt(tokenId) {
      const token = await read<Token>(`/v1/tokens/${tokenId}`);
      if (token === undefined) return;
      const seen = token && {
        total: token.claimabilityAttributes.totalClaimCount,
        remaining: token.claimabilityAttributes.remainingClaimCount,
      };
      await journal.append({ type: 'token', tokenId, counts: seen });
    },
    async readAtOnce(path, times) {
      const target = choose();
      if (target === undefined) return;
      await Promise.allSettled(Array.from({ length: times }, () => fly(target, path, {})));
    },
    inFlight: (processName) => [...flights].filter((flight) => flight.processName === processName),
    giveUpAfter(ms) {
      deadlineMs = performance.now() + ms;
    },
  };
}

/** What the journal and the checks keep of an operation. */
export function toSeen({ operationType, status, resourceId, error }: Operation) {
  return { operationType, status, resourceId, errorName: error?.name ?? null };
}

async function readAnswer(response: Response): Promise<Answer> {
  const body = (await response.json()) as { name?: string };
  return toAnswer(response.status, response.headers.get('location'), body.name ?? null);
}

function toAnswer(status: number, location: string | null, name: string | null): Answer {
  if (status === 202 && location !== null) return { outcome: 'accepted', location };
  if (status >= 500) return { outcome: 'unknown', status, reason: name ?? '' };
  return { outcome: 'refused', status, name: name ?? '' };
}

function describe(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {};
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.name;
}
