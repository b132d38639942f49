import { parentPort, workerData } from 'node:worker_threads';
import type { JournaledRequest } from '../journal.ts';
import { createTokenRequest } from '../load/requests.ts';
import { createWallets } from '../load/wallets.ts';
import { type FloodAnswer, flood, toBytes } from './flood.ts';

export interface FloodOrder {
  kind: 'invalid signatures' | 'overload';
  url: string;
  apiKey: string;
  /** Different for every flood of a run, so that no two tokens are one request. */
  name: string;
  seed: number;
  durationMs: number;
}

export interface FloodResult {
  /** What the service took with nothing waiting; null where that is not measured. */
  capacityPerSecond: number | null;
  offeredPerSecond: number;
  sent: number;
  statuses: Record<string, number>;
  /** What must be accounted for: creations with what was answered, null where nothing was. */
  creations: { request: JournaledRequest; answer: FloodAnswer | null }[];
}

const INVALID_PER_SECOND = 2_000;
const OVERLOAD_FACTOR = 3;
const MOST_CREATIONS = 10_000;
const CAPACITY_REQUESTS = 1_500;
const SOCKETS = 64;

const order = workerData as FloodOrder;
parentPort?.postMessage(order.kind === 'overload' ? await overload() : await sendInvalid());

function makeCreations(part: string, count: number): JournaledRequest[] {
  const [creator] = createWallets(order.seed, 1);
  if (creator === undefined) throw new Error('there is no wallet');
  return Array.from({ length: count }, (_, index) =>
    createTokenRequest(creator, {
      headline: `${order.name}, ${part} ${index}`,
      isSignatureRequired: false,
      nftTypeId: 'defaultOrangeRed',
      totalClaimCount: 5,
      contributors: [],
    }),
  );
}

async function sendInvalid(): Promise<FloodResult> {
  const { url, apiKey, durationMs } = order;
  const [first] = makeCreations('forged', 1);
  // Every request has another headline, which nobody has signed.
  const requests = Array.from({ length: Math.ceil((INVALID_PER_SECOND * durationMs) / 1_000) }, (_, index) =>
    toBytes('/v1/tokens', (first?.body ?? '').replace('forged 0', `forged ${index + 1}`), apiKey),
  );
  const result = await flood({
    url,
    requests,
    sockets: SOCKETS,
    requestsPerSecond: INVALID_PER_SECOND,
    durationMs,
  });
  return describe(null, result, []);
}

// What the service takes in a closed loop is its capacity; three times that is then sent whether it answers or not.
async function overload(): Promise<FloodResult> {
  const { url, apiKey, durationMs } = order;
  const measured = makeCreations('measured', CAPACITY_REQUESTS);
  const toRequests = (creations: JournaledRequest[]) =>
    creations.map(({ path, body }) => toBytes(path, body, apiKey));
  const before = await flood({ url, requests: toRequests(measured), sockets: SOCKETS, durationMs: 2_000 });
  const accepted = before.answers.filter((answer) => answer?.status === 202).length;
  const capacity = Math.max((accepted / before.tookMs) * 1_000, 100);
  const rate = capacity * OVERLOAD_FACTOR;
  const flooding = makeCreations('flooded', Math.min(Math.ceil((rate * durationMs) / 1_000), MOST_CREATIONS));
  const result = await flood({
    url,
    requests: toRequests(flooding),
    sockets: SOCKETS,
    requestsPerSecond: rate,
    durationMs,
  });
  const creations = [
    ...before.answers.map((answer, index) => ({ request: measured[index], answer })),
    ...result.answers.map((answer, index) => ({ request: flooding[index], answer })),
  ].flatMap(({ request, answer }) => (request === undefined ? [] : [{ request, answer }]));
  return describe(capacity, result, creations);
}

function describe(
  capacityPerSecond: number | null,
  { answers, sent, tookMs }: Awaited<ReturnType<typeof flood>>,
  creations: FloodResult['creations'],
): FloodResult {
  const statuses: Record<string, number> = {};
  for (const answer of answers) {
    const name = answer === null ? 'none' : String(answer.status);
    statuses[name] = (statuses[name] ?? 0) + 1;
  }
  return { capacityPerSecond, offeredPerSecond: (sent / tookMs) * 1_000, sent, statuses, creations };
}
