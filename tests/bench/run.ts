import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBareServer } from './bare-server.ts';
import { startDriver } from './driver/driver.ts';
import type { Bench, Row } from './figure.ts';
import { FIGURES } from './figures.ts';
import { type Options, parseOptions } from './options.ts';
import { formatTable } from './report.ts';
import { measureScale } from './scale.ts';
import { checkNoneFailed, startService } from './service.ts';
import { DATA_SIZE, FULL, QUICK } from './sizes.ts';

const RESULTS = join(import.meta.dirname, 'results');

/** The parts of a `Bench` that do not depend on the service. */
type BenchParts = Omit<Bench, 'service'>;

// `process.exit` runs the exit handlers, which kill the processes of the service. The other child processes
// exit with this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const options = parseOptions(process.argv.slice(2));
if (typeof options === 'string') print(options);
else await run(options);

async function run({ only, isQuick, isScale }: Options): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-bench-'));
  const driver = startDriver();
  const bare = startBareServer();
  const startedAt = new Date();
  try {
    const parts = { extent: isQuick ? QUICK : FULL, driver, bare, directory };
    const rows = isScale ? await measureScale(parts, isQuick) : await measureFigures(parts, only);
    print(`\n${formatTable(rows, isQuick)}\n`);
    if (!isQuick) print(`\nwritten to ${await writeResults(rows, startedAt)}\n`);
  } finally {
    driver.stop();
    bare.stop();
    await rm(directory, { recursive: true });
  }
}

async function measureFigures(parts: BenchParts, only: string | undefined): Promise<Row[]> {
  const { directory, driver } = parts;
  const service = await startService(join(directory, 'service'), DATA_SIZE, { hasAutovacuum: true });
  try {
    const rows: Row[] = [];
    for (const figure of FIGURES.filter(({ name }) => only === undefined || name === only)) {
      const startMs = performance.now();
      const measured = await figure.measure({ ...parts, service });
      await checkNoneFailed(service.databaseUrl);
      const driverCpuUse = driver.takeCpuUse();
      rows.push(...measured.map((row) => ({ ...row, details: { ...row.details, driverCpuUse } })));
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
      print(`${figure.name}: ${seconds} s, the driver used ${driverCpuUse.toFixed(2)} of a core\n`);
    }
    return rows;
  } finally {
    await service.stop();
  }
}

async function writeResults(rows: Row[], startedAt: Date): Promise<string> {
  const file = join(RESULTS, `${startedAt.toISOString().replaceAll(':', '-')}.json`);
  const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version };
  await mkdir(RESULTS, { recursive: true });
  await writeFile(file, `${JSON.stringify({ startedAt, machine, rows }, null, 2)}\n`);
  return file;
}

function print(text: string): void {
  process.stdout.write(text);
}
