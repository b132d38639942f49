import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { checkAccepted, getRequest } from '../driver/driver.ts';
import { atMost, type Bench, type Figure, type Row } from '../figure.ts';
import { checkNoneFailed, createOpenToken, startService, waitUntilSettled } from '../service.ts';
import { DATA_SIZE } from '../sizes.ts';
import { signWrites } from './list-while-writing.ts';
import { READS } from './reads.ts';

const CONNECTIONS = 16;

/** The resident memory of a new service's process after a load of reads and writes without pictures. */
export const memory: Figure = {
  name: 'memory',
  async measure(bench) {
    // This figure needs a service that has drawn no pictures, because the fonts of pictures stay in memory.
    const service = await startService(join(bench.directory, 'memory'), DATA_SIZE, { hasAutovacuum: true });
    try {
      const rows = await measureMemory({ ...bench, service });
      await checkNoneFailed(service.databaseUrl);
      return rows;
    } finally {
      await service.stop();
    }
  },
};

async function measureMemory(bench: Bench): Promise<Row[]> {
  const { service, driver, extent } = bench;
  const { first, total } = extent.memoryMs;
  const { picture: _, ...others } = READS;
  const paths = (await Promise.all(Object.values(others).map((list) => list(service)))).flat();
  const tokenId = await createOpenToken(service);
  const loads = [
    { port: service.port, connections: CONNECTIONS, requests: paths.map(getRequest), durationMs: total },
    ...signWrites(bench, tokenId, total),
  ];
  const running = driver.runAll(loads);
  await wait(first);
  const before = await readResidentMb(service.pid);
  const results = await running;
  const after = await readResidentMb(service.pid);
  for (const result of results) checkAccepted(result);
  await waitUntilSettled(service.databaseUrl);
  const details = { firstMs: first, totalMs: total, responses: results.map(({ statuses }) => statuses) };
  return [
    {
      name: `memory after ${total / 1_000} s`,
      unit: 'MB',
      figure: after,
      reference: null,
      ratio: null,
      goal: atMost(300, 200),
      details,
    },
    {
      name: `memory after ${total / 1_000} s, compared with ${first / 1_000} s`,
      unit: 'MB',
      figure: after,
      reference: before,
      ratio: after / before,
      goal: atMost(1.2),
      details,
    },
  ];
}

/** Returns the resident memory of a process in megabytes. */
export async function readResidentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1]) * 1024) / 1e6;
}
