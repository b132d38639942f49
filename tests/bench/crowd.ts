import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { startNginx } from '@badge/test-support/nginx';
import { newAddress, newWallet } from '@badge/test-support/signing';
import { createBadgeClient } from '../../packages/sdk/src/index.ts';
import { makeKey } from '../../packages/service/src/domain/api-keys/rules.ts';
import { startProcess } from './service.ts';

// npm run bench:crowd. Many people behind one address each open a claim link of their own within less than a
// minute, and claim. nginx with deploy/nginx/badge.conf is in front of the service.

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '500' },
    /** All people open their links within this many seconds. */
    seconds: { type: 'string', default: '45' },
    /** The default of production. */
    'rate-limit': { type: 'string', default: '100/50' },
  },
});
const PEOPLE = Number(values.people);
const ARRIVAL_MS = Number(values.seconds) * 1_000;
// How long a person reads the page and enters an address.
const MIN_READING_MS = 2_000;
const MAX_READING_MS = 8_000;
// Browsers open up to this many connections to one host.
const CONNECTIONS_PER_PERSON = 6;
const COMMUNITY_ID = 'crowd';

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What one person saw. Times are in milliseconds. */
interface Visit {
  /** From opening the person's link until the page and its picture are loaded. */
  pageMs: number;
  /** From sending the claim until the claimed token is read. */
  claimMs: number;
  /** The number of responses by the first part of the path and the status, such as `/v1 200`. */
  statuses: Map<string, number>;
  errors: string[];
}

const dataDir = await mkdtemp(join(tmpdir(), 'badge-crowd-'));
const adminKey = makeKey('admin');
const service = await startProcess({
  BADGE_DATA_DIR: join(dataDir, 'data'),
  BADGE_ADMIN_KEY: adminKey,
  BADGE_RATE_LIMIT: values['rate-limit'],
  BADGE_TRUST_PROXY: '127.0.0.1',
});
const nginx = await startNginx({ upstreams: [service.url.replace('localhost', '127.0.0.1')] });
try {
  const { tokenId, codes } = await createToken();
  const startMs = performance.now();
  const visits = await Promise.all(
    codes.map(async (code) => {
      await wait(Math.random() * ARRIVAL_MS);
      return await visit(tokenId, code);
    }),
  );
  const totalMs = performance.now() - startMs;
  const { claimabilityAttributes } = await createBadgeClient({ url: nginx.url }).getToken({ tokenId });
  report(visits, { totalMs, remaining: claimabilityAttributes.remainingClaimCount ?? 0 });
} finally {
  await nginx.stop();
  await service.stop();
  await rm(dataDir, { recursive: true });
}

/** Creates an open token with a claim link for each person. */
async function createToken(): Promise<{ tokenId: number; codes: string[] }> {
  const operator = createBadgeClient({ url: service.url, apiKey: adminKey });
  await operator.createCommunity({ uniqId: COMMUNITY_ID, displayId: COMMUNITY_ID, name: 'Crowd' });
  const creation = await operator.createToken({
    signer: newWallet(),
    communityId: COMMUNITY_ID,
    headline: 'I was there',
    nftTypeId: 'defaultOrangeRed',
    totalClaimCount: PEOPLE,
  });
  const { tokenId } = await creation.wait();
  const { items } = await operator.createClaimLinks({ tokenId, count: PEOPLE });
  return { tokenId, codes: items.map(({ code }) => code) };
}

