import { setTimeout as wait } from 'node:timers/promises';
import type { Operation, Token } from '@badge/protocol';
import type { Answer, Journal, JournaledRequest } from '../journal.ts';
import type { Random } from '../random.ts';
import type { System } from '../system/system.ts';

const ATTEMPT_TIMEOUT_MS = 10_000;
const PAUSE_MS = 150;
const NOT_SENT: Answer = { outcome: 'unknown', status: null, reason: 'no process serves' };

export interface Client {
  /** Sends a request, so many copies at once, and again for as long as its answer is unknown. */
  send(request: JournaledRequest, copies?: number): Promise<Answer>;
  /** Reads an accepted operation until it is final; undefined if it is missing or the time is over. */
  follow(location: string): Promise<Operation | undefined>;
  /** Reads a token that is known to be created, on any process. */
  lookAt(tokenId: number): Promise<void>;
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
  const isOver = () => performance.now() > deadlineMs;

  async function attempt(request: JournaledRequest): Promise<Answer> {
    const target = random.pick(system.apis.filter(({ url }) => url !== undefined));
    if (target?.url === undefined) return NOT_SENT;
    const sentAtMs = performance.now();
    try {
      const response = await fetch(`${target.url}${request.path}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(request.isKeySent ? { Authorization: `Bearer ${system.apiKey}` } : {}),
        },
        body: request.body,
        signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
      });
      const answer = await readAnswer(response);
      if (answer.outcome === 'accepted') onAccepted(target.name, sentAtMs);
      return answer;
    } catch (error) {
      return { outcome: 'unknown', status: null, reason: describe(error) };
    }
  }

  async function sendUntilKnown(request: JournaledRequest, requestId: number): Promise<Answer> {
    for (;;) {
      const answer = await attempt(request);
      if (answer !== NOT_SENT) await journal.append({ type: 'answer', requestId, answer });
      if (answer.outcome !== 'unknown' || isOver()) return answer;
      await wait(PAUSE_MS);
    }
  }

  async function read<T>(path: string): Promise<T | null | undefined> {
    while (!isOver()) {
      const url = random.pick(system.apis)?.url;
      try {
        if (url !== undefined) {
          const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS) });
          const json = await response.json();
          if (response.ok) return json as T;
          if (response.status === 404) return null;
        }
      } catch {
        // A process that was killed while it answered: asked again below.
      }
      await wait(PAUSE_MS);
    }
    return undefined;
  }

  return {
    async send(request, copies = 1) {
      const requestId = requests++;
      await journal.append({ type: 'request', requestId, request });
      const answers = await Promise.all(
        Array.from({ length: copies }, () => sendUntilKnown(request, requestId)),
      );
      return answers.find(({ outcome }) => outcome === 'accepted') ?? answers[0] ?? NOT_SENT;
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
      const counts = token && {
        total: token.claimabilityAttributes.totalClaimCount,
        remaining: token.claimabilityAttributes.remainingClaimCount,
      };
      await journal.append({ type: 'token', tokenId, counts });
    },
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
  const { status } = response;
  const body = (await response.json()) as { name?: string };
  const location = response.headers.get('location');
  if (status === 202 && location !== null) return { outcome: 'accepted', location };
  if (status >= 500) return { outcome: 'unknown', status, reason: body.name ?? '' };
  return { outcome: 'refused', status, name: body.name ?? '' };
}

function describe(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {};
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.name;
}
