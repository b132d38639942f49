import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { createLog } from '../log.ts';
import { prepareDatabase } from '../prepare-database.ts';
import {
  allowMemory,
  analyzeTables,
  checkConstraints,
  continueNumbering,
  countRows,
  countServiceSessions,
  deferConstraints,
  deleteRows,
  dropIndexes,
  findFilledTable,
  inSavepoint,
  insertRows,
  type Row,
  removeTimeLimits,
} from '../storage/archive.ts';
import { insertAssetPiece, PIECE_BYTES } from '../storage/assets.ts';
import { type Database, type DatabaseTransaction, openDatabase } from '../storage/database.ts';
import { recordDeployment } from '../storage/deployment.ts';
import { createReplacement } from '../storage/replacement.ts';
import { checkConfiguration, checkFiles, readManifest } from './check-archive.ts';
import { fileOf, pictureFileOf, toRow } from './lines.ts';
import type { Manifest } from './manifest.ts';
import { NOUNS, type Noun } from './nouns.ts';
import type { Progress } from './progress.ts';
import { type Line, readLines } from './read-lines.ts';
import { ArchiveError, openTar, type TarReader } from './tar.ts';
import { NOUNS_OF_THREAD, type Verification, verifyInThread } from './verify-in-thread.ts';
import { createVerifier } from './verify-signatures.ts';

const CHUNK_ROWS = 4_000;
const CHUNK_BYTES = 4 * 1024 * 1024;
// The sessions of the migration end a moment after it.
const SESSIONS_WAIT_MS = 2_000;
const POLL_MS = 50;

/** The values of the columns that no archive has, and that have no default. */
const MISSING: Record<string, Row> = {
  pictures: { piece_bytes: PIECE_BYTES },
  // As if it was made with a lost key: nothing is sent until an owner makes another one.
  webhooks: { encrypted_secret: '\\x' },
};

/**
 * Reads an archive into the empty database of this configuration: all of it, or nothing. Returns its
 * manifest. Throws `ArchiveError` if the archive, the configuration or the database is not right.
 */
export async function importInstallation(
  config: Config,
  file: string,
  { progress }: { progress: Progress },
): Promise<Manifest> {
  const tar = await openTar(file);
  try {
    const manifest = await readManifest(tar);
    checkConfiguration(manifest, config);
    await checkFiles(tar, manifest, { needed: NOUNS.map(fileOf), progress });
    const advance = createAdvance(manifest, progress);
    await inEmptyDatabase(config, async (database) => {
      const { deployment } = manifest;
      const verification = verifyInThread({ file, deployment }, (bytes) =>
        advance('verifying signatures', bytes),
      );
      try {
        await database.transaction().execute(async (tx) => {
          await removeTimeLimits(tx);
          await allowMemory(tx);
          // A service that is started meanwhile waits for the end of this transaction.
          await recordDeployment(tx, deployment);
          await refuseFilled(tx);
          await importFiles(tx, { tar, manifest, verification, advance });
          await verification.ended;
        });
      } finally {
        await verification.stop();
      }
      await analyzeTables(database);
    });
    return manifest;
  } finally {
    await tar.close();
  }
}

async function inEmptyDatabase(config: Config, work: (database: Database) => Promise<void>): Promise<void> {
  const log = createLog(config.logLevel);
  const onDatabaseError = (error: unknown) => log.warn({ err: error });
  const prepared = await prepareDatabase(config, { log, onDatabaseError, replacement: createReplacement() });
  const database = openDatabase(prepared.connection, onDatabaseError, {
    connections: 1,
    statementTimeoutMs: 0,
  });
  try {
    const deadlineMs = performance.now() + SESSIONS_WAIT_MS;
    while ((await countServiceSessions(database)) > 0) {
      if (performance.now() >= deadlineMs)
        throw new ArchiveError('a service uses the database: stop it before the import');
      await wait(POLL_MS);
    }
    await work(database);
  } finally {
    await database.destroy();
    await prepared.close();
  }
}

async function refuseFilled(tx: DatabaseTransaction): Promise<void> {
  const tables = NOUNS.filter(({ isReplaced }) => isReplaced !== true).map(({ table }) => table);
  const filled = await findFilledTable(tx, tables);
  if (filled !== undefined)
    throw new ArchiveError(
      `the database is not empty (there are rows in ${filled}): set BADGE_DATA_DIR or DATABASE_URL to an empty one`,
    );
}

type Advance = (what: string, bytes: number) => void;