/** Opens the claim page as a browser does, and claims as its script does. */
async function visit(tokenId: number, claimCode: string): Promise<Visit> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_PER_PERSON });
  const seen: Visit = { pageMs: 0, claimMs: 0, statuses: new Map(), errors: [] };
  const startMs = performance.now();

  async function send(path: string, init: RequestInit = {}): Promise<Received> {
    const received = await receive(agent, path, init);
    // All other paths, such as those of pages, are counted together, as `/`.
    const [, folder = ''] = path.split('/');
    const countedPath = ['v1', 'images', 'assets'].includes(folder) ? `/${folder}` : '/';
    const pathAndStatus = `${countedPath} ${received.status}`;
    seen.statuses.set(pathAndStatus, (seen.statuses.get(pathAndStatus) ?? 0) + 1);
    return received;
  }
  async function load(path: string): Promise<string> {
    const { status, body } = await send(path);
    if (status !== 200) seen.errors.push(`${path.replace(/\d+/, 'N')} returned ${status}`);
    return body.toString();
  }
  const badge = createBadgeClient({
    url: nginx.url,
    fetch: async (url, init) => {
      const { pathname, search } = new URL(String(url));
      const { status, headers, body } = await send(pathname + search, init);
      return new Response(new Uint8Array(body), { status, headers: headers as Record<string, string> });
    },
  });

  try {
    const html = (await send(`/claim/${tokenId}`)).body.toString();
    if (!html.includes('id="root"')) seen.errors.push('the response to the link is not the page');
    const scripts = await Promise.all(listFiles(html).map(load));
    // The script loads the files of the claim page later, by the names in its text.
    const lazyFiles = scripts.flatMap((script) => script.match(/assets\/claim-page-[\w-]+\.(js|css)/g) ?? []);
    await Promise.all([...new Set(lazyFiles)].map((file) => load(`/${file}`)));
    const [token, { canClaim }] = await Promise.all([
      badge.getToken({ tokenId }),
      badge.checkClaimCode({ tokenId, claimCode }),
    ]);
    if (!canClaim) seen.errors.push('the code cannot be used');
    await load(new URL(token.imageUrl).pathname);
    seen.pageMs = performance.now() - startMs;
    await wait(MIN_READING_MS + Math.random() * (MAX_READING_MS - MIN_READING_MS));
    const claimStartMs = performance.now();
    const claim = await badge.claim({ tokenId, claimingAddress: newAddress(), claimCode });
    await claim.wait();
    await badge.getToken({ tokenId });
    seen.claimMs = performance.now() - claimStartMs;
  } catch (error) {
    seen.errors.push(String(error));
  }
  return seen;
}

/** The files that the HTML of a page loads. */
function listFiles(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="(\/[\w./-]+\.\w+)"/g)].map(([, path = '']) => path);
}

/**
 * Sends a request, and sends it again if the service has closed the idle connection meanwhile, as browsers
 * do.
 */
async function receive(agent: Agent, path: string, init: RequestInit): Promise<Received> {
  const { method = 'GET', headers, body: sentBody } = init;
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const request = sendRequest(
    `${nginx.url}${path}`,
    { agent, method, headers: { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'gzip' } },
    (response) => {
      buffer(response).then((bytes) => {
        const isCompressed = response.headers['content-encoding'] === 'gzip';
        const body = isCompressed ? gunzipSync(bytes) : bytes;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      }, reject);
    },
  );
  request.on('error', (error) => {
    if (request.reusedSocket) receive(agent, path, init).then(resolve, reject);
    else reject(error);
  });
  request.end(sentBody ?? undefined);
  return await promise;
}

function report(visits: Visit[], { totalMs, remaining }: { totalMs: number; remaining: number }): void {
  const statuses = new Map<string, number>();
  for (const [name, count] of visits.flatMap((one) => [...one.statuses])) {
    statuses.set(name, (statuses.get(name) ?? 0) + count);
  }
  const withError = visits.filter(({ errors }) => errors.length > 0);
  const lines = [
    `${PEOPLE} people opened their links within ${ARRIVAL_MS / 1_000} s; after ${seconds(totalMs)} all were done`,
    `page and picture loaded: ${describeTimes(visits.map(({ pageMs }) => pageMs))}`,
    `claimed:                 ${describeTimes(visits.map(({ claimMs }) => claimMs))}`,
    `responses: ${[...statuses]
      .sort()
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ')}`,
    `claims left: ${remaining}; people who saw an error: ${withError.length}`,
    ...new Set(withError.flatMap(({ errors }) => errors)),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (withError.length > 0 || remaining !== 0) process.exitCode = 1;
}

function describeTimes(timesMs: number[]): string {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const at = (fraction: number) => seconds(sorted[Math.ceil(fraction * sorted.length) - 1] ?? 0);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(1)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
