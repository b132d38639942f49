import { parentPort, workerData } from 'node:worker_threads';
import { newWallet } from '@badge/test-support/signing';
import type { JournaledRequest } from '../journal.ts';
import { COMMUNITY_ID, createTokenRequest } from '../load/requests.ts';
import { type FloodOutcome, type FloodResponse, sendFlood, toBytes } from './flood-sockets.ts';

export type FloodKind = 'invalid signatures' | 'overload';

export interface FloodTask {
  kind: FloodKind;
  url: string;
  /** Used by nothing else, because a flood can use up the share of its key. */
  apiKey: string;
  /** Part of every headline. Different for every flood, so that no two requests are the same. */
  name: string;
  seed: number;
  durationMs: number;
}

export interface FloodResult {
  /** Measured before an overload; null for other floods. */
  capacityPerSecond: number | null;
  offeredPerSecond: number;
  sent: number;
  statuses: Record<string, number>;
  /** The valid create requests, which must be journaled, with their responses (null if none came). */
  creations: { request: JournaledRequest; response: FloodResponse | null }[];
}

const INVALID_PER_SECOND = 2_000;
const OVERLOAD_FACTOR = 3;
// So that there is a flood even if the process accepted nothing during the measurement.
const MIN_CAPACITY_PER_SECOND = 100;
const MAX_CREATIONS = 10_000;
const CAPACITY_REQUESTS = 1_500;
const SOCKETS = 64;

const task = workerData as FloodTask;
parentPort?.postMessage(task.kind === 'overload' ? await sendOverload() : await sendInvalid());

async function makeCreations(part: string, count: number): Promise<JournaledRequest[]> {
  const creator = newWallet(`flood ${task.seed}`);
  const creations: JournaledRequest[] = [];
  for (let index = 0; index < count; index += 1) {
    const token = {
      headline: `${task.name}, ${part} ${index}`,
      isSignatureRequired: false,
      nftTypeId: 'defaultOrangeRed',
      totalClaimCount: 5,
      contributors: [],
    };
    const community = { communityId: COMMUNITY_ID, apiKey: task.apiKey };
    creations.push(await createTokenRequest(creator, token, community));
  }
  return creations;
}

async function sendInvalid(): Promise<FloodResult> {
  const { url, apiKey, durationMs } = task;
  const [first] = await makeCreations('forged', 1);
  // The headline of each request differs from the signed one.
  const requests = Array.from({ length: Math.ceil((INVALID_PER_SECOND * durationMs) / 1_000) }, (_, index) =>
    toBytes(
      {
        path: '/v1/tokens',
        body: (first?.body ?? '').replace('forged 0', `forged ${index + 1}`),
        idempotencyKey: null,
      },
      apiKey,
    ),
  );
  const result = await sendFlood({
    url,
    requests,
    sockets: SOCKETS,
    requestsPerSecond: INVALID_PER_SECOND,
    durationMs,
  });
  return summarize(null, result, []);
}

// The capacity is the number of requests per second that the process at `url` accepts while each socket waits
// for a response before it sends the next request.
async function sendOverload(): Promise<FloodResult> {
  const { url, apiKey, durationMs } = task;
  const measured = await makeCreations('measured', CAPACITY_REQUESTS);
  const toRequests = (creations: JournaledRequest[]) => creations.map((request) => toBytes(request, apiKey));
  const measurement = await sendFlood({
    url,
    requests: toRequests(measured),
    sockets: SOCKETS,
    durationMs: 2_000,
  });
  const accepted = measurement.responses.filter((response) => response?.status === 202).length;
  const capacity = Math.max((accepted / measurement.tookMs) * 1_000, MIN_CAPACITY_PER_SECOND);
  const rate = capacity * OVERLOAD_FACTOR;
  const flooding = await makeCreations(
    'flooded',
    Math.min(Math.ceil((rate * durationMs) / 1_000), MAX_CREATIONS),
  );
  const result = await sendFlood({
    url,
    requests: toRequests(flooding),
    sockets: SOCKETS,
    requestsPerSecond: rate,
    durationMs,
  });
  const creations = [
    ...measurement.responses.map((response, index) => ({ request: measured[index], response })),
    ...result.responses.map((response, index) => ({ request: flooding[index], response })),
  ].flatMap(({ request, response }) => (request === undefined ? [] : [{ request, response }]));
  return summarize(capacity, result, creations);
}

function summarize(
  capacityPerSecond: number | null,
  { responses, sent, tookMs }: FloodOutcome,
  creations: FloodResult['creations'],
): FloodResult {
  const statuses: Record<string, number> = {};
  for (const response of responses) {
    const name = response === null ? 'none' : String(response.status);
    statuses[name] = (statuses[name] ?? 0) + 1;
  }
  return { capacityPerSecond, offeredPerSecond: (sent / tookMs) * 1_000, sent, statuses, creations };
}
