import { createHash } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { useOrStartEmbeddedPostgres } from '@badge/embedded-postgres';
import type { Config } from '../config.ts';
import { createLog } from '../log.ts';
import { type Row, readRows, removeTimeLimits } from '../storage/archive.ts';
import { readAssetPieces } from '../storage/assets.ts';
import {
  checkServer,
  type Database,
  type DatabaseConnection,
  type DatabaseTransaction,
  openDatabase,
} from '../storage/database.ts';
import { checkDeployment, findDeployment } from '../storage/deployment.ts';
import { isMigrated, needsMigration } from '../storage/migrate.ts';
import { readBacklog } from '../storage/queue.ts';
import { VERSION } from '../version.ts';
import { checkKeysOf } from './keys.ts';
import { fileOf, pictureFileOf, rowsOf, toLine } from './lines.ts';
import { type FileEntry, FORMAT_VERSION, MANIFEST_FILE, type Manifest } from './manifest.ts';
import { NOUNS, type Noun } from './nouns.ts';
import type { Progress } from './progress.ts';
import { ArchiveError, createTar, type TarWriter } from './tar.ts';

const POLL_MS = 50;
/** How long an export waits for a moment in which no operation is pending. */
export const MAX_WAIT_MS = 60_000;

interface Source {
  connection: DatabaseConnection;
  /** Whether a service can settle what is pending. */
  mayBeServed: boolean;
  end(): Promise<void>;
}

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
  const database = openDatabase(source.connection, () => undefined, {
    connections: 1,
    statementTimeoutMs: 0,
    mayBeReadOnly: true,
  });
  const part = `${file}.part`;
  try {
    await checkServer(database);
    if ((await needsMigration(database)) || !(await isMigrated(database)))
      throw new ArchiveError('the database is not migrated to this release: run npm run migrate');
    // Another configuration probably has other keys.
    await checkDeployment(database, config);
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
    await database.destroy();
    await source.end();
  }
}

async function refuseExisting(file: string): Promise<void> {
  const exists = await stat(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new ArchiveError(`${file} exists already: name another file`);
}

async function openSource(config: Config): Promise<Source> {
  if (config.databaseUrl !== undefined) {
    return {
      connection: { connectionString: config.databaseUrl },
      mayBeServed: true,
      end: async () => undefined,
    };
  }
  const server = await useOrStartEmbeddedPostgres({
    dataDir: config.dataDir,
    name: 'badge',
    log: createLog(config.logLevel),
  });
  if (server === null) throw new ArchiveError(`there is no database in ${config.dataDir}`);
  const { connection, hasStartedServer, end } = server;
  return { connection, mayBeServed: !hasStartedServer, end: () => end() };
}

async function inSnapshot<T>(database: Database, work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
  return await database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await removeTimeLimits(tx);
      return await work(tx);
    });
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
  const tar = await createTar(part);
  try {
    const files: FileEntry[] = [];
    const pictures: { file: string; assetId: string }[] = [];
    for (const noun of NOUNS) {
      const pieces = readLines(tx, noun, (rows) => {
        if (noun.name === 'pictures') pictures.push(...rows.map(toPicture));
      });
      files.push(await addFile(tar, fileOf(noun), pieces, progress));
    }
    for (const { file, assetId } of pictures) {
      const entry = await addFile(tar, file, toPieces(readAssetPieces(tx, assetId)), progress);
      files.push({ ...entry, lines: null });
    }
    const manifest: Manifest = {
      format: 'badge',
      formatVersion: FORMAT_VERSION,
      serviceVersion: VERSION,
      scope: 'installation',
      deployment,
      keys: checkKeysOf(config),
      files,
    };
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await addFile(tar, MANIFEST_FILE, [{ bytes, lines: 0 }], progress);
    await tar.end();
    return manifest;
  } finally {
    await tar.close();
  }
}

function toPicture(row: Row): { file: string; assetId: string } {
  const { asset_id: assetId, content_type: contentType } = row as { asset_id: string; content_type: string };
  return { file: pictureFileOf({ assetId, contentType }), assetId };
}

interface Piece {
  bytes: Buffer;
  lines: number;
}

async function* readLines(
  tx: DatabaseTransaction,
  noun: Noun,
  onRows: (rows: Row[]) => void,
): AsyncGenerator<Piece> {
  const write = (rows: Row[]) => Buffer.from(rows.map((row) => `${toLine(noun, row)}\n`).join(''));
  for await (const { rows, bytes } of readRows(tx, rowsOf(noun), write)) {
    onRows(rows);
    yield { bytes, lines: rows.length };
  }
}

async function* toPieces(content: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  for await (const bytes of content) yield { bytes, lines: 0 };
}

async function addFile(
  tar: TarWriter,
  name: string,
  pieces: AsyncIterable<Piece> | Piece[],
  progress: Progress,
): Promise<FileEntry> {
  const hash = createHash('sha256');
  const entry = { name, lines: 0, bytes: 0 };
  async function* watch() {
    for await (const { bytes, lines } of pieces) {
      hash.update(bytes);
      entry.bytes += bytes.length;
      entry.lines += lines;
      progress.report(`${name}: ${entry.lines} lines, ${entry.bytes} bytes`);
      yield bytes;
    }
  }
  await tar.add(name, watch());
  return { ...entry, sha256: hash.digest('hex') };
}
