import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Operation, Token } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';

const CREATORS = 3;
const CLAIMERS = 4;
const PAUSE_MS = 15;
const WAIT_LIMIT_MS = 60_000;
const CONCURRENCY = 20;

/** A request and its response. Times are `performance.now()` of this process. */
export interface SentRequest {
  path: string;
  body: object;
  sentAtMs: number;
  /** The path of the operation, if the request was accepted. */
  location?: string;
  acceptedAtMs?: number;
  /** The token, as read after the operation succeeded. */
  token?: Token;
  readAtMs?: number;
}

export interface Load {
  sent: SentRequest[];
  /** Sends this many requests that create tokens, and does not wait for their operations. */
  createPending(count: number): Promise<void>;
  /** Waits until this many more requests were accepted. */
  waitForAccepted(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Waits until the condition is true. Throws after a minute. */
export async function waitUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + WAIT_LIMIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadlineMs) throw new Error(`timed out: ${isTrue}`);
    await wait(PAUSE_MS);
  }
}

/** Calls the step for every item, several at a time. */
export async function forEach<Item>(
  items: Iterable<Item>,
  step: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items].values();
  async function work(): Promise<void> {
    for (const item of queue) await step(item);
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

/**
 * Sends a request. Its idempotency key is a hash of its path and body, so a repetition has the same key. The
 * result has no `location` if the request was refused, or if the connection was lost.
 */
export async function send(url: string, apiKey: string, path: string, body: object): Promise<SentRequest> {
  const sent: SentRequest = { path, body, sentAtMs: performance.now() };
  const json = JSON.stringify(body);
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'Idempotency-Key': createHash('sha256')
        .update(path + json)
        .digest('hex'),
    },
    body: json,
  }).catch(() => undefined);
  await response?.text();
  const location = response?.headers.get('location');
  return response?.status === 202 && location ? { ...sent, location, acceptedAtMs: performance.now() } : sent;
}

/** Reads a path. Returns undefined unless the status is 200. */
export async function read<T>(url: string, path: string): Promise<T | undefined> {
  const response = await fetch(url + path).catch(() => undefined);
  if (response?.status === 200) return (await response.json()) as T;
  await response?.text();
  return undefined;
}

/** Creates and claims tokens until it is stopped, and records the responses. */
export function startLoad(url: string, apiKey: string): Load {
  const sent: SentRequest[] = [];
  const tokenIds: number[] = [];
  let isStopping = false;

  async function create(): Promise<SentRequest> {
    const entry = await send(url, apiKey, '/v1/tokens', await signedToken({ totalClaimCount: 5 }));
    sent.push(entry);
    return entry;
  }
  async function createAndRead(): Promise<void> {
    const entry = await create();
    const operation = entry.location && (await read<Operation>(url, `${entry.location}?wait=10`));
    if (!operation || operation.resourceId === null) return;
    const token = await read<Token>(url, `/v1/tokens/${operation.resourceId}`);
    if (token === undefined) return;
    Object.assign(entry, { token, readAtMs: performance.now() });
    tokenIds.push(Number(token.tokenId));
  }
  async function claim(): Promise<void> {
    const tokenId = tokenIds[Math.floor(Math.random() * tokenIds.length)];
    if (tokenId === undefined) return;
    const body = { claimingAddress: `0x${randomBytes(20).toString('hex')}` };
    sent.push(await send(url, apiKey, `/v1/tokens/${tokenId}/claim`, body));
  }
  async function repeat(step: () => Promise<unknown>): Promise<void> {
    while (!isStopping) {
      await step();
      await wait(PAUSE_MS);
    }
  }

  const clients = [
    ...Array.from({ length: CREATORS }, () => repeat(createAndRead)),
    ...Array.from({ length: CLAIMERS }, () => repeat(claim)),
  ];
  const countAccepted = () => sent.filter(({ location }) => location !== undefined).length;
  return {
    sent,
    async createPending(count) {
      await Promise.all(Array.from({ length: count }, create));
    },
    async waitForAccepted(count) {
      const wanted = countAccepted() + count;
      await waitUntil(() => countAccepted() >= wanted);
    },
    async stop() {
      isStopping = true;
      await Promise.all(clients);
    },
  };
}
