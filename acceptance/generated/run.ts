import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { OpenApiJudge } from '../openapi-judge.ts';
import type { OpenApiDocument } from '../shapes.ts';
import type { Documented } from './drafts.ts';
import { findFault } from './judge.ts';
import { type Kind, planFor, readOperations } from './requests.ts';
import { type GeneratedRequest, send, toCurl } from './send.ts';
import { type Service, World } from './world.ts';

const shares: Record<Kind, number> = { right: 0.3, changed: 0.45, wild: 0.17, method: 0.08 };
const lanes = 4;

export interface Run extends Service {
  document: OpenApiDocument;
  requests: number;
  seed: number;
  /** Only this operation, or all. */
  only?: string | undefined;
}

export interface Result {
  /** How often each operation was answered with each status. */
  counts: Map<string, Map<number, number>>;
  /** What was wrong, each with the smallest request that shows it. */
  complaints: string[];
}

/** Sends generated requests to every operation of the document and judges every answer. */
export async function runGenerated(run: Run): Promise<Result> {
  const operations = readOperations(run.document).filter(
    ({ operationId }) => (run.only ?? operationId) === operationId,
  );
  const world = new World(run);
  await world.make();
  const result: Result = { counts: new Map(), complaints: [] };
  const judge = new OpenApiJudge(run.document);
  const queue = [...operations];
  const work = async () => {
    for (let operation = queue.shift(); operation !== undefined; operation = queue.shift()) {
      await world.findNewTokens();
      for (const [kind, share] of Object.entries(shares) as [Kind, number][]) {
        const numRuns = Math.ceil((run.requests / operations.length) * share);
        await check({ run, world, judge, result, operation, kind, numRuns });
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  for (const operation of operations) result.complaints.push(...findUnreached(operation, result));
  return result;
}

interface Check {
  run: Run;
  world: World;
  judge: OpenApiJudge;
  result: Result;
  operation: Documented;
  kind: Kind;
  numRuns: number;
}

async function check({ run, world, judge, result, operation, kind, numRuns }: Check): Promise<void> {
  const { operationId } = operation;
  const counts = result.counts.get(operationId) ?? new Map<number, number>();
  result.counts.set(operationId, counts);
  const { operator, community, foreign, basic } = world.keys;
  const headerKeys = [operator, community, foreign];
  const rightKeys = [...headerKeys, ...headerKeys.map((key) => `Bearer ${key}`), `Basic ${basic}`];
  let smallest: GeneratedRequest | undefined;
  const property = fc.asyncProperty(planFor(operation, kind, run.document), async (plan) => {
    const request = await plan(world);
    smallest = request;
    const answer = await send(run.baseUrl, request);
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
    const fault = await findFault(judge, { kind, request, answer }, rightKeys);
    if (fault !== undefined) throw new Failure(fault, request);
  });
  const seed = createHash('sha256').update(`${run.seed} ${operationId} ${kind}`).digest().readInt32BE();
  const details = await fc.check(property, { seed, numRuns });
  if (!details.failed) return;
  const error = details.errorInstance;
  const request = error instanceof Failure ? error.request : smallest;
  const keys = { BADGE_ADMIN_KEY: operator, BADGE_API_KEY: community, OTHER_API_KEY: foreign, BASIC: basic };
  const curl = request === undefined ? '' : toCurl(run.baseUrl, request, keys);
  result.complaints.push(
    `${operationId}, ${kind}: ${error instanceof Error ? error.message : error}\n${curl}`,
  );
}

class Failure extends Error {
  readonly request: GeneratedRequest;

  constructor(fault: string, request: GeneratedRequest) {
    super(fault);
    this.request = request;
  }
}

// An operation that never was done, or never refused anything, was not tested.
function findUnreached({ operationId, responses }: Documented, { counts }: Result): string[] {
  const statuses = [...(counts.get(operationId)?.keys() ?? [])];
  const isRefused = (status: number) => status >= 400 && status < 500 && status !== 405;
  const documented = Object.keys(responses).map(Number);
  const mayRefuse = documented.some((status) => isRefused(status) && status !== 429 && status !== 416);
  return [
    ...(statuses.some((status) => status < 300) ? [] : [`${operationId} was never done`]),
    ...(!mayRefuse || statuses.some(isRefused) ? [] : [`${operationId} never refused anything`]),
  ];
}

export function describeCounts(counts: Result['counts']): string {
  const lines = [...counts].map(([operationId, statuses]) => {
    const parts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return `${operationId.padEnd(40)} ${parts.join(', ')}\n`;
  });
  return lines.join('');
}
