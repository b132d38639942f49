import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { newWallet, signedToken } from '@badge/test-support/signing';
import type { ProbeKind, ProbeResult } from '../journal.ts';
import type { Caller } from './callers.ts';
import { type HttpResponse, jsonHeaders, sendRequest } from './http.ts';

// A process of its own, so that the load and the attack do not delay it. Sends probes until it gets a
// message, then finishes them and exits. argv[2]: a ProbeOrder in JSON. It sends each ProbeResult to its
// parent.

export interface ProbeOrder {
  url: string;
  caller: Caller;
  /**
   * The process id of the attacked service. The prober reads how long this process waited for a processor.
   */
  pid: number | undefined;
  /** Part of every headline. Different for every attack. */
  uniqueName: string;
}

const GIVE_UP_MS = 20_000;
const RETRY_PAUSE_MS = 100;
const TICK_MS = 20;
const PAUSES_MS: Record<ProbeKind, number> = { healthz: 200, write: 500, read: 200, picture: 200 };

class UnexpectedStatus extends Error {
  override name = 'UnexpectedStatus';
}

const order: ProbeOrder = JSON.parse(process.argv[2] ?? '');
const creator = newWallet(order.uniqueName);
const stopping = new AbortController();
const readLag = watchLag();
const tokenIds: number[] = [];
const undrawnTokenIds: number[] = [];
let reads = 0;

process.once('message', () => stopping.abort());
process.once('disconnect', () => process.exit(0));

const PROBES: Record<ProbeKind, (signal: AbortSignal) => Promise<void>> = {
  async healthz(signal) {
    await get('/healthz', signal);
  },
  async write(signal) {
    const { communityId, apiKey } = order.caller;
    const body = JSON.stringify(
      await signedToken({ communityId, headline: `${order.uniqueName} ${performance.now()}` }, creator),
    );
    const headers = { ...jsonHeaders(apiKey), 'Idempotency-Key': crypto.randomUUID() };
    const accepted = await retry(202, signal, { path: '/v1/tokens', method: 'POST', headers, body });
    for (;;) {
      const response = await get(`${accepted.headers.location}?wait=5`, signal);
      const operation = JSON.parse(response.body.toString());
      if (operation.status === 'error') throw new Error(`the operation failed: ${response.body}`);
      if (operation.status !== 'success') continue;
      tokenIds.push(operation.resourceId);
      undrawnTokenIds.push(operation.resourceId);
      return;
    }
  },
  async read(signal) {
    // A page of all tokens may contain large ones of the attacker, so it is small.
    const paths = [
      `/v1/tokens/${tokenIds.at(-1)}`,
      '/v1/tokens?limit=10',
      `/v1/communities/${order.caller.communityId}/tokens?limit=50`,
    ];
    reads += 1;
    await get(paths[reads % paths.length] ?? '', signal);
  },
  async picture(signal) {
    await get(`/images/token/${undrawnTokenIds.pop()}.png`, signal);
  },
};

// The probes `read` and `picture` need a token.
await probe('write');
await Promise.all((Object.keys(PROBES) as ProbeKind[]).map(repeat));
process.disconnect();

async function repeat(kind: ProbeKind): Promise<void> {
  while (!stopping.signal.aborted) {
    if (mayProbe(kind)) await probe(kind);
    await wait(PAUSES_MS[kind], undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

/** Returns false if a probe of this kind needs a token and there is none. */
function mayProbe(kind: ProbeKind): boolean {
  if (kind === 'picture') return undrawnTokenIds.length > 0;
  return kind !== 'read' || tokenIds.length > 0;
}

async function probe(kind: ProbeKind): Promise<void> {
  const beganMs = performance.now();
  const lagBeforeMs = readLag();
  const waitBeforeMs = readWaitMs(order.pid);
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  let failure: string | null = null;
  try {
    await PROBES[kind](signal);
  } catch (error) {
    failure = signal.aborted ? `no response within ${GIVE_UP_MS} ms` : String(error);
  }
  const tookMs = performance.now() - beganMs;
  const lagMs = readLag() - lagBeforeMs;
  // If the process has ended meanwhile, the difference is negative.
  const serviceWaitMs = Math.max(0, readWaitMs(order.pid) - waitBeforeMs);
  const result: ProbeResult = { probe: kind, tookMs, lagMs, serviceWaitMs, failure };
  process.send?.(result);
}

async function get(path: string, signal: AbortSignal): Promise<HttpResponse> {
  return await retry(200, signal, { path });
}

/**
 * Sends a request, each time on a new connection, until it gets this status. Retries a 429, a 503 and a
 * broken connection.
 */
async function retry(
  expectedStatus: number,
  signal: AbortSignal,
  request: { path: string; method?: string; headers?: Record<string, string>; body?: string },
): Promise<HttpResponse> {
  const { url, caller } = order;
  for (;;) {
    signal.throwIfAborted();
    let pauseMs = RETRY_PAUSE_MS;
    try {
      const response = await sendRequest({ url, localAddress: caller.localAddress, signal, ...request });
      const { status, headers, body } = response;
      if (status === expectedStatus) return response;
      if (status !== 429 && status !== 503) throw new UnexpectedStatus(`${request.path}: ${status} ${body}`);
      pauseMs = Number(headers['retry-after'] ?? 0) * 1_000 || pauseMs;
    } catch (error) {
      // Any other error is a broken connection or the end of the time. After the latter, `wait` throws.
      if (error instanceof UnexpectedStatus) throw error;
    }
    await wait(pauseMs, undefined, { signal });
  }
}

/**
 * For how long, in total, the main thread of a process waited for a processor. 0 if the system does not
 * report it.
 */
function readWaitMs(pid: number | undefined): number {
  try {
    const [, waitNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waitNs) / 10 ** 6;
  } catch {
    return 0;
  }
}

/** Returns a function that returns for how long, in total, this process could not run on time. */
function watchLag(): () => number {
  let lastTickMs = performance.now();
  let lagMs = 0;
  const lateMs = () => Math.max(0, performance.now() - lastTickMs - TICK_MS);
  setInterval(() => {
    lagMs += lateMs();
    lastTickMs = performance.now();
  }, TICK_MS).unref();
  return () => lagMs + lateMs();
}
