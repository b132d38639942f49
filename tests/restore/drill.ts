import { randomUUID } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Operation, Token } from '@badge/protocol';
import { spawnBadge, startBadge } from '@badge/test-support/badge-process';
import { createPostgresClusters, type PostgresClusters } from '@badge/test-support/postgres-clusters';
import { signedToken } from '@badge/test-support/signing';
import { holdLock, query } from '@badge/test-support/sql';
import type { TestProject } from 'vitest/node';
import { type DatabaseState, dropTable, readDatabaseState } from './database-state.ts';
import { forEach, type Load, read, type SentRequest, send, startLoad, waitUntil } from './load.ts';

// Backs up a PostgreSQL server under load, drops a table, restores the data of an earlier moment, and
// compares it with the responses that clients got. docs/operations.md has the same commands.

const PENDING_OPERATIONS = 20;

/**
 * The moment whose data a dump or a restore contains. It is between `beganMs` and `endedMs`. The data must
 * contain every operation that was accepted before `beganMs`, and no operation whose request was sent after
 * `endedMs`.
 */
interface Moment {
  beganMs: number;
  endedMs: number;
}

/** The state of a restored database before a service runs on it, compared with the requests. */
export interface DatabaseResults extends Omit<DatabaseState, 'operationIds'> {
  /** Operations that were accepted before the restored moment, and are missing. */
  missing: number;
  /** Operations that exist, although their requests were sent after the restored moment. */
  unexpected: number;
}

/**
 * What a service on the restored database returns for requests that were accepted before the restored moment.
 */
export interface EarlierRequestResults {
  /** The number of these requests. */
  accepted: number;
  /**
   * Operations that ended in success or NoTokensLeft. NoTokensLeft is right for claims of a token that has no
   * claims left.
   */
  settled: number;
  /** Tokens whose fields differ from those that were read before. */
  changedTokens: number;
  /** Creations that were sent again and got another operation than the first time. */
  otherOperations: number;
}

/** What the service returns for requests that were sent after the restored moment. */
export interface LaterRequestResults {
  /** Operations that exist, although their requests were sent after the restored moment. */
  known: number;
  /** Creations that the restore lost. */
  lost: number;
  /** Lost creations that succeed when they are sent again. */
  acceptedAgain: number;
}

/** The results of the drill. */
export interface Drill {
  /** What the service returned for a token after the table of tokens was dropped. */
  tokenAfterLoss: Token | undefined;
  dump: { stored: DatabaseResults; migrateExit: unknown; nextToken: NextToken };
  restore: {
    stored: DatabaseResults;
    /** At least this many operations were pending at the restored moment. */
    pendingAtMoment: number;
    before: EarlierRequestResults;
    after: LaterRequestResults;
    nextToken: NextToken;
    doctorExit: unknown;
  };
}

/** The last token id of a restored database, and the id that the next token got. */
export interface NextToken {
  lastTokenId: number;
  nextTokenId: number | null | undefined;
}

/**
 * A global setup of Vitest: runs the drill and provides its results to the tests. Unlike a test, it can stop
 * the clusters if Vitest is interrupted.
 */
export default async function setUp(project: TestProject): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const clusters = await createPostgresClusters();
  try {
    project.provide('drill', await createDrill(clusters).run());
  } finally {
    clusters.remove();
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    drill: Drill;
  }
}

