import { randomBytes, randomUUID } from 'node:crypto';
import { createDatabase } from '@badge/test-support/databases';
import { insertCommunity } from '../storage/communities.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import type { NewOperation } from '../storage/operations.ts';

/** The operator, as the actor of audit entries. */
export const OPERATOR = { kind: 'operator', apiKeyId: null } as const;

/** Creates a migrated database with the community `demo`, and opens it. The caller must destroy `db`. */
export async function openDemoDatabase(): Promise<{ url: string; db: Database }> {
  const url = await createDatabase();
  const db = openDatabase({ connectionString: url }, () => undefined);
  const demo = { community_id: 'demo', display_id: 'demo', name: 'Demo', description: '' };
  await insertCommunity(db, OPERATOR, demo);
  return { url, db };
}

/**
 * Returns an operation to insert. Unless `fields` says otherwise, the operator creates a token, with a random
 * identity.
 */
export function newOperation(fields: Partial<NewOperation> = {}): NewOperation {
  return {
    operationId: randomUUID(),
    operationType: 'createToken',
    communityId: 'demo',
    actor: OPERATOR,
    requestIdentity: randomBytes(32),
    nftTypeId: null,
    request: '{}',
    ...fields,
  };
}
