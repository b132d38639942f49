import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Operation, Token } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';

const CREATORS = 3;
const CLAIMERS = 4;
const PAUSE_MS = 15;
const LONGEST_WAIT_MS = 60_000;
const AT_ONCE = 20;

/** One request and what was answered; times by this process's clock, in milliseconds. */
export interface Sent {
  path: string;
  body: object;
  sentAtMs: number;
  /** The operation's path, once it was accepted. */
  location?: string;
  acceptedAtMs?: number;
  /** The token as it was read after the operation's success. */
  token?: Token;
  readAtMs?: number;
}

export interface Load {
  sent: Sent[];
  /** Creates tokens without waiting for them to be settled. */
  createPending(count: number): Promise<void>;
  waitForAccepted(more: number): Promise<void>;
  stop(): Promise<void>;
}

/** Waits until it holds; throws after a minute. */
export async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_WAIT_MS;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`in vain waited until ${holds}`);
    await wait(PAUSE_MS);
  }
}

/** Does the step for every item, several at once. */
export async function forEach<Item>(
  items: Iterable<Item>,
  step: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items].values();
  async function work(): Promise<void> {
    for (const item of queue) await step(item);
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Sends one request; a refusal or a lost connection accepts nothing. */
export async function send(url: string, apiKey: string, path: string, body: object): Promise<Sent> {
  const sent: Sent = { path, body, sentAtMs: performance.now() };
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  await answer?.text();
  const location = answer?.headers.get('location');
  return answer?.status === 202 && location ? { ...sent, location, acceptedAtMs: performance.now() } : sent;
}

/** Reads what a path answers; undefined if it is no 200. */
export async function read<T>(url: string, path: string): Promise<T | undefined> {
  const answer = await fetch(url + path).catch(() => undefined);
  if (answer?.status === 200) return (await answer.json()) as T;
  await answer?.text();
  return undefined;
}

/** Creates and claims tokens over HTTP until it is stopped, and keeps what was answered. */
export function startLoad(url: string, apiKey: string): Load {
  const sent: Sent[] = [];
  const tokenIds: number[] = [];
  let isStopping = false;

  async function create(): Promise<Sent> {
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

  const actors = [
    ...Array.from({ length: CREATORS }, () => repeat(createAndRead)),
    ...Array.from({ length: CLAIMERS }, () => repeat(claim)),
  ];
  const countAccepted = () => sent.filter(({ location }) => location !== undefined).length;
  return {
    sent,
    async createPending(count) {
      await Promise.all(Array.from({ length: count }, create));
    },
    async waitForAccepted(more) {
      const wanted = countAccepted() + more;
      await waitUntil(() => countAccepted() >= wanted);
    },
    async stop() {
      isStopping = true;
      await Promise.all(actors);
    },
  };
}