function createDrill(clusters: PostgresClusters) {
  const { directory } = clusters;
  const pathOf = (name: string) => join(directory, name);
  const connectionOptions = ['-h', directory, '-U', 'postgres'];
  const databaseUrl = clusters.databaseUrl('postgres');
  const apiKey = randomUUID();
  const env = {
    LOG_LEVEL: 'silent',
    DATABASE_URL: databaseUrl,
    BADGE_DATA_DIR: pathOf('service'),
    BADGE_DEMO_API_KEY: apiKey,
    BADGE_ADMIN_KEY: randomUUID(),
    TMPDIR: directory,
  };

  async function run(): Promise<Drill> {
    const beganMs = performance.now();
    await clusters.run('mkdir', pathOf('archive'), pathOf('base'));
    await clusters.create('original', {
      archive_mode: 'on',
      archive_command: `test ! -f ${pathOf('archive')}/%f && cp %p ${pathOf('archive')}/%f`,
    });
    await clusters.start('original');
    const service = await startBadge(env);
    const load = startLoad(service.url, apiKey);
    await load.waitForAccepted(50);
    await backUp();
    const dump = await testDump(load);
    const { time, moment } = await chooseMoment(load);
    await load.waitForAccepted(150);

    print('the loss of data: drop table tokens cascade');
    await dropTable(databaseUrl, 'tokens');
    await load.stop();
    const tokenAfterLoss = await read<Token>(service.url, '/v1/tokens/1');
    await service.stop();
    // Archives the last WAL file, which the restore needs.
    await query(databaseUrl, 'select pg_switch_wal()');
    const restore = await testRestore(load, time, moment);
    print(`${secondsSince(beganMs)} s in all`);
    return { tokenAfterLoss, dump, restore };
  }

  /**
   * Runs a script of deploy/postgresql. The clusters' owner may not be able to read it there, so it runs a
   * copy.
   */
  async function runScript(name: string, ...args: string[]): Promise<void> {
    await copyFile(join(import.meta.dirname, '../../deploy/postgresql', name), pathOf(name));
    await clusters.run('env', `PGHOST=${directory}`, 'PGUSER=postgres', 'sh', pathOf(name), ...args);
  }

  async function backUp(): Promise<void> {
    const beganMs = performance.now();
    await runScript('back-up.sh', directory);
    print(`base backup in ${secondsSince(beganMs)} s, under load`);
  }

  // The lock keeps the worker from settling, so that operations are pending at the restored moment.
  async function chooseMoment({ createPending }: Load): Promise<{ time: string; moment: Moment }> {
    const release = await holdLock(databaseUrl, 'token_counter', 'exclusive');
    await createPending(PENDING_OPERATIONS);
    const beganMs = performance.now();
    const [row] = await query<{ time: string }>(databaseUrl, 'select clock_timestamp()::text as time');
    const moment = { beganMs, endedMs: performance.now() };
    await release();
    print(`the moment to restore: ${row?.time}`);
    return { time: row?.time ?? '', moment };
  }

  async function testDump({ sent }: Load): Promise<Drill['dump']> {
    const beganMs = performance.now();
    await clusters.run('pg_dump', ...connectionOptions, '-Fc', '-f', pathOf('dump'), 'postgres');
    const moment = { beganMs, endedMs: performance.now() };
    print(`dump in ${secondsSince(beganMs)} s, under load`);
    await clusters.run('createdb', ...connectionOptions, '-T', 'template0', 'from_dump');
    const options = ['-d', 'from_dump', '--no-owner', '--exit-on-error'];
    await clusters.run('pg_restore', ...connectionOptions, ...options, pathOf('dump'));
    const url = clusters.databaseUrl('from_dump');
    const stored = await checkDatabase('dump', url, divideByMoment(sent, moment));
    const migrateExit = await runBadge('migrate', url);
    const service = await startBadge({ ...env, DATABASE_URL: url });
    const nextToken = await createNextToken(service.url, url);
    await service.stop();
    return { stored, migrateExit, nextToken };
  }

  async function testRestore({ sent }: Load, time: string, moment: Moment): Promise<Drill['restore']> {
    const beganMs = performance.now();
    await clusters.stop('original');
    await runScript('restore.sh', time, pathOf('restored'), directory);
    await clusters.start('restored');
    await waitUntil(async () => (await query(databaseUrl, 'select where pg_is_in_recovery()')).length === 0);
    print(`restored in ${secondsSince(beganMs)} s`);

    const divided = divideByMoment(sent, moment);
    const stored = await checkDatabase('restore', databaseUrl, divided);
    const service = await startBadge(env);
    const before = await checkEarlierRequests(service.url, divided.before, moment);
    const after = await checkLaterRequests(service.url, divided.after);
    const nextToken = await createNextToken(service.url, databaseUrl);
    await service.stop();
    return {
      stored,
      pendingAtMoment: PENDING_OPERATIONS,
      before,
      after,
      nextToken,
      doctorExit: await runBadge('doctor', databaseUrl),
    };
  }

  async function checkEarlierRequests(
    url: string,
    before: SentRequest[],
    moment: Moment,
  ): Promise<EarlierRequestResults> {
    const outcomes: Record<string, number> = {};
    let changedTokens = 0;
    let otherOperations = 0;
    await forEach(before, async ({ path, body, location, token, readAtMs = Infinity }) => {
      const operation = await read<Operation>(url, `${location}?wait=30`);
      const outcome = operation?.error?.name ?? operation?.status ?? 'missing';
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (token !== undefined && readAtMs < moment.beganMs) {
        const now = await read<Token>(url, `/v1/tokens/${token.tokenId}`);
        if (!isDeepStrictEqual(lastingFields(now), lastingFields(token))) changedTokens += 1;
      }
      if (path !== '/v1/tokens') return;
      const repeated = await send(url, apiKey, path, body);
      if (repeated.location !== location) otherOperations += 1;
    });
    print(`restore: the operations accepted before the moment ended in ${JSON.stringify(outcomes)}`);
    const { success = 0, NoTokensLeft = 0 } = outcomes;
    return { accepted: before.length, settled: success + NoTokensLeft, changedTokens, otherOperations };
  }

  async function checkLaterRequests(url: string, after: SentRequest[]): Promise<LaterRequestResults> {
    let known = 0;
    let acceptedAgain = 0;
    let reusedIds = 0;
    await forEach(after, async ({ location = '' }) => {
      if ((await read(url, location)) !== undefined) known += 1;
    });
    // Sent again in reverse order, so that many tokens get another id than before.
    const lost = after.filter(({ path }) => path === '/v1/tokens').reverse();
    await forEach(lost, async ({ path, body }) => {
      const { location } = await send(url, apiKey, path, body);
      if ((await read<Operation>(url, `${location}?wait=30`))?.status === 'success') acceptedAgain += 1;
    });
    await forEach(lost, async ({ token }) => {
      if (token === undefined) return;
      const now = await read<Token>(url, `/v1/tokens/${token.tokenId}`);
      if (now !== undefined && now.headline !== token.headline) reusedIds += 1;
    });
    print(
      `restore: ${lost.length} creations were lost; ${reusedIds} ids that clients had read belong to another token now`,
    );
    return { known, lost: lost.length, acceptedAgain };
  }

  async function createNextToken(url: string, urlOfDatabase: string): Promise<NextToken> {
    await waitUntil(async () => (await readDatabaseState(urlOfDatabase)).pending === 0);
    const { lastTokenId } = await readDatabaseState(urlOfDatabase);
    const { location } = await send(url, apiKey, '/v1/tokens', await signedToken());
    const operation = await read<Operation>(url, `${location}?wait=30`);
    return { lastTokenId, nextTokenId: operation?.resourceId };
  }

  async function runBadge(command: string, urlOfDatabase: string): Promise<unknown> {
    return await spawnBadge({ ...env, DATABASE_URL: urlOfDatabase }, { command }).closed;
  }

  return { run };
}

