import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BadgeImport, LIMITS } from '@badge/protocol';
import { ArchiveError } from '../../archive/tar.ts';
import { type Arrival, ArrivalError, type ArrivalSource, type Place } from '../../arrivals/arrival.ts';
import type { Context } from '../../context.ts';
import type { Encryption } from '../../encryption.ts';
import { type Address, parseAddress } from '../../signatures/address.ts';
import {
  type ExportParameters,
  failExport,
  finishExport,
  finishImport,
  type ImportParameters,
  releaseTransfer,
  renewTransfer,
  type TransferFile,
  type TransferProgress,
  type TransferTurn,
} from '../../storage/transfers.ts';
import { requireEncryption } from '../require-encryption.ts';
import { insertTransferFile, readTransferFile } from '../transfer-files.ts';
import { makeTransferFolder } from '../transfer-folders.ts';
import type { UploadedFile } from '../uploaded-file.ts';

// Also how soon a caller sees how far it has come.
const RENEWAL_MS = 2_000;
// Then the transfer probably ends each process that does it.
const MAX_ATTEMPTS = 5;
const READ_BYTES = 1024 * 1024;

/** What becomes of a line. */
export interface ImportedLine {
  place: Place;
  outcome: 'imported' | 'skipped' | 'problem';
  /** Without personal data. */
  detail: string;
}

/** The parts that do the work. */
export interface TransferParts {
  /** Writes the archive of a community to a new file. */
  writeArchive(
    file: string,
    work: ExportParameters & {
      communityId: string;
      /** How much of it is written, from 0 to 1. */
      onProgress: (part: number) => void;
      signal: AbortSignal;
    },
  ): Promise<void>;
  /** Reads a file in the form of a format. */
  readArrivals(
    format: ImportParameters['format'],
    source: Omit<ArrivalSource, 'fetchUrl'>,
  ): AsyncIterable<Arrival>;
  /** Writes what has arrived. */
  importArrivals(
    arrivals: AsyncIterable<Arrival>,
    work: {
      communityId: string;
      /** The address of the member who imports; null if a key was used. */
      importer: Address | null;
      isDryRun: boolean;
      onLine: (line: ImportedLine) => void;
      signal: AbortSignal;
    },
  ): Promise<unknown>;
}

/**
 * Does a transfer, in a folder of its own in the system's temporary directory. Errors that another attempt
 * would meet too end it; after others, another attempt follows when the lease ends. `stopping`: the process
 * stops, and another one begins the transfer again.
 */
