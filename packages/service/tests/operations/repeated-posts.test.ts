import { randomUUID } from 'node:crypto';
import type { ClaimLink, CreatedApiKey, CreatedClaimLinks } from '@badge/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROWS } from '../../src/testing/access-matrix.ts';
import {
  createMatrixFixture,
  type MatrixFixture,
  waitForSuccess,
} from '../../src/testing/access-matrix-fixture.ts';
import type { MatrixAccess } from '../../src/testing/access-matrix-roles.ts';
import { hashData } from '../../src/testing/hash-data.ts';
import { startTestService } from '../../src/testing/services.ts';

interface DocumentedPost {
  operationId: string;
  description?: string;
  parameters?: { name: string }[];
}
type Paths = Record<string, { post?: DocumentedPost }>;

let fixture: MatrixFixture;
let posts: [path: string, post: DocumentedPost][];

beforeAll(async () => {
  fixture = await createMatrixFixture(await startTestService());
  const { paths } = (await (await fixture.service.call('/openapi.json')).json()) as { paths: Paths };
  posts = Object.entries(paths).flatMap(([path, { post }]) => (post ? [[path, post]] : []));
});
afterAll(async () => await fixture.service.stop());

const acceptsKey = ({ parameters = [] }: DocumentedPost) =>
  parameters.some(({ name }) => name === 'Idempotency-Key');

// The responses of these calls contain new secrets. A repetition makes the earlier ones invalid.
const REPLACING: Record<string, (first: Response, path: string) => Promise<boolean>> = {
  createClaimLinks: async (first, path) => {
    const { items } = (await first.json()) as CreatedClaimLinks;
    const list = await fixture.service.call(`${path}?limit=1000`, { key: fixture.keys.operator });
    const links = ((await list.json()) as { data: ClaimLink[] }).data;
    return items.every(({ claimLinkId }) =>
      links.some((link) => link.claimLinkId === claimLinkId && link.status === 'revoked'),
    );
  },
  createApiKey: async (first) => {
    const { apiKey: key } = (await first.json()) as CreatedApiKey;
    return (await fixture.service.call('/v1/caller', { key })).status === 401;
  },
};

// What a repetition of the other calls leaves: a signature of the managed creator another entry in the audit
// log, a reservation another request for a mail.
const TRACES = ['audit_log', 'invitation_requests'];

/**
 * Returns a function that sends a valid request for a POST, the same each time, with this `Idempotency-Key`.
 */
async function prepareSend(path: string) {
  const route = `POST ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const row = ROWS.find((one) => one.route === route);
  if (row === undefined) throw new Error(`no row for ${route} in testing/access-matrix.ts`);
  const { path: requestPath, json, form } = await row.request(fixture);
  const { operator, emailSession } = fixture.keys;
  const keys: Partial<Record<MatrixAccess, string | undefined>> = {
    public: undefined,
    emailOnly: emailSession,
  };
  const key = row.access in keys ? keys[row.access] : operator;
  const send = (idempotencyKey: string) =>
    fixture.service.call(requestPath, {
      method: 'POST',
      headers: { 'Idempotency-Key': idempotencyKey },
      ...(key && { key }),
      ...(json && { json }),
      ...(form && { body: form }),
    });
  return { row, requestPath, send };
}

test('every POST with the parameter Idempotency-Key has no second effect, and says how it replies', async () => {
  const accepting = posts.filter(([, post]) => acceptsKey(post));
  expect(accepting.length).toBeGreaterThan(15);
  for (const [path, { operationId, description = '' }] of accepting) {
    const { row, requestPath, send } = await prepareSend(path);
    const key = randomUUID();
    const first = await send(key);
    expect(first.status, operationId).toBe(row.status);
    if (first.status === 202 && (row.isOperation ?? true)) await waitForSuccess(fixture.service, first);
    const before = await hashData(fixture.service.databaseUrl);
    const second = await send(key);
    expect([operationId, second.status]).toEqual([operationId, row.status]);
    const isReplaced = REPLACING[operationId];
    if (isReplaced !== undefined) {
      expect(description).toMatch(/A repetition with the same `Idempotency-Key` revokes/);
      expect(await isReplaced(first, requestPath), operationId).toBe(true);
      continue;
    }
    expect(second.headers.get('Idempotency-Replayed'), operationId).toBe('true');
    expect(second.headers.get('Location')).toBe(first.headers.get('Location'));
    if (!description.includes('as they are now')) expect(await second.json()).toEqual(await first.json());
    expect(await hashData(fixture.service.databaseUrl), operationId).toBe(before);
  }
});

test('every POST without the parameter Idempotency-Key ignores the header, and creates nothing more when repeated', async () => {
  const ignoring = posts.filter(([, post]) => !acceptsKey(post));
  expect(ignoring.length).toBeGreaterThan(5);
  for (const [path, { operationId }] of ignoring) {
    const { row, send } = await prepareSend(path);
    // Where the header is accepted, this value is an error.
    expect((await send('two words')).status, operationId).toBe(row.status);
    const before = await hashData(fixture.service.databaseUrl, TRACES);
    const second = await send('two words');
    expect(second.headers.get('Idempotency-Replayed'), operationId).toBeNull();
    expect(await hashData(fixture.service.databaseUrl, TRACES), operationId).toBe(before);
  }
});
