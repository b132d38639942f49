import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { mapPieces, type Piece } from '../../domain/reader.ts';
import { createTestMetrics } from '../../testing/services.ts';
import { addResources } from '../shares/resources.ts';
import { addReaders } from './reader.ts';
import { sendPageInPieces } from './send-page.ts';

async function openApp(readLimiter: Parameters<typeof addReaders>[2] = null) {
  const app = fastify();
  addResources(app, createTestMetrics());
  addReaders(app, { readPieceMs: 10_000 }, readLimiter);
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

test('if the quota of bytes is used up within a page, the page waits until the address may read more', async () => {
  const text = 'x'.repeat(64 * 1024 + 1_000);
  const events: string[] = [];
  let isUsedUp = false;
  const app = await openApp({
    countRead: (_request, bytes) => {
      events.push(`counted ${bytes} bytes`);
      isUsedUp = true;
    },
    checkMayRead: () => {
      if (isUsedUp) throw new Error('the page was refused after it had begun');
    },
    pauseBeforeReadMs: () => {
      const waitMs = isUsedUp ? 1 : 0;
      if (isUsedUp) events.push('waited');
      isUsedUp = false;
      return waitMs;
    },
    countPage: () => undefined,
    pauseBeforePageMs: () => 0,
  });
  app.get('/', (request, reply) =>
    sendPageInPieces(request, reply, { limit: 2, offset: 0 }, async function* (reader) {
      yield { items: await reader.read(100, async () => [{ text }]), isLast: false };
      yield { items: await reader.read(100, async () => [{ id: 2 }]), isLast: true };
    }),
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });

  const response = await fetch(url);
  expect(await response.json()).toMatchObject({ data: [{ text }, { id: 2 }] });
  // The first 64 KiB of the response are not counted. The JSON around the text has 41 bytes.
  expect(events).toEqual(['counted 1041 bytes', 'waited', 'counted 9 bytes']);
});
