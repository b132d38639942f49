import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@badge/embedded-postgres';
import type { BadgeService } from '@badge/test-support/badge-process';
import { insertData } from '../data.ts';
import { checkAccepted, getRequest, rateOf } from '../driver/driver.ts';
import { alternate, type Bench, type Figure, type Row, summarize } from '../figure.ts';
import { checkNoneFailed, createCommunity, startProcess, waitUntilSettled } from '../service.ts';
import { signCreations } from '../signed-requests.ts';
import { DATA_SIZE } from '../sizes.ts';
import { READ_CONNECTIONS, READS } from './reads.ts';

// Fewer rounds than other figures have, because each measurement starts the processes anew.
const MAX_ROUNDS = 3;
const WARM_UP_WRITES = 200;
const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

type Community = Awaited<ReturnType<typeof createCommunity>>;

/**
 * Creations and token pages per second of two API processes and a worker on one database, compared with one
 * process.
 */
export const processes: Figure = {
  name: 'processes',
  async measure(bench) {
    const dataDir = join(bench.directory, 'processes');
    await mkdir(dataDir);
    const postgres = await startEmbeddedPostgres({ dataDir, name: 'badge', log: SILENT_LOG });
    try {
      const { host, port } = postgres.connection;
      const databaseUrl = `postgres://badge@localhost:${port}/badge?host=${encodeURIComponent(host)}`;
      const env = (name: string) => ({ DATABASE_URL: databaseUrl, BADGE_DATA_DIR: join(dataDir, name) });
      const community = await withProcesses([env('first')], async (services) => {
        const [{ url }] = services as [BadgeService];
        const created = await createCommunity(url);
        await insertData(databaseUrl, created.communityId, DATA_SIZE);
        return created;
      });
      const envsOfOne = [env('one')];
      const envsOfThree = ['api', 'api', 'worker'].map((role, index) => ({
        ...env(`three-${index}`),
        BADGE_ROLE: role,
        // Without this, `startBadge` would set `PORT`, and the worker would listen.
        ...(role === 'worker' ? { PORT: '' } : {}),
      }));
      const measure = (envs: NodeJS.ProcessEnv[]) =>
        withProcesses(
          envs,
          async (services) => await measureProcesses(bench, services, databaseUrl, community),
        );
      const rows = await compareRates(
        Math.min(bench.extent.rounds, MAX_ROUNDS),
        () => measure(envsOfThree),
        () => measure(envsOfOne),
      );
      await checkNoneFailed(databaseUrl);
      return rows;
    } finally {
      await postgres.stop();
    }
  },
};

/** Creations per second, and token pages per second. */
interface Rates {
  writes: number;
  pages: number;
}

/** Compares three processes with one, for each rate. Each measurement starts its own processes. */
async function compareRates(
  rounds: number,
  measureThree: () => Promise<Rates>,
  measureOne: () => Promise<Rates>,
): Promise<Row[]> {
  const measured = await alternate(rounds, measureThree, measureOne);
  const row = (name: string, rate: keyof Rates): Row => ({
    name,
    unit: '/s',
    ...summarize(
      measured.map(({ figure, reference }) => ({ figure: figure[rate], reference: reference[rate] })),
    ),
    // Without a goal, because the ratio depends on the number of cores.
    goal: null,
  });
  return [
    row('two API processes and a worker: creations', 'writes'),
    row('two API processes and a worker: token pages', 'pages'),
  ];
}

async function measureProcesses(
  { driver, extent }: Bench,
  services: BadgeService[],
  databaseUrl: string,
  community: Community,
): Promise<Rates> {
  // A worker has no URL.
  const ports = services.filter(({ url }) => url !== '').map(({ url }) => Number(new URL(url).port));
  const connections = READ_CONNECTIONS / ports.length;
  const write = async (count: number) => {
    const loads = ports.map((port) => ({
      port,
      connections,
      requests: signCreations(Math.ceil(count / ports.length), community).map(({ request }) => request),
    }));
    const results = await driver.runAll(loads);
    for (const result of results) checkAccepted(result);
    const settledTimestamp = await waitUntilSettled(databaseUrl);
    const sent = loads.reduce((sum, { requests }) => sum + requests.length, 0);
    return (
      (sent * 1_000) /
      (settledTimestamp - Math.min(...results.map(({ startedTimestamp }) => startedTimestamp)))
    );
  };
  const readPages = async () => {
    const requests = READS['token-page']().map(getRequest);
    const results = await driver.runAll(
      ports.map((port) => ({ port, connections, requests, durationMs: extent.windowMs })),
    );
    for (const result of results) checkAccepted(result);
    return results.reduce((sum, result) => sum + rateOf(result), 0);
  };
  // The first writes only warm up the processes. The second ones say how many writes fit into `windowMs`.
  await write(WARM_UP_WRITES);
  const ratePerSecond = await write(WARM_UP_WRITES);
  await readPages();
  return {
    writes: await write(Math.ceil((ratePerSecond * extent.windowMs) / 1_000)),
    pages: await readPages(),
  };
}

/** Starts processes, and stops them when `use` has ended. */
async function withProcesses<Result>(
  envs: NodeJS.ProcessEnv[],
  use: (services: BadgeService[]) => Promise<Result>,
): Promise<Result> {
  const services: BadgeService[] = [];
  try {
    for (const env of envs) services.push(await startProcess(env));
    return await use(services);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}
