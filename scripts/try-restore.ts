import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import type { Operation, Token } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import pg from 'pg';
import { makeKey } from '../packages/service/src/domain/api-keys/rules.ts';
import { Checks } from './restore/checks.ts';
import {
  backUp,
  dump,
  makePlace,
  type Place,
  restoreDump,
  restoreTo,
  startArchivedCluster,
} from './restore/cluster.ts';
import { forEach, type Load, read, type Sent, send, startLoad, waitUntil } from './restore/load.ts';
import { runBadge, startBadge } from './restore/service.ts';
import { holdSettling, query, readStored } from './restore/stored.ts';

// Backs up a PostgreSQL under load, loses a table, and restores to the moment before; then compares all that was
// answered. docs/operations.md has the same commands. node scripts/try-restore.ts [--outputFile FILE]

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
const { values } = parseArgs({ options: { outputFile: { type: 'string' } } });
const PENDING = 20;
const DEADLOCK = '40P01';
const beganMs = performance.now();
const checks = new Checks();
const apiKey = makeKey('sandbox');

/** A moment under load: what was accepted before it began, and what was sent after it ended. */
interface Moment {
  beganMs: number;
  endedMs: number;
}

const place = await makePlace();
const databaseUrl = await startArchivedCluster(place);
const env = {
  DATABASE_URL: databaseUrl,
  BADGE_DATA_DIR: join(place.directory, 'service'),
  BADGE_DEMO_API_KEY: apiKey,
  BADGE_ADMIN_KEY: makeKey('admin'),
  TMPDIR: place.directory,
};
const service = await startBadge(env);
const load = startLoad(service.url, apiKey);

await load.waitForAccepted(50);
const backupBeganMs = performance.now();
await backUp(place);
print(`base backup in ${seconds(backupBeganMs)} s, under load`);
await tryDump(place, load);
const { time, moment } = await notePoint(load);
await load.waitForAccepted(150);

print('the disaster: drop table tokens cascade');
await lose('tokens');
await load.stop();
checks.equal('the tokens are lost', await read(service.url, '/v1/tokens/1'), undefined);
await service.stop();
await query(databaseUrl, 'select pg_switch_wal()');
await tryRestore(place, time, moment);

print(`${seconds(beganMs)} s in all`);
print(`restore: ${checks.passed} checks passed, ${checks.failed} failed`);
if (values.outputFile !== undefined) await checks.write(values.outputFile);
process.exit(checks.failed === 0 ? 0 : 1);

// The load may take its locks the other way round; whoever drops a table by mistake would try again, too.
async function lose(table: string): Promise<void> {
  for (;;) {
    try {
      await query(databaseUrl, `drop table ${table} cascade`);
      return;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === DEADLOCK)) throw error;
    }
  }
}

async function notePoint({ createPending }: Load): Promise<{ time: string; moment: Moment }> {
  const release = await holdSettling(databaseUrl);
  await createPending(PENDING);
  const momentBeganMs = performance.now();
  const [row] = await query<{ time: string }>(databaseUrl, 'select clock_timestamp()::text as time');
  const moment = { beganMs: momentBeganMs, endedMs: performance.now() };
  await release();
  print(`the point in time: ${row?.time}`);
  return { time: row?.time ?? '', moment };
}

async function tryDump(place: Place, { sent }: Load): Promise<void> {
  const dumpBeganMs = performance.now();
  await dump(place);
  const moment = { beganMs: dumpBeganMs, endedMs: performance.now() };
  print(`dump in ${seconds(dumpBeganMs)} s, under load`);
  const url = await restoreDump(place);
  await checkStored(url, sent, { moment, name: 'dump' });
  checks.equal(
    'dump: nothing is to be migrated',
    await runBadge('migrate', { ...env, DATABASE_URL: url }),
    0,
  );
  await checkServed(url, { name: 'dump' });
}

async function tryRestore(place: Place, time: string, moment: Moment): Promise<void> {
  const restoreBeganMs = performance.now();
  await restoreTo(place, time);
  await waitUntil(async () => (await query(databaseUrl, 'select where pg_is_in_recovery()')).length === 0);
  print(`restored in ${seconds(restoreBeganMs)} s`);
  const stored = await checkStored(databaseUrl, load.sent, { moment, name: 'restore' });
  checks.equal(`restore: at least ${PENDING} operations are pending`, stored.pending >= PENDING, true);
  await checkServed(databaseUrl, { name: 'restore', moment, sent: load.sent });
  checks.equal('restore: badge doctor finds no problem', await runBadge('doctor', env), 0);
}

