import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { COMMUNITY_ID, operatorRequest } from '../load/requests.ts';
import type { Fault, FaultContext } from './fault.ts';
import type { FloodKind, FloodResult, FloodTask } from './flood-worker.ts';

const SLOW_CONNECTION_COUNT = 1_000;
const CONNECT_BATCH = 50;
const CONNECT_PAUSE_MS = 10;
const BYTE_INTERVAL_MS = 500;
const FLOOD_MS = 5_000;
const CONCURRENT_RECORDINGS = 30;

const UNFINISHED_GET = 'GET /v1/tokens HTTP/1.1\r\nHost: localhost\r\nX-';
const UNFINISHED_POST = [
  'POST /v1/tokens HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  'Content-Length: 60000',
  '',
  '{',
].join('\r\n');

const SLOW_CONNECTIONS: Fault = {
  name: '1,000 slow connections',
  effect: `Opens ${SLOW_CONNECTION_COUNT} connections that send one byte every ${BYTE_INTERVAL_MS} ms. A read must succeed meanwhile (part of I10).`,
  countsIf: 'more than half of them were open at the same time',
  weight: 1,
  async inject({ system, client, journal, random, holdFor }) {
    const url = random.pick(system.apis)?.url;
    if (url === undefined) return 0;
    const { hostname, port } = new URL(url);
    const open = new Set<Socket>();
    for (let index = 0; index < SLOW_CONNECTION_COUNT; index += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('connect', () => {
        open.add(socket);
        socket.write(index % 2 === 0 ? UNFINISHED_GET : UNFINISHED_POST);
      });
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
      socket.resume();
      if ((index + 1) % CONNECT_BATCH === 0) await wait(CONNECT_PAUSE_MS);
    }
    const openAtOnce = open.size;
    const readsBefore = client.counts.reads;
    const byteTimer = setInterval(() => {
      for (const socket of open) socket.write('a');
    }, BYTE_INTERVAL_MS);
    await holdFor(3_000, 8_000);
    clearInterval(byteTimer);
    if (system.isUp() && client.counts.reads === readsBefore)
      await journal.violation('I10', 'no read succeeded during the slow connections');
    for (const socket of open) socket.destroy();
    return openAtOnce > SLOW_CONNECTION_COUNT / 2 ? 1 : 0;
  },
};

/** The statuses that a request of a flood may get; `none` means that no response came. */
const EXPECTED_STATUSES: Record<FloodKind, string[]> = {
  'invalid signatures': ['403', '429', '503', 'none'],
  overload: ['202', '429', '503', 'none'],
};

let floods = 0;

/**
 * Floods a random API process from a separate thread, and checks the responses (I10). Returns undefined if
 * the process is not ready.
 */
async function flood(
  { system, client, random, journal }: FaultContext,
  kind: FloodKind,
): Promise<FloodResult | undefined> {
  const url = random.pick(system.apis)?.url;
  const created = await client.request(`/v1/communities/${COMMUNITY_ID}/apiKeys`, () =>
    operatorRequest(system.adminKey, 'POST', { name: 'flood' }),
  );
  if (url === undefined || created === undefined) return undefined;
  const { apiKey } = (await created.json()) as { apiKey: string };
  floods += 1;
  const task: FloodTask = {
    kind,
    url,
    apiKey,
    name: `Flood ${floods} of ${system.name}`,
    seed: random.integer(0, 2 ** 31),
    durationMs: FLOOD_MS,
  };
  const worker = new Worker(new URL('./flood-worker.ts', import.meta.url), { workerData: task });
  const [result] = (await once(worker, 'message')) as [FloodResult];
  const { creations: _, ...figures } = result;
  await journal.append({ type: 'flood', kind, ...figures });
  for (const [status, count] of Object.entries(result.statuses)) {
    if (!EXPECTED_STATUSES[kind].includes(status))
      await journal.violation('I10', `${kind}: ${count} responses with ${status}`);
  }
  await journal.checked('I10', result.sent);
  return result;
}

const INVALID_SIGNATURES: Fault = {
  name: 'flood of invalid signatures',
  effect: 'Sends 2,000 create requests per second with invalid signatures, for 5 s.',
  countsIf: 'a request was refused with 403',
  weight: 1,
  async inject(context) {
    const result = await flood(context, 'invalid signatures');
    return (result?.statuses[403] ?? 0) > 0 ? 1 : 0;
  },
};

const OVERLOAD: Fault = {
  name: 'overload, three times the capacity',
  effect: 'Measures how many create requests per second one process accepts, then sends three times as many.',
  countsIf: 'the flood was sent',
  weight: 1,
  async inject(context) {
    const result = await flood(context, 'overload');
    if (result === undefined) return 0;
    const queue = result.creations.values();
    async function recordCreations(): Promise<void> {
      for (const { request, response } of queue) await context.client.recordFloodRequest(request, response);
    }
    await Promise.all(Array.from({ length: CONCURRENT_RECORDINGS }, recordCreations));
    return result.sent > 0 ? 1 : 0;
  },
};

/** Faults that clients cause. */
export const CLIENT_FAULTS: Fault[] = [SLOW_CONNECTIONS, INVALID_SIGNATURES, OVERLOAD];
