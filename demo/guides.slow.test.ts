import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@badge/embedded-postgres';
import { type BadgeService, spawnBadge } from '@badge/test-support/badge-process';
import { findChromium } from '@badge/test-support/chromium';
import { newWallet } from '@badge/test-support/signing';
import { formatUnits } from 'ethers';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createBadgeClient } from '../packages/sdk/src/index.ts';
import { openPage } from '../packages/sdk/src/testing/chromium.ts';
import { startTestService } from '../packages/service/src/testing/services.ts';
import { VERSION as SDK_VERSION } from '../packages/service/src/version.ts';

// Runs the commands of first-badge.md, browser-wallet.md, gate-with-badges.md, e-mail.md, webhooks.md and
// deploy.md in docs/guides, in the order of each page. Writes the files that a page says to save.

const ROOT = join(import.meta.dirname, '..');

interface GuideStep {
  /** The name of the file to save; undefined if the text is commands to run. */
  file: string | undefined;
  text: string;
}

/** Texts to replace in the commands, the file names and the files of a guide. */
type Replacements = Record<string, string>;

/** Returns the commands and files of a guide, without the commands that are marked as not tested. */
async function readGuide(page: string): Promise<GuideStep[]> {
  const markdown = await readFile(join(ROOT, 'docs/guides', page), 'utf8');
  const steps: GuideStep[] = [];
  // The groups are the line before a code block, the language of the block, and its text.
  const pattern = /(^.*\n)?\n```(\w+)\n([\s\S]*?)^```$/gm;
  for (const [, before = '', language, text = ''] of markdown.matchAll(pattern)) {
    const [, file] = /Save this as `([^`]+)`/.exec(before) ?? [];
    const isCommand = language === 'sh' && !before.startsWith('<!-- not tested: ');
    if (isCommand || file !== undefined) steps.push({ file, text });
  }
  return steps;
}

/**
 * Returns a Bash script that runs the commands, writes the files, and stops at the first command that fails.
 */
function toScript(steps: GuideStep[], replacements: Replacements): string {
  const replace = (text: string) =>
    Object.entries(replacements).reduce((replaced, [from, to]) => replaced.replaceAll(from, to), text);
  const commands = steps.map(({ file, text }) => {
    if (file === undefined) return replace(text);
    return `cat > '${replace(file)}' <<'END_OF_FILE'\n${replace(text)}END_OF_FILE\n`;
  });
  return ['set -euo pipefail', ...commands].join('\n');
}

async function run(script: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
    cwd: ROOT,
    env: { PATH: pathOfMachine(), HOME: process.env.HOME, npm_config_offline: 'true', ...env },
  });
  return stdout + stderr;
}

/** PATH without the folders of npm, so that `node` is not the Node that `npm ci` installs. */
function pathOfMachine(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
}

async function makeDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'badge-guide-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return dir;
}

/**
 * Starts a PostgreSQL with which doctor finds nothing wrong, unlike the tests' server. Returns the URL of an
 * empty database.
 */
async function startDurableServer(): Promise<string> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const server = await startEmbeddedPostgres({
    dataDir: join(await makeDir(), 'server'),
    name: 'badge',
    log,
  });
  onTestFinished(() => server.stop());
  const { host, port, user } = server.connection;
  return `postgres://${user}@localhost:${port}/badge?host=${encodeURIComponent(host)}`;
}

async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/**
 * Uses the programs of gate-with-badges.md: as a visitor without an address, as a stranger and as the owner
 * of token 1.
 */
const TRY_GATES = `
import { once } from 'node:events';
import { createServer } from 'node:http';
import { requireBadge } from './require-badge.mjs';
import { updateRoles } from './update-roles.mjs';

const owners = await (await fetch(process.env.BADGE_URL + '/v1/tokens/1/owners')).json();
const owner = owners.data[0].address;
const stranger = '0x' + '1'.repeat(40);
const server = createServer((request, response) => {
  request.address = request.headers['x-address'];
  void requireBadge(1)(request, response, () => response.end('Welcome'));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
for (const headers of [{}, { 'x-address': stranger }, { 'x-address': owner }]) {
  const response = await fetch('http://127.0.0.1:' + server.address().port, { headers });
  console.log('gate', response.status, await response.text());
}
server.close();

const roleIds = new Map([['new', new Set()], ['kept', new Set(['role'])], ['former', new Set(['role'])]]);
const guild = {
  members: {
    async fetch(id) {
      const cache = roleIds.get(id);
      return { roles: { cache, add: async (role) => cache.add(role), remove: async (role) => cache.delete(role) } };
    },
  },
};
const wallets = new Map([['new', owner], ['kept', owner], ['former', stranger]]);
await updateRoles(guild, { roleId: 'role', tokenId: 1, wallets });
console.log('roles', JSON.stringify([...roleIds].map(([id, roles]) => [id, [...roles]])));
`;

