import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createOpenApiValidator, type OpenApiValidator } from '../openapi-validator.ts';
import type { OpenApiDocument } from '../shapes.ts';
import type { ApiOperation } from './encode-request.ts';
import { type Kind, planFor, readOperations } from './requests.ts';
import { type GeneratedRequest, send, toCurl } from './send.ts';
import { createTestData, type Service, type TestData } from './test-data.ts';
import { findViolation } from './violations.ts';

/**
 * Their valid requests need what works once, such as a code in a mail, so only the tests of the service send
 * them.
 */
const NEED_A_CODE = [
  'downloadExport',
  'readInvitationMail',
  'confirmReservation',
  'confirmResubscription',
  'moveBadges',
  'removeDefaultAddress',
];

/** How much of the requests is of each kind. */
const KIND_FRACTIONS: Record<Kind, number> = { valid: 0.3, changed: 0.45, random: 0.17, method: 0.08 };
const CONCURRENCY = 4;

export interface Run extends Service {
  document: OpenApiDocument;
  requests: number;
  seed: number;
  /** The `operationId` of the only operation to test. If it is undefined, all operations are tested. */
  only?: string | undefined;
}

export interface Result {
  /** How often each operation returned each status. */
  counts: Map<string, Map<number, number>>;
  /**
   * The violations, each with the smallest request that causes it if there is one, and what was not tested.
   */
  violations: string[];
}

/** Sends generated requests to every operation of the document and checks every response. */
export async function runGenerated(run: Run): Promise<Result> {
  const operations = readOperations(run.document).filter(
    ({ operationId }) => (run.only ?? operationId) === operationId && !NEED_A_CODE.includes(operationId),
  );
  const data = await createTestData(run);
  const result: Result = { counts: new Map(), violations: [] };
  const validator = createOpenApiValidator(run.document);
  const queue = [...operations];
  const work = async () => {
    for (let operation = queue.shift(); operation !== undefined; operation = queue.shift()) {
      await data.updateReadableTokens();
      for (const [kind, fraction] of Object.entries(KIND_FRACTIONS) as [Kind, number][]) {
        const numRuns = Math.ceil((run.requests / operations.length) * fraction);
        await testOperation({ run, data, validator, result, operation, kind, numRuns });
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  for (const operation of operations) result.violations.push(...findUntested(operation, result));
  return result;
}

interface OperationTest {
  run: Run;
  data: TestData;
  validator: OpenApiValidator;
  result: Result;
  operation: ApiOperation;
  kind: Kind;
  numRuns: number;
}

/**
 * Sends requests of one kind to one operation. Adds the statuses, and at most one violation, to the result.
 */
async function testOperation(options: OperationTest): Promise<void> {
  const { run, data, validator, result, operation, kind, numRuns } = options;
  const { operationId } = operation;
  const counts = result.counts.get(operationId) ?? new Map<number, number>();
  result.counts.set(operationId, counts);
  const { operator, community, otherCommunity, basic } = data.keys;
  const headerKeys = [operator, community, otherCommunity];
  async function findRequestViolation(request: GeneratedRequest): Promise<string | undefined> {
    const response = await send(run.baseUrl, request);
    counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
    // A session is created for each request that needs one.
    const bearerKeys = [...headerKeys, ...data.sessionTokens];
    const validKeys = [...headerKeys, ...bearerKeys.map((key) => `Bearer ${key}`), `Basic ${basic}`];
    return await findViolation(validator, { kind, request, response }, validKeys);
  }
  const property = fc.asyncProperty(planFor(operation, kind, run.document), async (plan) => {
    const request = await plan(data);
    // An error, such as a missing response, is a violation too.
    const violation = await findRequestViolation(request).catch(String);
    if (violation !== undefined) throw new Violation(violation, request);
  });
  const seed = createHash('sha256').update(`${run.seed} ${operationId} ${kind}`).digest().readInt32BE();
  const details = await fc.check(property, { seed, numRuns });
  if (!details.failed) return;
  const error = details.errorInstance;
  const keys = {
    BADGE_ADMIN_KEY: operator,
    BADGE_API_KEY: community,
    OTHER_API_KEY: otherCommunity,
    BASIC: basic,
  };
  // If the plan failed, there is no request.
  const curl = error instanceof Violation ? toCurl(run.baseUrl, error.request, keys) : '';
  result.violations.push(
    `${operationId}, ${kind}: ${error instanceof Error ? error.message : error}\n${curl}`,
  );
}

class Violation extends Error {
  readonly request: GeneratedRequest;

  constructor(message: string, request: GeneratedRequest) {
    super(message);
    this.request = request;
  }
}

/**
 * Returns what was not tested: a message if the operation never succeeded, and one if it never rejected a
 * request.
 */
function findUntested({ operationId, responses }: ApiOperation, { counts }: Result): string[] {
  const statuses = [...(counts.get(operationId)?.keys() ?? [])];
  // 405 is the response to another method, so it does not show that the operation rejects requests.
  const isRejection = (status: number) => status >= 400 && status < 500 && status !== 405;
  // Generated requests need not cause 416, 429 or 431.
  const documented = Object.keys(responses).map(Number);
  const mayReject = documented.some((status) => isRejection(status) && ![416, 429, 431].includes(status));
  return [
    ...(statuses.some((status) => status < 300) ? [] : [`${operationId} never succeeded`]),
    ...(!mayReject || statuses.some(isRejection) ? [] : [`${operationId} never rejected a request`]),
  ];
}

export function describeCounts(counts: Result['counts']): string {
  const lines = [...counts].map(([operationId, statuses]) => {
    const parts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return `${operationId.padEnd(40)} ${parts.join(', ')}\n`;
  });
  return lines.join('');
}
