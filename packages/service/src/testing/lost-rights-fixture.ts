import type { ErrorName, Problem } from '@badge/protocol';
import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { holdLock, holdRows, query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect } from 'vitest';
import { deleteWebhooks } from './access-matrix-fixture.ts';
import { createApiKey, createSession } from './access-matrix-roles.ts';
import { type AuditedWrite, auditedWrites } from './audited-writes.ts';
import { startTestService, type TestService } from './services.ts';

/** A key or a session of an owner, and how it loses its right: by a statement, as on another process. */
interface Credential {
  token: string;
  lose: () => Promise<unknown>;
}

type Loss = [name: string, refusal: ErrorName, createCredential: () => Promise<Credential>];

// A statement that waits for a row checks only this row again. So the row is locked before. No other row is
// locked: the service writes to webhooks that have something to send, so more than one statement would wait.
const NEWEST_WEBHOOK = 'select from webhooks order by created_at desc limit 1 for update';

/**
 * Starts a service before the tests, and stops it after. Returns the writes, the ways to lose a right, and
 * checks of both.
 */
export function lostRightsFixture() {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(async () => await service.stop());

  // Every write has an entry, written by the same statement.
  async function countEntries(): Promise<number> {
    return (await query(service.databaseUrl, 'select from audit_log')).length;
  }

  const createOwnerKey = async (change: string): Promise<Credential> => {
    const { apiKey, apiKeyId } = await createApiKey(service, 'demo', 'owner');
    const statement = `update api_keys set ${change} where api_key_id = $1`;
    return { token: apiKey, lose: () => query(service.databaseUrl, statement, [apiKeyId]) };
  };

  async function createOwnerSession(statement: string): Promise<Credential> {
    const token = await createSession(service, { communityId: 'demo', role: 'owner' });
    return { token, lose: () => query(service.databaseUrl, statement) };
  }

  const LOSSES: Loss[] = [
    ['a key is revoked', 'InvalidApiKey', () => createOwnerKey('revoked_at = now()')],
    ['a key has only the role viewer', 'RoleNotAllowed', () => createOwnerKey("role = 'viewer'")],
    [
      'a session is ended',
      'InvalidSession',
      () => createOwnerSession('update sessions set ended_at = now() where ended_at is null'),
    ],
    [
      'a member is removed',
      'RoleNotAllowed',
      () => createOwnerSession("delete from members where community_id = 'demo'"),
    ],
  ];

  // A burn and a reservation have no credential, and only the operator, whose key is not in the database,
  // creates communities.
  const WRITES = Object.entries(auditedWrites(() => service)).filter(
    ([operationId]) => !['burnToken', 'confirmReservation', 'createCommunity'].includes(operationId),
  );

  // Each write with one loss, and each loss with some writes, are enough for `npm test`.
  const quickLosses = (index: number) =>
    LOSSES.filter((_loss, lossIndex) => lossIndex === index % LOSSES.length);

  /**
   * Lets a credential lose its right while a request waits, and expects that the request is rejected and
   * writes nothing.
   */
  async function expectRejection(
    { prepare }: AuditedWrite,
    [, refusal, createCredential]: Loss,
  ): Promise<void> {
    const { databaseUrl } = service;
    const { token, lose } = await createCredential();
    const send = await prepare(token);
    const before = await countEntries();
    // The statement that writes also writes the audit log, so it waits here, after all checks at the start of
    // the request.
    const release = await holdLock(databaseUrl, 'audit_log', 'access exclusive');
    const sent = send();
    try {
      await waitForBlockedStatements(databaseUrl, 1);
      await lose();
    } finally {
      await release();
    }
    const response = await sent;
    const { name, status } = (await response.json()) as Problem;
    expect([name, status]).toEqual([refusal, refusal === 'RoleNotAllowed' ? 403 : 401]);
    expect(await countEntries()).toBe(before);
  }

  const ROW_WRITES = WRITES.filter(([operationId]) =>
    ['updateWebhook', 'deleteWebhook', 'rotateWebhookSecret'].includes(operationId),
  );

  /** As `expectRejection`, but the request waits for the row that it changes. */
  async function expectRejectionAtRow(
    { prepare }: AuditedWrite,
    [, refusal, createCredential]: Loss,
  ): Promise<void> {
    // Rejected writes leave their webhooks, and a community has only so many.
    await deleteWebhooks({ service });
    const { token, lose } = await createCredential();
    const send = await prepare(token);
    const before = await countEntries();
    const release = await holdRows(service.databaseUrl, NEWEST_WEBHOOK);
    const sent = send();
    try {
      await waitForBlockedStatements(service.databaseUrl, 1);
      await lose();
    } finally {
      await release();
    }
    expect(((await (await sent).json()) as Problem).name).toBe(refusal);
    expect(await countEntries()).toBe(before);
  }

  const withIndex = (writes: typeof WRITES) =>
    writes.map(([operationId, write], index) => [operationId, write, index] as const);

  return {
    get service() {
      return service;
    },
    LOSSES,
    WRITES,
    quickLosses,
    expectRejection,
    ROW_WRITES,
    expectRejectionAtRow,
    withIndex,
  };
}
