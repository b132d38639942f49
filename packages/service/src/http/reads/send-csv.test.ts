import { type FastifyRequest, fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import type { Piece } from '../../domain/reader.ts';
import { createTestMetrics } from '../../testing/services.ts';
import { addResources } from '../shares/resources.ts';
import { isCsvWanted } from './is-csv-wanted.ts';
import { addReaders } from './reader.ts';
import { sendCsv } from './send-csv.ts';

const FIELDS = ['id', 'name'];

/** Serves a list of pieces as CSV. */
async function serve(readPieces: () => AsyncGenerator<Piece<object>>) {
  const app = fastify();
  onTestFinished(() => app.close());
  addResources(app, createTestMetrics());
  addReaders(app, { readPieceMs: 10_000 });
  app.get('/', (request, reply) =>
    sendCsv(request, reply, { fileName: 'list.csv', fields: FIELDS }, readPieces),
  );
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }) };
}

test('a list is sent as UTF-8 with a byte order mark', async () => {
  const { url } = await serve(async function* () {
    yield { items: [{ id: 1, name: 'Ada' }], isLast: false };
    yield { items: [], isLast: false };
    yield { items: [{ id: 2, name: 'é' }], isLast: true };
  });
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="list.csv"');
  expect(Buffer.from(await response.arrayBuffer()).toString('utf8')).toBe(
    '\uFEFFid,name\r\n1,Ada\r\n2,é\r\n',
  );
});

test('an empty list is the header row', async () => {
  const { url } = await serve(async function* () {});
  expect(Buffer.from(await (await fetch(url)).arrayBuffer()).toString('utf8')).toBe('\uFEFFid,name\r\n');
});

test('an error before the first piece is an error response', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it yields
  const { url } = await serve(async function* () {
    throw new Error('failed');
  });
  const response = await fetch(url);
  expect(response.status).toBe(500);
  expect(response.headers.has('content-disposition')).toBe(false);
});

test('an error after the first piece closes the connection before the end of the response', async () => {
  const { url } = await serve(async function* () {
    yield { items: [{ id: 1, name: 'Ada' }], isLast: false };
    throw new Error('failed');
  });
  const response = await fetch(url);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
});

test.each([
  ['text/csv', true],
  ['TEXT/CSV; charset=utf-8', true],
  ['text/csv, application/json;q=0.9', true],
  ['application/json;q=0.5, text/csv;header=present;q=0.6', true],
  ['text/html, text/csv;q=0.8, */*;q=0.1', true],
  ['application/json, text/csv', false],
  ['text/csv;q=0.5, application/json', false],
  ['text/csv;q=0', false],
  ['*/*', false],
  ['text/plain', false],
  ['', false],
  [undefined, false],
])('Accept: %s asks for CSV: %s', (accept, isWanted) => {
  const request = { headers: { accept }, routeOptions: { config: { hasCsv: true } } };
  expect(isCsvWanted(request as unknown as FastifyRequest)).toBe(isWanted);
  const other = { headers: { accept }, routeOptions: { config: {} } };
  expect(isCsvWanted(other as unknown as FastifyRequest)).toBe(false);
});
