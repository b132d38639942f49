import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { expect, onTestFinished, test } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

// The URL of a pooler can also lead to the server itself. So these tests need no pooler. The tests in
// tests/pooler/ use one.

async function startService(env: Record<string, string>): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(() => service.stop());
  return service;
}
const startError = (env: Record<string, string>) =>
  startService(env).then(
    () => 'it started',
    (error: Error) => error.message,
  );

test('a start is refused if the pooler leads to another database or role', async () => {
  const databaseUrl = await createDatabase();
  expect(await startError({ DATABASE_URL: databaseUrl, BADGE_POOLER_URL: await createDatabase() })).toBe(
    'BADGE_POOLER_URL leads to another database than DATABASE_URL. Let both lead to the same database.',
  );
  const role = `role_of_${new URL(databaseUrl).pathname.slice(1)}`;
  await query(databaseUrl, `create role ${role} login`);
  onTestFinished(async () => {
    await query(databaseUrl, `drop role ${role}`);
  });
  const poolerUrl = new URL(databaseUrl);
  poolerUrl.username = role;
  expect(await startError({ DATABASE_URL: databaseUrl, BADGE_POOLER_URL: poolerUrl.href })).toBe(
    `BADGE_POOLER_URL leads to another role than DATABASE_URL. Let both lead to the same role. They lead to ${role} and badge.`,
  );
});

// An event trigger, which runs after the settings of the role have been applied, has the effect of a pooler
// here.
async function createLoginTrigger(databaseUrl: string, statement: string): Promise<void> {
  await query(
    databaseUrl,
    `create function change_session() returns event_trigger language plpgsql as $$ begin ${statement}; end $$`,
  );
  await query(databaseUrl, 'create event trigger change_session on login execute function change_session()');
}

test('a start names the setting that the sessions of the pooler lack, and the command that sets it', async () => {
  const databaseUrl = await createDatabase();
  await createLoginTrigger(databaseUrl, "set statement_timeout = '3s'");
  const env = { DATABASE_URL: databaseUrl, BADGE_POOLER_URL: databaseUrl, BADGE_DATABASE_WAIT: '0' };
  expect(await startError(env)).toBe(
    'A session of the pooler has statement_timeout = 3s instead of 15s. Run "npm run migrate". ' +
      'If that does not help, remove statement_timeout from the configuration of the pooler.',
  );
});

test('a start is refused if DATABASE_URL leads to a pooler that ignores startup parameters', async () => {
  const databaseUrl = await createDatabase();
  await createLoginTrigger(databaseUrl, "set lock_timeout = '0'");
  expect(await startError({ DATABASE_URL: databaseUrl })).toBe(
    'DATABASE_URL leads to a pooler. Set BADGE_POOLER_URL to it, and DATABASE_URL to the server.',
  );
});