/** Compares a restored database, before a service runs on it, with what was answered. */
async function checkStored(url: string, sent: Sent[], { moment, name }: { moment: Moment; name: string }) {
  const stored = await readStored(url);
  const { before, after } = divide(sent, moment);
  const isStored = ({ location = '' }: Sent) => stored.operations.has(location.split('/').at(-1) ?? '');
  print(
    `${name}: ${stored.tokens} tokens, ${stored.claims} claims, ${stored.pending} operations pending; ` +
      `${before.length} were accepted before, ${after.length} after`,
  );
  checks.equal(
    `${name}: all that was accepted before is there`,
    before.filter((one) => !isStored(one)).length,
    0,
  );
  checks.equal(`${name}: nothing that was sent after is there`, after.filter(isStored).length, 0);
  checks.equal(
    `${name}: token ids are dense`,
    [stored.tokens, stored.highestTokenId],
    [stored.lastTokenId, stored.lastTokenId],
  );
  checks.equal(`${name}: claims and remaining counts agree`, stored.miscounted, 0);
  checks.equal(`${name}: operations agree with tokens and claims`, stored.halfDone, 0);
  return stored;
}

/** Starts a service on a restored database and compares what it answers. */
async function checkServed(
  url: string,
  { name, moment, sent = [] }: { name: string; moment?: Moment; sent?: Sent[] },
): Promise<void> {
  const restored = await startBadge({ ...env, DATABASE_URL: url });
  try {
    const { before, after } = divide(sent, moment);
    await checkBefore(restored.url, name, before, moment);
    await checkAfter(restored.url, name, after);
    await waitUntil(async () => (await readStored(url)).pending === 0);
    const { lastTokenId } = await readStored(url);
    const created = await send(restored.url, apiKey, '/v1/tokens', await signedToken());
    const operation = await read<Operation>(restored.url, `${created.location}?wait=30`);
    checks.equal(`${name}: a new token has the next id`, operation?.resourceId, lastTokenId + 1);
  } finally {
    await restored.stop();
  }
}

async function checkBefore(url: string, name: string, before: Sent[], moment?: Moment): Promise<void> {
  if (moment === undefined) return;
  const ends: Record<string, number> = {};
  let changed = 0;
  let others = 0;
  await forEach(before, async ({ path, body, location, token, readAtMs = Infinity }) => {
    const operation = await read<Operation>(url, `${location}?wait=30`);
    const end = operation?.error?.name ?? operation?.status ?? 'missing';
    ends[end] = (ends[end] ?? 0) + 1;
    if (token !== undefined && readAtMs < moment.beganMs) {
      const now = await read<Token>(url, `/v1/tokens/${token.tokenId}`);
      if (!isDeepStrictEqual(withoutUse(now), withoutUse(token))) changed += 1;
    }
    if (path === '/v1/tokens' && (await send(url, apiKey, path, body)).location !== location) others += 1;
  });
  print(`${name}: the operations accepted before ended in ${JSON.stringify(ends)}`);
  // Two claimers may race for the last place: what was accepted too late ends so.
  const { success = 0, NoTokensLeft = 0 } = ends;
  checks.equal(`${name}: every operation accepted before is settled`, success + NoTokensLeft, before.length);
  checks.equal(`${name}: every token read before reads the same`, changed, 0);
  checks.equal(`${name}: every request accepted before is still the same operation`, others, 0);
}

async function checkAfter(url: string, name: string, after: Sent[]): Promise<void> {
  if (after.length === 0) return;
  let found = 0;
  let again = 0;
  let given = 0;
  await forEach(after, async ({ location = '' }) => {
    if ((await read(url, location)) !== undefined) found += 1;
  });
  checks.equal(`${name}: no operation accepted after is known`, found, 0);

  const lost = after.filter(({ path }) => path === '/v1/tokens').reverse();
  await forEach(lost, async ({ path, body }) => {
    const { location } = await send(url, apiKey, path, body);
    if ((await read<Operation>(url, `${location}?wait=30`))?.status === 'success') again += 1;
  });
  checks.equal(`${name}: every lost creation is accepted when it is sent again`, again, lost.length);
  await forEach(lost, async ({ token }) => {
    if (token === undefined) return;
    const now = await read<Token>(url, `/v1/tokens/${token.tokenId}`);
    if (now !== undefined && now.headline !== token.headline) given += 1;
  });
  print(`${name}: ${lost.length} creations were lost; ${given} ids that were read are another token's now`);
}

function divide(sent: Sent[], { beganMs: from, endedMs: to }: Moment = { beganMs: 0, endedMs: Infinity }) {
  const accepted = sent.filter(({ location }) => location !== undefined);
  return {
    before: accepted.filter(({ acceptedAtMs = Infinity }) => acceptedAtMs < from),
    after: accepted.filter(({ sentAtMs }) => sentAtMs > to),
  };
}

// Claims go on, and each process has its own port.
function withoutUse(token: Token | undefined): object | undefined {
  if (token === undefined) return undefined;
  const { imageUrl, claimabilityAttributes, ...kept } = token;
  const { remainingClaimCount, ...attributes } = claimabilityAttributes;
  return { ...kept, attributes };
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
