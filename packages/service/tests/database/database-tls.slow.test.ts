import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '@badge/test-support/databases';
import { makeDataDir, spawnTestBadge, startTestBadge } from '@badge/test-support/fixtures';
import { databaseTarget } from '@badge/test-support/tcp-proxy';
import { expect, onTestFinished, test } from 'vitest';

// `ca.pem` signed `server.pem`, which names localhost. `other-ca.pem` signed nothing. All are valid until
// 2126.
const pathOf = (file: string) =>
  fileURLToPath(new URL(`../../src/testing/certificates/${file}`, import.meta.url));

/**
 * Starts a proxy that adds TLS to a database, because the embedded PostgreSQL listens only on a Unix socket,
 * where PostgreSQL has no TLS. Returns the proxy's port.
 */
async function startTlsProxy(databaseUrl: string): Promise<number> {
  const [key, cert] = await Promise.all(['server.key', 'server.pem'].map((file) => readFile(pathOf(file))));
  const proxy = createServer((client) => {
    client.on('error', () => undefined);
    // The client first asks for TLS with a message of eight bytes. The byte S means yes.
    client.once('data', () => {
      client.write('S');
      const secured = new TLSSocket(client, { isServer: true, key, cert });
      const server = connect(databaseTarget(databaseUrl));
      for (const socket of [secured, server]) {
        socket.on('error', () => undefined).on('close', () => [secured, server].map((end) => end.destroy()));
      }
      secured.pipe(server).pipe(secured);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return (proxy.address() as AddressInfo).port;
}

async function startDatabase({ host = 'localhost', ca = 'ca.pem' }) {
  const databaseUrl = await createDatabase();
  const url = new URL(databaseUrl);
  url.host = `${host}:${await startTlsProxy(databaseUrl)}`;
  url.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: pathOf(ca) }).toString();
  return { DATABASE_URL: url.href, BADGE_DATA_DIR: await makeDataDir() };
}

test('a service connects to a database whose certificate is valid', async () => {
  const env = await startDatabase({});
  const badge = await startTestBadge(env);
  expect((await fetch(`${badge.url}/readyz`)).status).toBe(200);
  const doctor = spawnTestBadge(env, { command: 'doctor' });
  await doctor.closed;
  expect(doctor.output.stdout).toMatch(/^ok +database: /m);
});

test.each([
  [
    'names another host',
    { host: '127.0.0.1' },
    "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list:",
  ],
  ['was signed by another authority', { ca: 'other-ca.pem' }, 'unable to verify the first certificate'],
])('if the certificate of the database %s, serve and doctor report it', async (_title, options, reason) => {
  const env = await startDatabase(options);
  const badge = spawnTestBadge({ ...env, PORT: '0' });
  expect(await badge.closed).toBe(1);
  const message = `The TLS certificate of the database server is refused: ${reason}`;
  expect(badge.output.stderr).toContain(`badge: ${message}`);
  const doctor = spawnTestBadge(env, { command: 'doctor' });
  expect(await doctor.closed).toBe(1);
  expect(doctor.output.stdout).toContain(message);
});
