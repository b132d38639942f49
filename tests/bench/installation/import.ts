import { ENTRY_POINT, spawnBadge } from '@badge/test-support/badge-process';
import { query } from '@badge/test-support/sql';
import { PRODUCTION } from '../service.ts';
import type { Size } from './plan.ts';
import { type ProcessUse, readServerSeconds, watchProcess } from './process-use.ts';

export interface ImportUse extends ProcessUse {
  seconds: number;
  serverCpuSeconds: number;
  /** The lines that have said how long the import still takes. */
  progressLines: number;
}

/** Runs `badge import`. Throws if it fails, or if the database has not what the archive has. */
export async function importArchive(
  file: string,
  { databaseUrl, directory, size }: { databaseUrl: string; directory: string; size: Size },
): Promise<ImportUse> {
  const postmaster = await findPostmaster(databaseUrl);
  const serverSecondsBefore = await readServerSeconds(postmaster);
  const startMs = performance.now();
  const badge = spawnBadge(
    { ...PRODUCTION, DATABASE_URL: databaseUrl, BADGE_DATA_DIR: directory },
    { file: ENTRY_POINT, command: 'import', args: [file] },
  );
  const use = await watchProcess(badge.pid, badge.exited);
  const end = await badge.closed;
  const seconds = (performance.now() - startMs) / 1_000;
  if (end !== 0) throw new Error(`the import ended with ${end}:\n${badge.output.stderr.slice(-4_000)}`);
  await checkCounts(databaseUrl, size);
  return {
    ...use,
    seconds,
    serverCpuSeconds: (await readServerSeconds(postmaster)) - serverSecondsBefore,
    progressLines: badge.output.stderr.match(/, \d+ %, about \d+ s left$/gm)?.length ?? 0,
  };
}

async function findPostmaster(databaseUrl: string): Promise<number> {
  const [row] = await query<{ pid: number }>(
    databaseUrl,
    "select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::integer as pid",
  );
  return row?.pid ?? 0;
}

/** Throws unless the database has as many claims, tokens and so on as the plan. */
async function checkCounts(databaseUrl: string, size: Size): Promise<void> {
  const [found] = await query(
    databaseUrl,
    `select (select count(*) from communities)::integer as communities,
       (select count(*) from tokens)::integer as tokens,
       (select count(distinct address) from claims)::integer as addresses,
       (select count(*) from claims)::integer as claims,
       (select max(owners) from (select count(*) as owners from claims group by token_id) t)::integer as "maxOwners"`,
  );
  if (JSON.stringify(found) !== JSON.stringify(size))
    throw new Error(`the database has ${JSON.stringify(found)}, and the archive ${JSON.stringify(size)}`);
}
