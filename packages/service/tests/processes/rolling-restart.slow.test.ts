import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type BadgeService, readLog } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import {
  expectCleanStop,
  makeDataDir,
  startTestBadge,
  startTestDatabaseProxy,
  WAIT_OPTIONS,
} from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { expectTokensOf, type TokenBody, waitForAccepted } from '../../src/testing/creations.ts';

async function startOn(databaseUrl: string, env: Record<string, string> = {}): Promise<BadgeService> {
  return await startTestBadge({ DATABASE_URL: databaseUrl, BADGE_DATA_DIR: await makeDataDir(), ...env });
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Opens a connection that is idle after one response. */
async function openIdle(url: string): Promise<Socket> {
  const socket = await open(url);
  socket.write('GET /healthz HTTP/1.1\r\nHost: badge\r\n\r\n');
  const [response] = await once(socket, 'data');
  expect(response).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

async function readToEnd(socket: Socket): Promise<string> {
  let read = '';
  for await (const chunk of socket) read += chunk;
  return read;
}

test('requests that were sent before SIGTERM get a response, on idle and on new connections', async () => {
  const service = await startOn(await createDatabase('empty'));
  const idle = await Promise.all(Array.from({ length: 50 }, () => openIdle(service.url)));
  // While the process is suspended, the kernel queues connections and data.
  process.kill(service.pid, 'SIGSTOP');
  const fresh = await Promise.all(Array.from({ length: 50 }, () => open(service.url)));
  const sockets = [...idle, ...fresh];
  const responses = sockets.map(readToEnd);
  const path = '/v1/tokens?limit=0';
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise((resolve) => socket.write(`GET ${path} HTTP/1.1\r\nHost: badge\r\n\r\n`, resolve)),
    ),
  );
  const exited = service.end('SIGTERM');
  process.kill(service.pid, 'SIGCONT');
  for (const response of await Promise.all(responses)) {
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(response).toMatch(/\r\n\r\n\{"limit":0,"offset":0,"data":\[\]\}$/);
  }
  expect(await exited).toBe(0);
  expectCleanStop(service);
});

test('connections without a request do not delay the stop of the service', async () => {
  const service = await startOn(await createDatabase('empty'));
  const sockets = [await open(service.url), await openIdle(service.url)];
  const ended = sockets.map((socket) => once(socket.resume(), 'close'));
  expect(await service.end('SIGTERM')).toBe(0);
  await Promise.all(ended);
  expectCleanStop(service);
});

/** Sends one request. Rejects if its connection is refused or lost. */
async function send(agent: Agent, url: string, key: string, body?: object) {
  const json = body === undefined ? undefined : JSON.stringify(body);
  const sent = request(url, {
    agent,
    method: json === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  });
  const responded = once(sent, 'response');
  sent.end(json);
  const [response] = (await responded) as [IncomingMessage];
  return {
    status: response.statusCode,
    location: response.headers.location ?? '',
    body: await text(response),
  };
}

test('during a rolling restart of two processes, every request succeeds at the first or second attempt', async () => {
  const databaseUrl = await createDatabase('empty');
  const dataDir = await makeDataDir();
  const env = { BADGE_DATA_DIR: dataDir };
  const services = [await startOn(databaseUrl, env)];
  services.push(await startOn(databaseUrl, env));
  const urls = services.map(({ url }) => url);
  const key = services[0]?.apiKey ?? '';
  const accepted = new Map<TokenBody, string>();
  const agent = new Agent({ keepAlive: true });
  let isOver = false;
  let requests = 0;

  async function sendOrRetry(path: string, body?: object) {
    requests += 1;
    const index = requests % 2;
    return await send(agent, urls[index] + path, key, body).catch(() =>
      send(agent, urls[1 - index] + path, key, body),
    );
  }
  async function runClient(): Promise<void> {
    while (!isOver) {
      const body = await signedToken();
      const response = await sendOrRetry('/v1/tokens', body);
      expect(response).toMatchObject({ status: 202, body: '{}' });
      accepted.set(body, response.location);
      expect(await sendOrRetry(`${response.location}?wait=1`)).toMatchObject({ status: 200 });
      expect(await sendOrRetry('/v1/tokens?limit=5')).toMatchObject({ status: 200 });
    }
  }
  const clients = Promise.all(Array.from({ length: 10 }, runClient));

  for (const [index, service] of services.entries()) {
    await waitForAccepted(accepted, accepted.size + 30);
    expect(await service.end('SIGTERM')).toBe(0);
    expectCleanStop(service);
    await waitForAccepted(accepted, accepted.size + 30);
    services[index] = await startOn(databaseUrl, { ...env, PORT: new URL(service.url).port });
  }
  await waitForAccepted(accepted, accepted.size + 30);
  isOver = true;
  await clients;
  agent.destroy();
  const [service] = services;
  if (service !== undefined) await expectTokensOf(service, accepted, databaseUrl);
});

test('the service stops even if the database does not respond', async () => {
  const proxy = await startTestDatabaseProxy(await createDatabase('empty'));
  const service = await startOn(proxy.url);
  proxy.drop();
  const agent = new Agent();
  const reads = Array.from({ length: 5 }, () => send(agent, `${service.url}/v1/tokens`, service.apiKey));
  const outcomes = Promise.allSettled(reads);
  await vi.waitFor(async () => {
    expect((await send(agent, `${service.url}/readyz`, '')).status).toBe(503);
  }, WAIT_OPTIONS);
  expect(await service.end('SIGTERM')).toBe(0);
  expect(readLog(service.output.stderr).at(-1)).toMatchObject({ msg: 'stopped' });
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'fulfilled', value: { status: 503 } });
  }
});
