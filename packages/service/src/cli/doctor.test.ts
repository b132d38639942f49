import { makeDataDir } from '@badge/test-support/fixtures';
import { expect, test } from 'vitest';
import { makeKey } from '../domain/api-keys/rules.ts';
import { runDoctor } from '../testing/run-doctor.ts';

test('doctor reports an unreachable database and every invalid variable, without secrets', async () => {
  const dataDir = await makeDataDir();
  const env = { BADGE_DATA_DIR: dataDir, BADGE_ADMIN_KEY: makeKey('admin') };
  const unreachable = await runDoctor({
    ...env,
    DATABASE_URL: 'postgres://badge:secret-password@127.0.0.1:1/badge',
  });
  expect(unreachable).toMatchObject({ exitCode: 1, complaints: ['problem database'] });
  expect(unreachable.text).toMatch(
    /^problem {2}database: cannot be read: .*ECONNREFUSED.* DATABASE_URL is right$/m,
  );
  expect(unreachable.text).not.toContain('secret-password');

  const invalid = await runDoctor({
    ...env,
    PORT: 'http',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'badge:secret-password@host',
  });
  expect(invalid).toMatchObject({ exitCode: 1, complaints: Array(3).fill('problem configuration') });
  for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL']) expect(invalid.text).toContain(`${name} must be`);
  expect(invalid.text).not.toContain('secret-password');
});
