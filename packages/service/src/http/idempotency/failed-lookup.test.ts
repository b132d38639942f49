import { fastify } from 'fastify';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { expect, test } from 'vitest';
import type { Context } from '../../context.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Database } from '../../storage/database.ts';
import { createIdempotency } from './idempotency.ts';

// Every query of this database returns no rows.
const emptyDatabase: Database = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

test('if the second lookup of the key fails, its error is sent instead of the refusal', async () => {
  const app = fastify();
  app.setErrorHandler<Error>((error, _request, reply) => reply.code(500).send({ message: error.message }));
  const lookups = [async () => null, () => Promise.reject(new Error('connection lost'))];
  const findKeyState = async () => await lookups.shift()?.();
  app.addHook(
    'onRoute',
    createIdempotency({ database: emptyDatabase, lookUps: { findKeyState } } as unknown as Context),
  );
  app.post('/', async () => {
    throw new Refusal('NoTokensLeft', 'No tokens are left.');
  });
  const response = await app.inject({ method: 'POST', url: '/', headers: { 'idempotency-key': 'key' } });
  expect(response.json()).toEqual({ message: 'connection lost' });
  await app.close();
});
