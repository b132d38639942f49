import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { query } from '@badge/test-support/sql';
import { startBareServer } from '../bare-server.ts';
import { startDriver } from '../driver/driver.ts';
import { atLeast, atMost, type Goal, type Row } from '../figure.ts';
import { formatTable, judge } from '../report.ts';
import {
  type BenchedService,
  checkDurability,
  checkNoneFailed,
  createApiKey,
  createDataDirectory,
  startProcess,
} from '../service.ts';
import { FULL, QUICK } from '../sizes.ts';
import { compareInstallations } from './beside.ts';
import { importArchive } from './import.ts';
import { makePlan, type Size, sizeAt } from './plan.ts';
import { writeArchive } from './write-archive.ts';

// npm run bench:import. Imports a generated archive of an installation, and compares it with a small one. On
// the PostgreSQL server of DATABASE_URL, which must be on this machine.

const HELP = `Usage: npm run bench:import -- [options]

Generates the archive of an installation, imports it, and compares the service with one that has little data.

  --scale N        the part of 7,200,000 claims of 2,000,000 addresses in 200,000 tokens; 0.1 by default
  --archive FILE   the generated archive, which is kept; made if it is missing
  --quick          measure everything for a moment, and without goals for times: tests the measurements themselves
  --help           print this help, and exit
`;
const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.1' },
    archive: { type: 'string' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const SMALL_SCALE = 0.01;
const SEED = 52;
// Of the process of the import. It does not depend on the size of the archive.
const MAX_IMPORT_MB = 500;
const MIN_CLAIMS_PER_SECOND = 5_000;
const MAX_START_SECONDS = 5;

const { DATABASE_URL = '' } = process.env;
const run = promisify(execFile);
const print = (text: string) => process.stdout.write(text);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

if (values.help) print(HELP);
else await measure(Number(values.scale), { archive: values.archive, isQuick: values.quick });

interface Options {
  archive: string | undefined;
  isQuick: boolean;
}

async function measure(scale: number, { archive, isQuick }: Options): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-bench-import-'));
  const driver = startDriver();
  const bare = startBareServer();
  try {
    await checkDurability(DATABASE_URL);
    const bench = { extent: isQuick ? QUICK : FULL, driver, bare, directory };
    const small = await createInstallation(directory, 'small', Math.min(SMALL_SCALE, scale / 10));
    const large = await createInstallation(directory, 'large', scale, archive);
    const rows = [...large.rows];
    const smallService = await start(small);
    try {
      const largeService = await start(large);
      try {
        rows.push(seconds('start of the service', largeService.startSeconds, MAX_START_SECONDS));
        rows.push(...(await compareInstallations(bench, largeService, smallService)));
        for (const { databaseUrl } of [smallService, largeService]) await checkNoneFailed(databaseUrl);
      } finally {
        await largeService.stop();
      }
    } finally {
      await smallService.stop();
    }
    rows.push(...(await dumpAndRestore(large)));
    print(`\n${formatTable(rows, isQuick)}\n`);
    const missed = rows.filter((row) => judge(row) === 'no');
    if (!isQuick && missed.length > 0) process.exitCode = 1;
  } finally {
    driver.stop();
    bare.stop();
    await rm(directory, { recursive: true });
  }
}

interface Installation {
  directory: string;
  databaseUrl: string;
  size: Size;
  env: NodeJS.ProcessEnv;
  rows: Row[];
}

