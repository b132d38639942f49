import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestService } from '../testing/services.ts';
import { type Database, openDatabase } from './database.ts';
import { UnusableDatabase } from './database-errors.ts';
import { checkDeployment, recordDeployment } from './deployment.ts';

const SANDBOX = {
  environment: 'sandbox',
  chainId: 80001,
  verifyingContract: '0x1000000000000000000000000000000000000001',
} as const;
const OTHER_DEPLOYMENTS = [
  { ...SANDBOX, environment: 'production' },
  { ...SANDBOX, chainId: 137 },
  { ...SANDBOX, verifyingContract: '0x2000000000000000000000000000000000000002' },
] as const;

const opened: Database[] = [];
function open(url: string): Database {
  const db = openDatabase({ connectionString: url }, () => undefined);
  opened.push(db);
  return db;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((db) => db.destroy()));
});

test('the first deployment is recorded, and a different one is refused later', async () => {
  const db = open(await createDatabase());
  await checkDeployment(db, SANDBOX);
  await recordDeployment(db, SANDBOX);
  await recordDeployment(db, SANDBOX);
  await checkDeployment(db, SANDBOX);
  for (const other of OTHER_DEPLOYMENTS) {
    await expect(checkDeployment(db, other)).rejects.toThrow(UnusableDatabase);
    await expect(recordDeployment(db, other)).rejects.toThrow(UnusableDatabase);
  }
});

test('an empty database is accepted', async () => {
  await checkDeployment(open(await createDatabase('empty')), SANDBOX);
});

test('if processes with different configurations start concurrently, one deployment is recorded', async () => {
  const url = await createDatabase();
  const deployments = [SANDBOX, ...OTHER_DEPLOYMENTS, SANDBOX, ...OTHER_DEPLOYMENTS];
  const results = await Promise.allSettled(
    deployments.map((deployment) => recordDeployment(open(url), deployment)),
  );
  const accepted = deployments.filter((_, index) => results[index]?.status === 'fulfilled');
  expect(accepted).toHaveLength(2);
  expect(accepted[0]).toBe(accepted[1]);
  expect(await query(url, 'select from deployment')).toHaveLength(1);
});

describe('a start', () => {
  test('with another chain is refused, and the error names both deployments', async () => {
    const service = await startTestService();
    await service.stop();
    const env = { DATABASE_URL: service.databaseUrl, BADGE_CHAIN_ID: '5' };
    await expect(startTestService(env)).rejects.toThrow(
      `belongs to another deployment (sandbox, chain 80001, contract ${SANDBOX.verifyingContract}) than this configuration (sandbox, chain 5, contract ${SANDBOX.verifyingContract})`,
    );
    await (await startTestService({ DATABASE_URL: service.databaseUrl })).stop();
  });

  test('that is refused does not migrate the database', async () => {
    const url = await createDatabase();
    await recordDeployment(open(url), SANDBOX);
    // If this start migrated the database, the last migration would run again and fail with another error.
    await query(url, 'delete from kysely_migration where name = (select max(name) from kysely_migration)');
    await expect(startTestService({ DATABASE_URL: url, BADGE_CHAIN_ID: '5' })).rejects.toThrow(
      UnusableDatabase,
    );
  });

  test('records its deployment in a migrated database that has no record', async () => {
    const url = await createDatabase();
    const first = await startTestService({ DATABASE_URL: url });
    await first.stop();
    await query(url, 'delete from deployment');
    const second = await startTestService({ DATABASE_URL: url, BADGE_CHAIN_ID: '5' });
    await second.stop();
    expect(await query(url, 'select environment, chain_id::integer from deployment')).toEqual([
      { environment: 'sandbox', chain_id: 5 },
    ]);
  });

  test('of a worker records no deployment, and checks the recorded one only if its own is configured', async () => {
    const url = await createDatabase();
    const worker = { DATABASE_URL: url, BADGE_ROLE: 'worker' };
    await (await startTestService(worker)).stop();
    expect(await query(url, 'select from deployment')).toEqual([]);
    await (await startTestService({ DATABASE_URL: url, BADGE_CHAIN_ID: '5' })).stop();
    await (await startTestService(worker)).stop();
    await expect(startTestService({ ...worker, BADGE_CHAIN_ID: '6' })).rejects.toThrow(UnusableDatabase);
  });
});
