import type { AuditEntry } from '@badge/protocol';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect } from 'vitest';
import { type AuditedWrite, auditedWrites } from './audited-writes.ts';
import { hashData } from './hash-data.ts';
import { startTestService, type TestService } from './services.ts';

// A write of an operation, of a setting, and of something new. With the others, further actors and
// repetitions are slow.
const TYPICAL: AuditEntry['action'][] = ['claim', 'updateToken', 'createClaimLinks'];

/** What is recorded. audit-log-objects.test.ts tests what is known when the log is read. */
function recorded({
  apiKeyName,
  resourceName,
  tokenId,
  headline,
  ownerAddress,
  toAddress,
  operationStatus,
  ...entry
}: AuditEntry) {
  return entry;
}

export const isTypical = ({ action }: AuditedWrite) => TYPICAL.includes(action);

/**
 * Starts a service before the tests, and stops it after. Returns checks of the entries that its writes leave.
 */
export function auditLogFixture() {
  let service: TestService;
  let apiKeyId: string;

  const writes = auditedWrites(() => service);
  /** Returns the key that requests of an actor send; undefined if they send none. */
  function keyOf(actor: AuditEntry['actor']): string | undefined {
    if (actor === 'apiKey') return service.apiKey;
    return actor === 'operator' ? service.adminKey : undefined;
  }

  beforeAll(async () => {
    service = await startTestService();
    const [key] = await query<{ api_key_id: string }>(service.databaseUrl, 'select api_key_id from api_keys');
    apiKeyId = key?.api_key_id ?? '';
  });
  afterAll(async () => await service.stop());

  async function listEntries(search = ''): Promise<AuditEntry[]> {
    const response = await service.call(`/v1/auditLog?limit=1000${search}`, { key: service.adminKey });
    expect(response.status).toBe(200);
    return ((await response.json()) as { data: AuditEntry[] }).data;
  }

  /** Sends requests, waits until their operations are settled, and returns the new entries, newest first. */
  async function listNewEntries(send: () => Promise<Response[]>): Promise<AuditEntry[]> {
    const [last] = await listEntries();
    const responses = await send();
    const locations = responses.flatMap(({ headers }) => headers.get('location') ?? []);
    await Promise.all(locations.map((location) => service.call(`${location}?wait=30`)));
    return (await listEntries()).filter(({ auditEntryId }) => auditEntryId > (last?.auditEntryId ?? 0));
  }

  /** Sends a write as an actor, and expects one entry. */
  async function expectEntry(
    { action, resourceType, reason, prepare, resourceIdOf }: AuditedWrite,
    actor: AuditEntry['actor'],
  ): Promise<void> {
    const send = await prepare(keyOf(actor), actor);
    let response = Response.error();
    const entries = await listNewEntries(async () => {
      response = await send();
      return [response];
    });
    expect(response.status).toBeGreaterThanOrEqual(200);
    expect(response.status).toBeLessThan(300);
    const resourceId = await resourceIdOf(response);
    expect(entries.map(recorded)).toStrictEqual([
      {
        auditEntryId: expect.any(Number),
        recordedAtTimestamp: expect.any(Number),
        actor,
        apiKeyId: actor === 'apiKey' ? apiKeyId : null,
        address: null,
        action,
        communityId: action === 'createCommunity' ? resourceId : 'demo',
        resourceType,
        resourceId,
        reason: reason ?? null,
      },
    ]);
  }

  /** Sends a write three times. Each repetition that writes again leaves an entry. */
  async function expectEntriesOfRepetitions({ action, actors, isRepeatable, prepare }: AuditedWrite) {
    const send = await prepare(keyOf(actors[0] ?? 'signature'));
    const entries = await listNewEntries(async () => [
      ...(await Promise.all([send(), send()])),
      await send(),
    ]);
    expect(entries.map((entry) => entry.action)).toEqual(Array(isRepeatable ? 3 : 1).fill(action));
  }

  // That the entry is in the statement of the write is also tested for each write in lost-rights.test.ts.
  async function expectNoWriteWithoutEntry({ actors, prepare }: AuditedWrite): Promise<void> {
    const send = await prepare(keyOf(actors[0] ?? 'signature'));
    const before = await hashData(service.databaseUrl, ['audit_log']);
    const constraint = 'constraint rejects_every_entry';
    await query(service.databaseUrl, `alter table audit_log add ${constraint} check (false) not valid`);
    const response = await send();
    await query(service.databaseUrl, `alter table audit_log drop ${constraint}`);
    expect(response.status).toBe(500);
    expect(await hashData(service.databaseUrl, ['audit_log'])).toBe(before);
  }

  return {
    get service() {
      return service;
    },
    get apiKeyId() {
      return apiKeyId;
    },
    writes,
    listEntries,
    listNewEntries,
    expectEntry,
    expectEntriesOfRepetitions,
    expectNoWriteWithoutEntry,
  };
}