async function createInstallation(
  parent: string,
  name: string,
  scale: number,
  archive?: string,
): Promise<Installation> {
  const directory = join(parent, name);
  const env = await createDataDirectory(directory);
  const size = sizeAt(scale);
  const databaseUrl = await createDatabase(name);
  const file = archive ?? join(directory, 'archive.tar');
  const startMs = performance.now();
  if (!existsSync(file)) {
    await writeArchive(`${file}.part`, makePlan(size, SEED), () => undefined);
    await rename(`${file}.part`, file);
    print(`${name}: the archive was made in ${since(startMs)} s\n`);
  }
  const { size: bytes } = await stat(file);
  print(`${name}: ${JSON.stringify(size)}, an archive of ${toMb(bytes)} MB\n`);
  const use = await importArchive(file, { databaseUrl, directory, size });
  // The disk may not have place for all.
  if (archive === undefined) await rm(file);
  print(`${name}: imported in ${use.seconds.toFixed(1)} s, ${JSON.stringify(use)}\n`);
  if (use.peakMb > MAX_IMPORT_MB) throw new Error(`the import took ${use.peakMb} MB of memory`);
  // It says so every two seconds. When it ends, it may need longer.
  if (use.progressLines < Math.floor(use.seconds / 10))
    throw new Error('the import has not said how long it takes');
  const perSecond = size.claims / use.seconds;
  const disk = await query<{ bytes: string }>(
    databaseUrl,
    'select pg_database_size(current_database()) as bytes',
  );
  return {
    directory,
    databaseUrl,
    size,
    env: { ...env, DATABASE_URL: databaseUrl },
    rows: [
      rowOf('claims imported', '/s', perSecond, atLeast(MIN_CLAIMS_PER_SECOND)),
      rowOf('import: processor time of Node', 's', use.cpuSeconds),
      rowOf('import: processor time of PostgreSQL', 's', use.serverCpuSeconds),
      rowOf('import: memory of Node', 'MB', use.peakMb, atMost(MAX_IMPORT_MB)),
      rowOf('archive', 'MB', bytes / 1e6),
      rowOf('disk', 'MB', Number(disk[0]?.bytes) / 1e6),
    ],
  };
}

async function createDatabase(name: string): Promise<string> {
  await query(DATABASE_URL, `create database ${name} template template0`);
  const url = new URL(DATABASE_URL);
  url.pathname = `/${name}`;
  return url.href;
}

async function start({ databaseUrl, env }: Installation): Promise<BenchedService & { startSeconds: number }> {
  const startMs = performance.now();
  const service = await startProcess(env);
  const startSeconds = (performance.now() - startMs) / 1_000;
  const [largest] = await query<{ id: string }>(
    databaseUrl,
    'select community_id as id from tokens group by 1 order by count(*) desc, 1 limit 1',
  );
  const community = await createApiKey(service.url, largest?.id ?? '');
  const { url, pid, stop } = service;
  return { url, port: Number(new URL(url).port), pid, databaseUrl, community, stop, startSeconds };
}

async function dumpAndRestore({ directory, databaseUrl }: Installation): Promise<Row[]> {
  const dump = join(directory, 'dump');
  const count = async (url: string) => await query(url, 'select count(*) from claims');
  const dumpMs = performance.now();
  await run('pg_dump', ['-Fc', '-f', dump, databaseUrl]);
  const dumped = seconds('dump (pg_dump -Fc)', Number(since(dumpMs)));
  const { size } = await stat(dump);
  const restoredUrl = await createDatabase('restored');
  const restoreMs = performance.now();
  await run('pg_restore', ['--no-owner', '--exit-on-error', '-d', restoredUrl, dump]);
  const restored = seconds('restore (pg_restore)', Number(since(restoreMs)));
  if (JSON.stringify(await count(restoredUrl)) !== JSON.stringify(await count(databaseUrl)))
    throw new Error('the restored database has other claims');
  return [dumped, rowOf('dump', 'MB', size / 1e6), restored];
}

function rowOf(name: string, unit: string, figure: number, goal: Goal | null = null): Row {
  return { name, unit, figure, reference: null, ratio: null, goal, details: {} };
}

function seconds(name: string, figure: number, max?: number): Row {
  return rowOf(name, 's', figure, max === undefined ? null : atMost(max));
}

function since(startMs: number): string {
  return ((performance.now() - startMs) / 1_000).toFixed(1);
}

function toMb(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