/** Returns what reports that so many further bytes were imported or verified. */
function createAdvance({ files }: Manifest, progress: Progress): Advance {
  const verified = NOUNS_OF_THREAD.map(fileOf);
  const total = files.reduce((sum, { name, bytes }) => sum + bytes * (verified.includes(name) ? 2 : 1), 0);
  let done = 0;
  return (what, bytes) => {
    done += bytes;
    progress.report(what, { done, total });
  };
}

interface Import {
  tar: TarReader;
  manifest: Manifest;
  verification: Verification;
  advance: Advance;
}

async function importFiles(
  tx: DatabaseTransaction,
  { tar, manifest, verification, advance }: Import,
): Promise<void> {
  for (const noun of NOUNS) {
    const name = fileOf(noun);
    if (noun.isReplaced) await deleteRows(tx, noun.table);
    const makeIndexes = await dropIndexes(tx, noun.table);
    await deferConstraints(tx);
    const verify = NOUNS_OF_THREAD.includes(noun)
      ? undefined
      : createVerifier(noun.name, manifest.deployment);
    const chunks = inChunks(readLines(noun, tar.read(name), verify));
    await insertChunks(chunks, async (lines) => {
      verification.check();
      await insertLines(tx, noun, lines);
      if (noun.name === 'pictures') for (const line of lines) await insertPicture(tx, tar, line);
      advance(
        `importing ${name}`,
        lines.reduce((sum, { bytes }) => sum + bytes, 0),
      );
    });
    await checkConstraints(tx);
    await makeIndexes();
    if (noun.numbered !== undefined) await continueNumbering(tx, noun.table, noun.numbered);
  }
  // Triggers write other tables, too.
  for (const noun of NOUNS) {
    const expected = manifest.files.find(({ name }) => name === fileOf(noun))?.lines;
    const rows = await countRows(tx, noun.table);
    if (rows !== expected)
      throw new ArchiveError(`${fileOf(noun)} has ${rows} lines, and ${expected} in the manifest`);
  }
  await checkPictures(tx, manifest);
}

async function* inChunks(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let chunk: Line[] = [];
  let bytes = 0;
  for await (const line of lines) {
    chunk.push(line);
    bytes += line.bytes;
    if (chunk.length < CHUNK_ROWS && bytes < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** Inserts each chunk while the next one is read. */
async function insertChunks(
  chunks: AsyncIterable<Line[]>,
  insert: (lines: Line[]) => Promise<void>,
): Promise<void> {
  let inserting = Promise.resolve();
  try {
    for await (const lines of chunks) {
      await inserting;
      inserting = insert(lines);
      // The next `await` throws it.
      inserting.catch(() => undefined);
    }
  } finally {
    await inserting;
  }
}

/** Inserts lines. If the database refuses them, finds the line that it refuses. */
async function insertLines(tx: DatabaseTransaction, noun: Noun, lines: Line[]): Promise<void> {
  const rows = lines.map(({ fields }) => ({ ...toRow(noun, fields), ...MISSING[noun.name] }));
  try {
    await inSavepoint(tx, () => insertRows(tx, noun.table, rows));
  } catch (error) {
    const [first, ...others] = lines;
    if (first === undefined || !isRefusal(error)) throw error;
    if (others.length === 0)
      throw new ArchiveError(`${fileOf(noun)}, line ${first.number}: ${error.message}`, { cause: error });
    const half = Math.ceil(lines.length / 2);
    await insertLines(tx, noun, lines.slice(0, half));
    await insertLines(tx, noun, lines.slice(half));
  }
}

// Classes of PostgreSQL: a value that is wrong, and a row that violates a constraint.
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code));
}

async function insertPicture(
  tx: DatabaseTransaction,
  tar: TarReader,
  { number, fields }: Line,
): Promise<void> {
  const { assetId, contentType, sha256, sizeBytes } = fields as Record<string, string>;
  const picture = { assetId: assetId ?? '', contentType: contentType ?? '' };
  const hash = createHash('sha256');
  let piece = 0;
  let size = 0;
  for await (const bytes of tar.read(pictureFileOf(picture))) {
    await insertAssetPiece(tx, { assetId: picture.assetId, piece, bytes });
    hash.update(bytes);
    size += bytes.length;
    piece += 1;
  }
  if (`0x${hash.digest('hex')}` !== sha256 || size !== Number(sizeBytes))
    throw new ArchiveError(`pictures.ndjson, line ${number}: ${pictureFileOf(picture)} has another content`);
}

async function checkPictures(tx: DatabaseTransaction, { files }: Manifest): Promise<void> {
  const pictures = files.filter(({ lines }) => lines === null).length;
  if ((await countRows(tx, 'assets')) !== pictures)
    throw new ArchiveError('the archive has pictures that no line of pictures.ndjson names');
}