test('the commands in first-badge.md, browser-wallet.md and gate-with-badges.md succeed', async () => {
  const service = await startTestService();
  onTestFinished(() => service.stop());
  const dir = await makeDir();
  await writeFile(join(dir, 'demo-api-key'), service.apiKey);
  const steps = [
    ...(await readGuide('first-badge.md')),
    ...(await readGuide('browser-wallet.md')),
    ...(await readGuide('gate-with-badges.md')),
    { file: 'try-gates.mjs', text: TRY_GATES },
    { file: undefined, text: 'node try-gates.mjs\nnode --check bot.mjs\n' },
  ];
  const script = toScript(steps, {
    '$(cat data/demo-api-key)': `$(cat ${dir}/demo-api-key)`,
    '../first-badge': `${dir}/first-badge`,
    // The guide runs `npm install …/sdk-VERSION.tgz viem`. Without a registry, viem is linked from this
    // repository. The SDK has no dependencies, so npm needs only the service.
    [`/sdk-${SDK_VERSION}.tgz viem`]: `/sdk-${SDK_VERSION}.tgz --offline=false --no-audit && ln -s ${ROOT}/node_modules/viem node_modules/viem`,
    'http://localhost:3000': service.url,
    '8081': await findFreePort(),
  });
  const output = await run(script);
  expect(output).toMatch(/token 1: http:\S+\/images\/token\/1\.png/);
  expect(output.match(/"operationType":"createToken","status":"success","resourceId":2/g)).toHaveLength(1);
  expect(output).toMatch(/"operationType":"claim","status":"success","resourceId":1/);
  expect(output).toMatch(/^0x\w{40} has claimed "My second badge"\n2 My second badge claimed$/m);
  expect(output).toMatch(
    /^Send this link to one person: http:\S+\/claim\/2#\w{26}\n0x\w{40} has claimed with the code$/m,
  );
  expect(output).toContain('ClaimingAddressAlreadyHasToken');
  expect(output).toContain('An address can claim a token only once.');
  expect(output).toMatch(/\{"operationId":"[\w-]{36}"\}/);
  expect(output).toContain(
    'gate 401 Sign in first.\ngate 403 You need badge 1.\ngate 200 Welcome\nroles [["new",["role"]],["kept",["role"]],["former",[]]]',
  );
  expect(output).toMatch(
    /address,claimedAtTimestamp,claimedAt,validUntilTimestamp,validUntil\r\n0x\w{40},\d+,\d{4}-/,
  );
  expect(output).toMatch(/\{"items":\[\{"address":"0x\w{40}","tokenIds":\[.*\]\}\]\}/);
  const files = [
    'create.mjs',
    'sign-token.mjs',
    'claim.mjs',
    'send-link.mjs',
    'index.html',
    'sdk.js',
    'backend.mjs',
  ];
  for (const file of files) expect(await readFile(join(dir, 'first-badge', file), 'utf8')).not.toBe('');
});

test('the commands in e-mail.md send an invitation, and its mail server receives mails', async () => {
  const dir = await makeDir();
  const service = await startTestService({ BADGE_DATA_DIR: dir });
  onTestFinished(() => service.stop());
  const badge = createBadgeClient({ url: service.url, apiKey: service.apiKey });
  const token = { communityId: 'demo', headline: 'A', nftTypeId: 'defaultOrangeRed', totalClaimCount: 100 };
  await (await badge.createToken({ signer: newWallet(), ...token })).wait();
  await writeFile(join(dir, 'demo-api-key'), service.apiKey);
  const replacements = {
    'data/demo-api-key': `${dir}/demo-api-key`,
    'data/mails': `${dir}/mails`,
    'http://localhost:3000': service.url,
    'mail-server.mjs': `${ROOT}/.mail-server-of-guide.mjs`,
    '1025': await findFreePort(),
  };
  onTestFinished(() => rm(replacements['mail-server.mjs'], { force: true }));
  const steps = await readGuide('e-mail.md');
  const output = await run(toScript(steps, replacements));
  expect(output).toMatch(/"email":"ada@example\.org".*"status":"queued"/);
  expect(output).toMatch(/"email":"ada@example\.org".*"status":"sent"/);

  const mailServer = spawn('node', [replacements['mail-server.mjs']], { cwd: ROOT });
  onTestFinished(() => void mailServer.kill());
  const received = text(mailServer.stdout);
  const options = { host: '127.0.0.1', port: Number(replacements['1025']), ignoreTLS: true };
  const mail = { from: 'a@example.org', to: 'b@example.org', subject: 'Hello', text: 'A mail' };
  await vi.waitFor(() => createTransport(options).sendMail(mail), { timeout: 20_000, interval: 100 });
  mailServer.kill();
  expect(await received).toBe('To: b@example.org\nSubject: Hello\n\nA mail\n\n');
});

