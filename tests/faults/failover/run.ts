import { access } from 'node:fs/promises';
import { describeTallies, describeViolations, medianOf } from '../report.ts';
import { createNetwork, replaceEtcWithCopy } from './machines.ts';
import { type Options, parseOptions } from './options.ts';
import { describeMode, describeRound, LEGEND, TABLE_HEAD } from './report.ts';
import { type ModeResult, runMode } from './run-rounds.ts';

const SERVICE_ADDRESS = '10.0.0.21';
const MAX_ADDED_MEDIAN_MS = 2_000;
const MAX_READINESS_DELAY_MS = 5_000;

/**
 * Debian's packages that the run needs, each with a file that shows that it is installed. `iproute2` is not
 * listed: without it, `scripts/with-namespaces.sh` fails before it starts this program.
 */
const PACKAGES: Record<string, string> = {
  '/usr/bin/patroni': 'patroni',
  '/usr/lib/python3/dist-packages/etcd': 'python3-etcd',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/sbin/pgbouncer': 'pgbouncer',
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/bin/openssl': 'openssl',
};

// `process.exit` runs the exit handlers, which kill the service processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const options = parseOptions(process.argv.slice(2));
if (typeof options === 'string') print(options);
else process.exitCode = (await run(options)) ? 0 : 1;

async function run({ seed, failures, modes }: Options): Promise<boolean> {
  const missing = await listMissingPackages();
  if (missing.length > 0) {
    print(
      `Packages are missing. Install them: apt-get install --no-install-recommends ${missing.join(' ')}\n`,
    );
    return false;
  }
  print(`seed ${seed}\n`);
  await createNetwork(SERVICE_ADDRESS);
  await replaceEtcWithCopy();
  const results: ModeResult[] = [];
  for (const { mode, roundCount } of modes) {
    print(`\n${mode}: ${roundCount} rounds\n${TABLE_HEAD}`);
    const onRound: Parameters<typeof runMode>[0]['onRound'] = (round, index) =>
      print(describeRound(round, index));
    results.push(await runMode({ mode, roundCount, failures, seed, onRound }));
  }
  print('\n');
  const failedCriteria: string[] = [];
  for (const result of results) {
    print(describeMode(result));
    if (result.mode === 'sync') {
      print(`${describeTallies([result.tally])}\n`);
      failedCriteria.push(...judgeSynchronous(result));
    } else
      print(
        `violations (expected, because a failover loses commits in this mode): ${describeViolations(result.tally)}\n\n`,
      );
    failedCriteria.push(...judgeService(result));
  }
  print(LEGEND);
  for (const criterion of failedCriteria) print(`FAILED: ${criterion}\n`);
  print(`seed ${seed}: ${failedCriteria.length === 0 ? 'passed' : 'failed'}\n`);
  return failedCriteria.length === 0;
}

async function listMissingPackages(): Promise<string[]> {
  const missing: string[] = [];
  for (const [path, name] of Object.entries(PACKAGES)) await access(path).catch(() => missing.push(name));
  return missing;
}

/** Prints what the service added to the outages. Returns the criteria that failed. */
function judgeSynchronous({ rounds, tally, keptIn }: ModeResult): string[] {
  const failedCriteria: string[] = [];
  const lost = rounds.reduce((sum, round) => sum + round.lost, 0);
  if (lost > 0) failedCriteria.push(`${lost} accepted operations were lost`);
  if (tally.violations() > 0)
    failedCriteria.push(`${tally.violations()} violations; the journal is in ${keptIn}`);
  const addedByServiceMs = medianOf(rounds.map((round) => round.addedByServiceMs)) ?? 0;
  print(
    `The service added ${(addedByServiceMs / 1000).toFixed(1)} s (median) to the outage of PostgreSQL.\n\n`,
  );
  if (addedByServiceMs > MAX_ADDED_MEDIAN_MS)
    failedCriteria.push(
      `the service added ${Math.round(addedByServiceMs)} ms (median) to the outage; at most ${MAX_ADDED_MEDIAN_MS} ms are allowed`,
    );
  return failedCriteria;
}

/** Returns the criteria that failed. */
function judgeService({ mode, rounds }: ModeResult): string[] {
  return rounds.flatMap(({ failure, readinessDelayMs, restarts }, index) => [
    ...(readinessDelayMs > MAX_READINESS_DELAY_MS
      ? [
          `${mode} round ${index + 1} (${failure.name}): /readyz was wrong for ${Math.round(readinessDelayMs)} ms`,
        ]
      : []),
    ...(restarts > 0 ? [`${mode} round ${index + 1} (${failure.name}): ${restarts} processes ended`] : []),
  ]);
}

function print(text: string): void {
  process.stdout.write(text);
}
