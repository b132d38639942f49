import { rename, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { DatabaseTransaction } from '../storage/database.ts';
import { findDeployment } from '../storage/deployment.ts';
import { readBacklog } from '../storage/queue.ts';
import { VERSION } from '../version.ts';
import { checkKeysOf } from './keys.ts';
import { fileOf, rowsOf } from './lines.ts';
import { FORMAT_VERSION, type Manifest } from './manifest.ts';
import { NOUNS } from './nouns.ts';
import type { Progress } from './progress.ts';
import { inSnapshot, openSource, refuseExisting, type Source } from './source.ts';
import { ArchiveError } from './tar.ts';
import { createArchive, readLinesOf, toPicture } from './write-files.ts';

const POLL_MS = 50;
/** How long an export waits for a moment in which no operation is pending. */
export const MAX_WAIT_MS = 60_000;

/**
 * Writes everything of an installation to a new file, as it is at one moment. A service may run meanwhile.
 * Returns the manifest.
 */
export async function exportInstallation(
  config: Config,
  file: string,
  { progress, maxWaitMs = MAX_WAIT_MS }: { progress: Progress; maxWaitMs?: number },
): Promise<Manifest> {
  await refuseExisting(file);
  const source = await openSource(config);
  const { database } = source;
  const part = `${file}.part`;
  try {
    await source.check();
    const deadlineMs = performance.now() + (source.mayBeServed ? maxWaitMs : 0);
    for (;;) {
      const manifest = await inSnapshot(database, async (tx) => {
        const backlog = await readBacklog(tx);
        const pending = backlog.pending + backlog.isolated;
        if (pending === 0) return await writeArchive(tx, { config, part, progress });
        if (performance.now() >= deadlineMs) throw new ArchiveError(describePending(pending, source));
        progress.report(`waiting for ${pending} pending operations`);
        return undefined;
      });
      if (manifest !== undefined) {
        await rename(part, file);
        return manifest;
      }
      await wait(POLL_MS);
    }
  } finally {
    await rm(part, { force: true });
    await source.end();
  }
}

function describePending(pending: number, { mayBeServed }: Source): string {
  const found = `${pending} operations are not settled, and an archive has only settled ones`;
  return mayBeServed
    ? `${found}: check that a service with a worker runs, or export at a quieter time`
    : `${found}: start the service, which settles them, and export again`;
}

async function writeArchive(
  tx: DatabaseTransaction,
  { config, part, progress }: { config: Config; part: string; progress: Progress },
): Promise<Manifest> {
  const deployment = await findDeployment(tx);
  if (deployment === null) throw new ArchiveError('the database is empty: no service has used it yet');
  const archive = await createArchive(part, { progress });
  try {
    const pictures: ReturnType<typeof toPicture>[] = [];
    for (const noun of NOUNS) {
      const lines = readLinesOf(tx, noun, rowsOf(noun), {
        onRows: (rows) => {
          if (noun.name === 'pictures') pictures.push(...rows.map((row) => toPicture(tx, row)));
        },
      });
      await archive.addLines(fileOf(noun), lines);
    }
    for (const { file, content } of pictures) await archive.addBytes(file, content);
    const manifest: Manifest = {
      format: 'badge',
      formatVersion: FORMAT_VERSION,
      serviceVersion: VERSION,
      scope: 'installation',
      deployment,
      keys: checkKeysOf(config),
      files: archive.files,
    };
    await archive.end(manifest);
    return manifest;
  } finally {
    await archive.close();
  }
}