/** Sends a signed and a forged request to the plugin of webhooks.md. */
const TRY_FASTIFY = `
import Fastify from 'FASTIFY';
import { Webhook } from 'STANDARDWEBHOOKS';
import { badgeEvents } from './fastify-plugin.mjs';

const app = Fastify();
await app.register(badgeEvents);
const payload = JSON.stringify({ eventId: 'some-id', type: 'badge.claimed', data: {} });
const signature = new Webhook(process.env.BADGE_WEBHOOK_SECRET).sign('some-id', new Date(), payload);
for (const forged of [false, true]) {
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'some-id',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': forged ? 'v1,AAAA' : signature,
  };
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/badge-events', headers, payload });
  console.log('fastify', statusCode, body);
}
`;

test('the commands in webhooks.md succeed, and its handlers refuse forged requests', async () => {
  const service = await startTestService();
  onTestFinished(() => service.stop());
  const dir = await makeDir();
  await writeFile(join(dir, 'admin-key'), service.adminKey);
  const port = await findFreePort();
  const steps = await readGuide('webhooks.md');
  const end = steps.findIndex(({ text }) => text.includes('kill %1'));
  const forged = `curl -sS --retry 30 --retry-delay 1 --retry-connrefused -w ' %{http_code}\\n' http://localhost:4000/ -d '{}' -H 'webhook-id: a' -H "webhook-timestamp: $(date +%s)" -H 'webhook-signature: v1,AAAA'\n`;
  steps.splice(end, 0, { file: undefined, text: forged });
  const script = toScript(
    [
      ...steps,
      { file: 'try-fastify.mjs', text: TRY_FASTIFY },
      { file: undefined, text: 'node try-fastify.mjs\n' },
    ],
    {
      '../badge/data/admin-key': join(dir, 'admin-key'),
      '../webhooks': `${dir}/webhooks`,
      [`/sdk-${SDK_VERSION}.tgz`]: `/sdk-${SDK_VERSION}.tgz --offline=false --no-audit`,
      'http://localhost:3000': service.url,
      '4000': port,
      FASTIFY: `${ROOT}/node_modules/fastify/fastify.js`,
      STANDARDWEBHOOKS: `${ROOT}/node_modules/standardwebhooks/dist/index.js`,
    },
  );
  const output = await run(script);
  expect(output).toMatch(/^webhook\.test [\w-]{36}$/m);
  expect(output).toContain('"status":"delivered"');
  expect(output).toMatch(/No signature is right: .* 400$/m);
  expect(output).toMatch(/^fastify 204 \nfastify 400 No signature is right/m);
});

test('the strategy in gate-with-badges.md gives one vote to each owner', async () => {
  const service = await startTestService();
  onTestFinished(() => service.stop());
  const badge = createBadgeClient({ url: service.url, apiKey: service.apiKey });
  const signer = newWallet();
  const fields = { communityId: 'demo', headline: 'A', nftTypeId: 'defaultOrangeRed', totalClaimCount: 1 };
  await (await badge.createToken({ signer, ...fields })).wait();
  await (await badge.claim({ tokenId: 1, signer })).wait();
  const markdown = await readFile(join(ROOT, 'docs/guides/gate-with-badges.md'), 'utf8');
  const [, json = ''] = /^```json\n([\s\S]*?)^```$/m.exec(markdown) ?? [];
  const { name, params: options } = JSON.parse(json.replace('https://badge.example', service.url));
  expect({ name, type: options.type }).toEqual({ name: 'api-v2', type: 'api-post' });
  // This is what the strategy does.
  const addresses = [signer.address, newWallet().address];
  const response = await fetch(options.url, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify({ options, network: '1', snapshot: 19_000_000, addresses }),
  });
  const { score } = (await response.json()) as { score: { address: string; score: number }[] };
  const votes = addresses.map((address) =>
    Number(
      formatUnits(String(score.find((one) => one.address === address)?.score ?? 0), options.decimals ?? 0),
    ),
  );
  expect(votes).toEqual([1, 0]);
});

