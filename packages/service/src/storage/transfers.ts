import type { BadgeImport, CommunityExport } from '@badge/protocol';
import { type Selectable, sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';
import type { Tables } from './schema.ts';

// A transfer is accepted with its operation, and done later by one worker at a time. The row is its place in
// the queue (docs/decisions/0054-queues-are-rows.md).

export type TransferRow = Selectable<Tables['transfers']>;
export type TransferKind = TransferRow['kind'];

/** What was asked of an export. */
export interface ExportParameters {
  people: CommunityExport['people'];
  recipientKey: string | null;
}

/** What was asked of an import. */
export interface ImportParameters {
  format: BadgeImport['format'];
  isDryRun: boolean;
  /** Of a CSV: the column of each field. Of others: how they are read. */
  mapping: Record<string, string>;
  /** The ending of the file's name, such as `.csv`, or an empty text. */
  extension: string;
  /** The address of the member who imports, in hex; null if a key was used. */
  importer: string | null;
}

/** How long a result, and the file of an export, can be read. docs/api.md states it. */
const KEPT_FOR = sql.lit('24 hours');
// Its operation is settled sooner, or the process was killed before it accepted one.
const ACCEPTED_FOR = sql.lit('1 hour');
/** The files of how many exports of a community are kept. docs/api.md states it. */
const KEPT_EXPORTS = sql.lit(3);
// A worker renews its lease every few seconds.
const LEASE = sql.lit('60 seconds');

const IS_UNFINISHED = sql<boolean>`status in ('accepted', 'pending', 'processing')`;

/** Counts the transfers of a community that are not finished. */
export async function countUnfinishedTransfers(db: Database, communityId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from transfers
    where community_id = ${communityId} and ${IS_UNFINISHED} and expires_at > now()`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Adds a transfer, whose operation is accepted next. Returns its id. */
export async function insertTransfer(
  tx: DatabaseTransaction,
  {
    kind,
    communityId,
    parameters,
    assetId,
  }: {
    kind: TransferKind;
    communityId: string;
    parameters: ExportParameters | ImportParameters;
    assetId: string | null;
  },
): Promise<number> {
  const { rows } = await sql<{ transfer_id: number }>`
    insert into transfers (kind, community_id, parameters, asset_id, expires_at)
    values (
      ${kind}, ${communityId}, ${JSON.stringify(parameters)}::jsonb, ${assetId}::uuid,
      now() + interval ${ACCEPTED_FOR}
    )
    returning transfer_id`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('an insert returned no row');
  return row.transfer_id;
}

/** Puts accepted transfers into the queue. Returns the ids of those that exist. */
export async function queueTransfers(tx: DatabaseTransaction, transferIds: number[]): Promise<number[]> {
  const { rows } = await sql<{ transfer_id: number }>`
    with locked as materialized (
      select transfer_id from transfers where transfer_id = any(${transferIds}::bigint[]) and status = 'accepted'
      order by transfer_id for update
    )
    update transfers t set status = 'pending', expires_at = now() + interval ${KEPT_FOR}
    from locked where t.transfer_id = locked.transfer_id
    returning t.transfer_id`.execute(tx);
  return rows.map((row) => row.transfer_id);
}

/** Deletes transfers with their files. */
async function deleteTransfers(tx: DatabaseTransaction, transferIds: number[]): Promise<void> {
  const { rows } = await sql<{ asset_id: string | null }>`
    delete from transfers where transfer_id = any(${transferIds}::bigint[]) returning asset_id`.execute(tx);
  await deleteFiles(
    tx,
    rows.map((row) => row.asset_id),
  );
}

async function deleteFiles(tx: DatabaseTransaction, assetIds: (string | null)[]): Promise<void> {
  const stored = assetIds.filter((id) => id !== null);
  if (stored.length > 0) await tx.deleteFrom('assets').where('asset_id', 'in', stored).execute();
}

/** Deletes a transfer, unless an operation with it was accepted. */
export async function withdrawTransfer(
  tx: DatabaseTransaction,
  { communityId, transferId }: { communityId: string; transferId: number },
): Promise<void> {
  const { rows } = await sql`
    select from transfers t
    where transfer_id = ${transferId}::bigint and status = 'accepted' and not exists (
      select from operations o
      where o.community_id = ${communityId} and o.operation_type = t.kind and o.status in ('pending', 'processing')
        and (o.request->>'transferId')::bigint = t.transfer_id
    ) for update`.execute(tx);
  if (rows.length > 0) await deleteTransfers(tx, [transferId]);
}

/** Deletes up to `limit` transfers that have expired, and returns how many. */
export async function deleteExpiredTransfers(tx: DatabaseTransaction, limit: number): Promise<number> {
  const { rows } = await sql<{ transfer_id: number }>`
    select transfer_id from transfers
    where expires_at <= now() and (leased_until is null or leased_until <= now())
    order by expires_at limit ${limit}::bigint for update skip locked`.execute(tx);
  await deleteTransfers(
    tx,
    rows.map((row) => row.transfer_id),
  );
  return rows.length;
}

/** A transfer whose operation is settled, and its file. */
export type FoundTransfer = TransferRow & { size_bytes: number | null; content_hash: Buffer | null };

/** Finds a transfer of a community, unless its operation is not settled, or it has expired. */
export async function findTransfer(
  db: Database,
  { kind, communityId, transferId }: { kind: TransferKind; communityId: string; transferId: number },
): Promise<FoundTransfer | undefined> {
  return await db
    .selectFrom('transfers')
    .leftJoin('assets', 'assets.asset_id', 'transfers.asset_id')
    .selectAll('transfers')
    .select(['size_bytes', 'content_hash'])
    .where('transfer_id', '=', transferId)
    .where('community_id', '=', communityId)
    .where('kind', '=', kind)
    .where('status', '<>', 'accepted')
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** The file of a transfer, as it is stored. */
export interface TransferFile {
  assetId: string;
  sizeBytes: number;
}

/** Finds the file of an export for its next download, and with `isUsed` counts the download. */
export async function takeDownload(
  db: Database,
  { transferId, downloadCount, isUsed }: { transferId: number; downloadCount: number; isUsed: boolean },
): Promise<(TransferFile & { communityId: string; hash: Buffer }) | undefined> {
  const { rows } = await sql<{
    asset_id: string;
    size_bytes: number;
    content_hash: Buffer;
    community_id: string;
  }>`
    update transfers t set download_count = download_count + ${isUsed ? 1 : 0} from assets a
    where t.transfer_id = ${transferId}::bigint and t.download_count = ${downloadCount}::bigint and t.kind = 'export'
      and t.status = 'success' and t.expires_at > now() and a.asset_id = t.asset_id
    returning a.asset_id, a.size_bytes, a.content_hash, t.community_id`.execute(db);
  const [row] = rows;
  return (
    row && {
      assetId: row.asset_id,
      sizeBytes: row.size_bytes,
      hash: row.content_hash,
      communityId: row.community_id,
    }
  );
}

/** A transfer that this process does. */
export interface TransferTurn {
  transferId: number;
  communityId: string;
  /** The number of this attempt, from 1. */
  attempt: number;
  work:
    | { kind: 'export'; parameters: ExportParameters }
    | { kind: 'import'; parameters: ImportParameters; file: TransferFile };
}

/**
 * Takes up to `limit` transfers: the oldest of each community, so that only one of each is done at a time.
 * Until the end of the lease, no other worker does them.
 */
export async function takeTransfers(db: Database, limit: number): Promise<TransferTurn[]> {
  const { rows } = await prepared<{
    transfer_id: number;
    kind: TransferKind;
    community_id: string;
    parameters: object;
    attempt_count: number;
    asset_id: string | null;
    size_bytes: number | null;
  }>`
    with due as materialized (
      select t.transfer_id from transfers t
      where t.status in ('pending', 'processing') and (t.leased_until is null or t.leased_until <= now())
        and not exists (
          select from transfers o where o.community_id = t.community_id and o.transfer_id < t.transfer_id
            and o.status in ('pending', 'processing')
        )
      order by t.transfer_id limit ${limit}::bigint for no key update skip locked
    )
    update transfers t set status = 'processing', leased_until = now() + interval ${LEASE},
      expires_at = now() + interval ${KEPT_FOR}, attempt_count = attempt_count + 1,
      percent = null, line_count = 0, imported_count = 0, skipped_count = 0, problem_count = 0
    from due where t.transfer_id = due.transfer_id
    returning t.transfer_id, t.kind, t.community_id, t.parameters, t.attempt_count, t.asset_id,
      (select size_bytes from assets a where a.asset_id = t.asset_id) as size_bytes`.execute(db);
  return rows.map((row): TransferTurn => {
    const { transfer_id: transferId, community_id: communityId, attempt_count: attempt } = row;
    const { asset_id: assetId, size_bytes: sizeBytes } = row;
    if (row.kind === 'export') {
      const parameters = row.parameters as ExportParameters;
      return { transferId, communityId, attempt, work: { kind: 'export', parameters } };
    }
    if (assetId === null || sizeBytes === null) throw new Error(`import ${transferId} has no file`);
    const parameters = row.parameters as ImportParameters;
    return {
      transferId,
      communityId,
      attempt,
      work: { kind: 'import', parameters, file: { assetId, sizeBytes } },
    };
  });
}

/** How far a transfer has come. */
export interface TransferProgress {
  percent: number | null;
  lines: number;
  imported: number;
  skipped: number;
  problems: number;
}

type Attempt = Pick<TransferTurn, 'transferId' | 'attempt'>;

// SQL: the transfer, if this attempt still has it.
const isOwn = ({ transferId, attempt }: Attempt) =>
  sql`transfer_id = ${transferId}::bigint and attempt_count = ${attempt}::bigint and status = 'processing'`;

/** Renews the lease, and records how far the transfer has come. False: another worker has taken it over. */
export async function renewTransfer(
  db: Database,
  turn: Attempt,
  { percent, lines, imported, skipped, problems }: TransferProgress,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update transfers set leased_until = now() + interval ${LEASE}, percent = ${percent}::bigint,
      line_count = ${lines}::bigint, imported_count = ${imported}::bigint, skipped_count = ${skipped}::bigint,
      problem_count = ${problems}::bigint
    where ${isOwn(turn)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Gives a transfer back, so that it is begun again at once. The attempt does not count. */
export async function releaseTransfer(db: Database, turn: Attempt): Promise<void> {
  await sql`
    update transfers set leased_until = null, attempt_count = attempt_count - 1
    where ${isOwn(turn)}`.execute(db);
}

/**
 * Ends an export with its file, and deletes all but the latest exports of the community. False: another
 * worker has taken it over.
 */
export async function finishExport(
  tx: DatabaseTransaction,
  turn: TransferTurn,
  assetId: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update transfers set status = 'success', completed_at = now(), expires_at = now() + interval ${KEPT_FOR},
      leased_until = null, percent = 100, asset_id = ${assetId}::uuid
    where ${isOwn(turn)}`.execute(tx);
  if (numAffectedRows !== 1n) return false;
  const { rows } = await sql<{ transfer_id: number }>`
    select transfer_id from transfers
    where community_id = ${turn.communityId} and kind = 'export' and status = 'success'
    order by transfer_id desc offset ${KEPT_EXPORTS} for update`.execute(tx);
  await deleteTransfers(
    tx,
    rows.map((row) => row.transfer_id),
  );
  return true;
}

/** Ends an import, and deletes its file. Without `error`, it has succeeded. */
export async function finishImport(
  tx: DatabaseTransaction,
  turn: Attempt,
  {
    progress: { lines, imported, skipped, problems: problemCount },
    problems,
    plan,
    error,
  }: {
    progress: TransferProgress;
    problems: BadgeImport['problems'];
    plan: BadgeImport['plan'];
    error: string | null;
  },
): Promise<void> {
  const { rows } = await sql<{ asset_id: string | null }>`
    with own as materialized (select transfer_id, asset_id from transfers where ${isOwn(turn)} for update)
    update transfers t set status = ${error === null ? 'success' : 'error'}, error = ${error}, completed_at = now(),
      expires_at = now() + interval ${KEPT_FOR}, leased_until = null, asset_id = null,
      line_count = ${lines}::bigint, imported_count = ${imported}::bigint, skipped_count = ${skipped}::bigint,
      problem_count = ${problemCount}::bigint, problems = ${JSON.stringify(problems)}::jsonb,
      plan = ${plan === null ? null : JSON.stringify(plan)}::jsonb
    from own where t.transfer_id = own.transfer_id
    returning own.asset_id`.execute(tx);
  await deleteFiles(
    tx,
    rows.map((row) => row.asset_id),
  );
}

/** Ends an export that cannot be made. */
export async function failExport(db: Database, turn: Attempt, error: string): Promise<void> {
  await sql`
    update transfers set status = 'error', error = ${error}, completed_at = now(),
      expires_at = now() + interval ${KEPT_FOR}, leased_until = null
    where ${isOwn(turn)}`.execute(db);
}
