import { once } from 'node:events';
import { connect } from 'node:net';
import { createDatabase } from '@badge/test-support/databases';
import { expect, test } from 'vitest';
import { startTestService } from '../../testing/services.ts';

test('clients that reset their connection directly after the head of a request do not end the process', async () => {
  const service = await startTestService({ DATABASE_URL: await createDatabase(), BADGE_ROLE: 'api' });
  async function sendAndReset(path: string): Promise<void> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`, () => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  for (let round = 0; round < 20; round += 1) {
    const paths = ['/nope', '/v1/tokens/1'].flatMap((path) => Array<string>(10).fill(path));
    await Promise.all(paths.map(sendAndReset));
  }
  expect((await service.call('/healthz')).status).toBe(200);
  await service.stop();
});
