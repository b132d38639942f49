import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Fault, Stage } from './fault.ts';
import type { FloodOrder, FloodResult } from './flooder.ts';

const SLOW_SOCKETS = 1_000;
const FLOOD_MS = 5_000;
const RESENT_AT_ONCE = 30;

let floods = 0;

const SLOW_CONNECTIONS: Fault = {
  name: '1,000 slow sockets',
  weight: 1,
  async strike({ system, client, journal, random, last }) {
    const url = random.pick(system.apis)?.url;
    if (url === undefined) return 0;
    const { hostname, port } = new URL(url);
    const open = new Set<Socket>();
    for (let index = 0; index < SLOW_SOCKETS; index += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('connect', () => {
        open.add(socket);
        socket.write(index % 2 === 0 ? 'GET /v1/tokens HTTP/1.1\r\nHost: localhost\r\nX-' : SLOW_BODY);
      });
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
      socket.resume();
      if (index % 50 === 49) await wait(10);
    }
    const readsBefore = client.counts.reads;
    const most = open.size;
    const drip = setInterval(() => {
      for (const socket of open) socket.write('a');
    }, 500);
    await last(3_000, 8_000);
    clearInterval(drip);
    const reads = client.counts.reads - readsBefore;
    if (system.isUp() && reads === 0) {
      await journal.append({
        type: 'violation',
        invariant: 'I10',
        detail: 'no read was answered beside the slow sockets',
      });
    }
    for (const socket of open) socket.destroy();
    return most > SLOW_SOCKETS / 2 ? 1 : 0;
  },
};

const SLOW_BODY = [
  'POST /v1/tokens HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  'Content-Length: 60000',
  '',
  '{',
].join('\r\n');

async function flood({ system, random }: Stage, kind: FloodOrder['kind']): Promise<FloodResult | undefined> {
  const url = random.pick(system.apis)?.url;
  if (url === undefined) return undefined;
  floods += 1;
  const order: FloodOrder = {
    kind,
    url,
    apiKey: system.apiKey,
    name: `Flood ${floods} of ${system.scenario}`,
    seed: random.integer(0, 2 ** 31),
    durationMs: FLOOD_MS,
  };
  const worker = new Worker(new URL('./flooder.ts', import.meta.url), { workerData: order });
  const [result] = (await once(worker, 'message')) as [FloodResult];
  return result;
}

const FIT_STATUSES = { 'invalid signatures': ['403', '503', 'none'], overload: ['202', '503', 'none'] };

async function noteFlood({ journal }: Stage, kind: FloodOrder['kind'], result: FloodResult): Promise<void> {
  const { creations: _, ...figures } = result;
  await journal.append({ type: 'flood', kind, ...figures });
  for (const [status, count] of Object.entries(result.statuses)) {
    if (FIT_STATUSES[kind].includes(status)) continue;
    await journal.append({
      type: 'violation',
      invariant: 'I10',
      detail: `${kind}: ${count} answers were ${status}`,
    });
  }
  await journal.append({ type: 'checked', invariant: 'I10', count: result.sent });
}

const INVALID_SIGNATURES: Fault = {
  name: 'flood of invalid signatures',
  weight: 1,
  async strike(stage) {
    const result = await flood(stage, 'invalid signatures');
    if (result === undefined) return 0;
    await noteFlood(stage, 'invalid signatures', result);
    return (result.statuses[403] ?? 0) > 0 ? 1 : 0;
  },
};

const OVERLOAD: Fault = {
  name: 'overload, three times the capacity',
  weight: 1,
  async strike(stage) {
    const { client } = stage;
    const result = await flood(stage, 'overload');
    if (result === undefined) return 0;
    await noteFlood(stage, 'overload', result);
    const queue = result.creations.values();
    async function adopt(): Promise<void> {
      for (const { request, answer } of queue) await client.adopt(request, answer);
    }
    await Promise.all(Array.from({ length: RESENT_AT_ONCE }, adopt));
    return result.sent > 0 ? 1 : 0;
  },
};

/** Faults that clients are. */
export const CLIENT_FAULTS: Fault[] = [SLOW_CONNECTIONS, INVALID_SIGNATURES, OVERLOAD];