test.skipIf(findChromium() === null)(
  'the page in the guide to browser wallets claims a token in Chromium',
  async () => {
    const service = await startTestService();
    onTestFinished(() => service.stop());
    const badge = createBadgeClient({ url: service.url, apiKey: service.apiKey });
    const creation = await badge.createToken({
      signer: newWallet(),
      communityId: 'demo',
      headline: 'A',
      nftTypeId: 'defaultOrangeRed',
      totalClaimCount: 1,
    });
    await creation.wait();
    const page = (await readGuide('browser-wallet.md')).find(({ file }) => file === 'index.html');
    // `openPage` serves wallet.js, which sets `window.ethereum`.
    const html = page?.text
      .replace('http://localhost:3000', service.url)
      .replace('<script', '<script type="module" src="wallet.js"></script><script');
    // Clicks the button and posts the result.
    const clickScript = `<script type="module">
    const result = document.querySelector('#result');
    new MutationObserver(() => {
      if (result.textContent === 'Claiming …') return;
      fetch('/result', { method: 'POST', body: result.textContent });
    }).observe(result, { childList: true });
    document.querySelector('#claim').click();
  </script>`;
    expect(await openPage(`${html}${clickScript}`)).toBe('You have the badge.');
  },
  120_000,
);

test('the commands in the guide to deployment succeed', async () => {
  const dir = await makeDir();
  await mkdir(join(dir, 'etc'));
  const [firstPort, secondPort] = [await findFreePort(), await findFreePort()];
  const workerPort = await findFreePort();
  const replacements = {
    '/etc/badge': `${dir}/etc`,
    '/var/lib/badge': `${dir}/data`,
    '/opt/badge': ROOT,
    'postgres://badge@localhost/badge?host=/var/run/postgresql': await startDurableServer(),
    "curl -sS -w '\\n' https://badge.example": `curl -sS -w '\\n' http://localhost:${firstPort}`,
    'localhost:3000': `localhost:${firstPort}`,
    'localhost:3001': `localhost:${secondPort}`,
    'localhost:3100': `localhost:${workerPort}`,
  };
  const steps = await readGuide('deploy.md');
  // The processes are started before the first command that needs them.
  const start = steps.findIndex(({ text }) => text.includes('/readyz'));
  const preparation = await run(toScript(steps.slice(0, start), replacements));
  expect(preparation).toMatch(/^ok /m);

  // Starts the processes with the command of their units and the variables of the `EnvironmentFile`.
  const readUnit = async (name: string) => {
    const unit = await readFile(join(ROOT, 'deploy/systemd', name), 'utf8');
    return {
      program: /^ExecStart=(.*)$/m.exec(unit.replaceAll('/opt/badge', ROOT))?.[1]?.split(' ') ?? [],
      BADGE_ROLE: /BADGE_ROLE=(\w+)/.exec(unit)?.[1] ?? '',
    };
  };
  const variables = (await readFile(join(dir, 'etc/badge.env'), 'utf8')).trim().split('\n');
  const env = Object.fromEntries(
    variables.map((line) => {
      const [name = '', ...value] = line.split('=');
      return [name, value.join('=').replaceAll("'", '')];
    }),
  );
  const processes: BadgeService[] = [];
  for (const [name, PORT] of [
    ['badge-api@.service', firstPort],
    ['badge-api@.service', secondPort],
    ['badge-worker.service', workerPort],
  ] as const) {
    const { program, BADGE_ROLE } = await readUnit(name);
    const badge = spawnBadge({ ...env, BADGE_ROLE, PORT }, { program });
    onTestFinished(async () => {
      await badge.end('SIGKILL');
    });
    processes.push(await badge.ready());
  }

  const output = await run(toScript(steps.slice(start), replacements));
  expect(output.match(/\{"status":"ready"\}/g)).toHaveLength(3);
  expect(output).toMatch(/"uniqId":"my-dao"/);
  expect(output).toMatch(/"apiKey":"badge_production_\w+"/);
  expect(output).toMatch(/^badge_operations_pending 0$/m);
  for (const badge of processes) await badge.stop();
});
