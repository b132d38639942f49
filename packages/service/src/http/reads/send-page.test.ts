import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { mapPieces, type Piece } from '../../domain/reader.ts';
import { createTestMetrics } from '../../testing/services.ts';
import { addResources } from '../shares/resources.ts';
import { addReaders } from './reader.ts';
import { sendPageInPieces } from './send-page.ts';

async function openApp() {
  const app = fastify();
  addResources(app, createTestMetrics());
  addReaders(app, { readPieceMs: 10_000 });
  onTestFinished(() => app.close());
  return app;
}

test('no item of a piece stays in memory while the next piece is read', async () => {
  const app = await openApp();
  const keptCounts: number[] = [];
  async function* list(): AsyncGenerator<Piece<number>> {
    for (const items of [[1, 2], [3], [4]]) {
      yield { items, isLast: items.includes(4) };
      keptCounts.push(items.length);
    }
  }
  async function* listMapped(): AsyncGenerator<Piece<object>> {
    for await (const piece of mapPieces(list(), (id) => ({ id }))) {
      yield piece;
      keptCounts.push(piece.items.length);
    }
  }
  app.get('/', (request, reply) => sendPageInPieces(request, reply, { limit: 9, offset: 0 }, listMapped));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });

  const response = await fetch(url);
  expect(await response.json()).toEqual({
    limit: 9,
    offset: 0,
    data: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }],
  });
  // Three pieces of each of the two generators.
  expect(keptCounts).toEqual(Array(6).fill(0));
});
