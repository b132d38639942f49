import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // The size of an asset that was removed, and when. PostgreSQL can use its disk space again only after a vacuum, so
  // there is also a limit for the assets that were removed in the last minutes.
  await sql`
    alter table nft_types add column removed_bytes bigint, add column removed_at timestamptz(3)`.execute(db);
  await sql`
    create index nft_types_removed on nft_types (community_id, removed_at) where removed_at is not null`.execute(
    db,
  );
  // A vacuum is due when about 20 MB are dead, however much is stored. A piece has up to 256 KiB. Its content is in the TOAST
  // table, in rows of about 2 KB.
  await sql`
    alter table asset_pieces set (
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 80,
      toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000
    )`.execute(db);
}
