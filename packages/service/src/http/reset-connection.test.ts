import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createDatabase } from '../testing/databases.ts';
import { startTestService } from '../testing/services.ts';

test('a connection to the database that is reset in the middle of a query is a 503', async () => {
  const databaseUrl = new URL(await createDatabase());
  const path = `${databaseUrl.searchParams.get('host')}/.s.PGSQL.${databaseUrl.port}`;
  const sockets = new Set<Socket>();
  let mayPass = true;
  const proxy = createServer((socket) => {
    const upstream = connect(path);
    sockets.add(socket);
    socket.on('data', (chunk) => {
      if (mayPass) upstream.write(chunk);
      else socket.resetAndDestroy();
    });
    upstream.pipe(socket);
    socket.on('error', () => upstream.destroy());
    socket.on('close', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { port: number };
  const service = await startTestService({
    DATABASE_URL: `postgres://${databaseUrl.username}@127.0.0.1:${port}${databaseUrl.pathname}`,
    BADGE_ROLE: 'api',
  });
  expect((await service.call('/v1/tokens')).status).toBe(200);
  mayPass = false;
  const answer = await service.call('/v1/tokens');
  const problem = await answer.json();
  mayPass = true;
  await service.stop();
  for (const socket of sockets) socket.destroy();
  proxy.close();
  expect(problem).toMatchObject({ name: 'Unavailable', status: 503 });
  expect(answer.headers.get('retry-after')).toBe('1');
});
