import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SupervisedBadge } from '@badge/test-support/supervised-badge';
import { expect, onTestFinished, test } from 'vitest';
import { openJournal, readJournal } from '../journal.ts';
import { createRandom } from '../random.ts';
import type { SystemUnderLoad } from '../system/system.ts';
import { createClient } from './client.ts';

/** Starts a server that returns these statuses one after another, and a client of it. */
async function startClient(statuses: number[]) {
  const left = [...statuses];
  const server = createServer((request, response) => {
    request.resume();
    response
      .writeHead(left.shift() ?? 500, { 'Content-Type': 'application/json' })
      .end('{"name":"RateLimited"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const directory = await mkdtemp(join(tmpdir(), 'badge-client-'));
  onTestFinished(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const process = { name: 'all', url } as SupervisedBadge;
  const system = { apis: [process], isAttacked: true, apiKey: 'key' } as SystemUnderLoad;
  const file = join(directory, 'journal.ndjson');
  const journal = await openJournal(file);
  const client = createClient({ system, journal, random: createRandom(1), onAccepted: () => undefined });
  const readViolations = async () => {
    await journal.close();
    return (await readJournal(file)).flatMap((entry) =>
      entry.type === 'violation' ? [entry.invariant] : [],
    );
  };
  return { client, readViolations };
}

test('a 429 is a violation, and the request is sent again until it is answered', async () => {
  const { client, readViolations } = await startClient([429, 503, 429, 200]);
  expect((await client.request('/v1/tokens', () => ({})))?.status).toBe(200);
  expect(await readViolations()).toEqual(['I10', 'I10']);
});

test('a 429 of a request that is sent once is a violation, and no response', async () => {
  const { client, readViolations } = await startClient([429, 503, 200]);
  expect(await client.readFrom('all', '/v1/tokens')).toBeUndefined();
  expect(await client.readFrom('all', '/v1/tokens')).toBeUndefined();
  expect((await client.readFrom('all', '/v1/tokens'))?.status).toBe(200);
  expect(await readViolations()).toEqual(['I10']);
});