export async function runTransfer(
  context: Context,
  turn: TransferTurn,
  { parts, stopping }: { parts: TransferParts; stopping: AbortSignal },
): Promise<void> {
  const { database } = context;
  const encryption = requireEncryption(context);
  const progress: TransferProgress = { percent: null, lines: 0, imported: 0, skipped: 0, problems: 0 };
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const renewals = startRenewals(context, { turn, progress, onLost: () => lost.abort() });
  const folder = await makeTransferFolder();
  try {
    const run = { turn, encryption, parts, folder, progress, signal };
    if (turn.work.kind === 'export') await runExport(context, { ...run, parameters: turn.work.parameters });
    else await runImport(context, { ...run, ...turn.work });
  } catch (error) {
    if (!signal.aborted) throw error;
    if (stopping.aborted) await releaseTransfer(database, turn);
  } finally {
    await renewals.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Run {
  turn: TransferTurn;
  encryption: Encryption;
  parts: TransferParts;
  folder: string;
  progress: TransferProgress;
  signal: AbortSignal;
}

async function runExport(
  context: Context,
  { turn, encryption, parts, folder, progress, signal, parameters }: Run & { parameters: ExportParameters },
): Promise<void> {
  const path = join(folder, 'archive.tar');
  const { communityId } = turn;
  const onProgress = (part: number) => {
    progress.percent = Math.min(99, Math.floor(part * 100));
  };
  const failure = await findFailure(context, { turn, signal, folder }, () =>
    parts.writeArchive(path, { ...parameters, communityId, onProgress, signal }),
  );
  if (failure !== null) {
    await failExport(context.database, turn, failure);
    return;
  }
  const file = await openLocalFile(path, signal);
  try {
    await context.transaction(async (tx) => {
      const assetId = await insertTransferFile(tx, encryption, file);
      // Without the lease, nothing is stored.
      if (!(await finishExport(tx, turn, assetId))) throw new Error('another worker makes the export');
    });
  } finally {
    await file.close();
  }
}

async function runImport(
  context: Context,
  run: Run & { parameters: ImportParameters; file: TransferFile },
): Promise<void> {
  const { turn, encryption, parts, folder, progress, signal, parameters, file } = run;
  const { format, isDryRun, mapping, extension, importer } = parameters;
  const problems: BadgeImport['problems'] = [];
  const plan: NonNullable<BadgeImport['plan']> = [];
  const onLine = ({ place, outcome, detail }: ImportedLine) => {
    const line = String(place);
    progress.lines += 1;
    progress[outcome === 'problem' ? 'problems' : outcome] += 1;
    if (outcome === 'problem' && problems.length < LIMITS.importProblems) problems.push({ line, detail });
    if (isDryRun && plan.length < LIMITS.importProblems) plan.push({ line, outcome, detail });
  };
  const name = `file${extension}`;
  const path = join(folder, name);
  const failure = await findFailure(context, { turn, signal, folder }, async () => {
    const target = await open(path, 'wx', 0o600);
    await pipeline(readTransferFile(context.database, encryption, file), target.createWriteStream());
    const arrivals = parts.readArrivals(format, {
      name,
      path,
      mapping,
      picturesFolder: null,
    });
    const { communityId } = turn;
    const address = importer === null ? null : parseAddress(`0x${importer}`);
    await parts.importArrivals(arrivals, { communityId, importer: address, isDryRun, onLine, signal });
  });
  signal.throwIfAborted();
  await context.transaction((tx) =>
    finishImport(tx, turn, { progress, problems, plan: isDryRun ? plan : null, error: failure }),
  );
}

/**
 * Runs `work`, and returns the sentence of an error that another attempt would meet too; null if there is
 * none.
 */
async function findFailure(
  { log }: Context,
  { turn: { transferId, attempt }, signal, folder }: Pick<Run, 'turn' | 'signal' | 'folder'>,
  work: () => Promise<void>,
): Promise<string | null> {
  const tooOften = `It was tried ${MAX_ATTEMPTS} times, and failed each time. Ask the operator of the service.`;
  // An attempt that ended its process has reported nothing.
  if (attempt > MAX_ATTEMPTS) return tooOften;
  try {
    await work();
    return null;
  } catch (error) {
    // A message can name the file.
    if (error instanceof ArrivalError || error instanceof ArchiveError)
      return toSentence(error.message.replaceAll(`${folder}/`, ''));
    if (signal.aborted || attempt < MAX_ATTEMPTS) throw error;
    log.error({ err: error, transferId }, 'a transfer has failed too often');
    return tooOften;
  }
}

function toSentence(message: string): string {
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  return text.endsWith('.') ? text : `${text}.`;
}

/** Renews the lease until it is stopped. */
function startRenewals(
  { database, log }: Context,
  { turn, progress, onLost }: { turn: TransferTurn; progress: TransferProgress; onLost: () => void },
): { stop(): Promise<void> } {
  let renewal = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renewal
      .then(async () => {
        if (!(await renewTransfer(database, turn, progress))) onLost();
      })
      // The lease outlasts many failures.
      .catch((error: unknown) => log.warn({ err: error }, 'the lease of a transfer could not be renewed'));
  }, RENEWAL_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await renewal;
    },
  };
}

/** Opens a file. Its reads reject if the signal aborts. */
async function openLocalFile(
  path: string,
  signal: AbortSignal,
): Promise<UploadedFile & { close(): Promise<void> }> {
  const file = await open(path, 'r');
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const read = async (position: number, length: number) => {
    signal.throwIfAborted();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  for (let bytes = await read(0, READ_BYTES); bytes.length > 0; bytes = await read(sizeBytes, READ_BYTES)) {
    hash.update(bytes);
    sizeBytes += bytes.length;
  }
  return { sizeBytes, hash: hash.digest(), read, close: () => file.close() };
}