interface DividedRequests {
  before: SentRequest[];
  after: SentRequest[];
}

function divideByMoment(sent: SentRequest[], { beganMs, endedMs }: Moment): DividedRequests {
  const accepted = sent.filter(({ location }) => location !== undefined);
  return {
    before: accepted.filter(({ acceptedAtMs = Infinity }) => acceptedAtMs < beganMs),
    after: accepted.filter(({ sentAtMs }) => sentAtMs > endedMs),
  };
}

async function checkDatabase(
  name: string,
  url: string,
  { before, after }: DividedRequests,
): Promise<DatabaseResults> {
  const { operationIds, ...counts } = await readDatabaseState(url);
  const isStored = ({ location = '' }: SentRequest) => operationIds.has(location.split('/').at(-1) ?? '');
  print(
    `${name}: ${counts.tokens} tokens, ${counts.claims} claims, ${counts.pending} operations pending; ` +
      `${before.length} requests were accepted before the moment, ${after.length} after it`,
  );
  return {
    ...counts,
    missing: before.filter((one) => !isStored(one)).length,
    unexpected: after.filter(isStored).length,
  };
}

// Leaves out the fields that may change: claims go on after the moment, and image URLs contain the port of
// the process.
function lastingFields(token: Token | undefined): object | undefined {
  if (token === undefined) return undefined;
  const { imageUrl, claimedCount, recipientCount, claimabilityAttributes, ...fields } = token;
  const { remainingClaimCount, ...attributes } = claimabilityAttributes;
  return { ...fields, attributes };
}

function secondsSince(beganMs: number): string {
  return ((performance.now() - beganMs) / 1000).toFixed(1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
