import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // The asset of a deleted type is deleted once nothing uses it. The type's row stays, so that its id is never reused.
  // is_asset_kept: the type is deleted, but a token shows the asset, so the asset stays forever.
  await sql`alter table nft_types alter column asset_id drop not null`.execute(db);
  await sql`alter table nft_types add column is_asset_kept boolean not null default false`.execute(db);
  await sql`
    alter table nft_types add constraint nft_types_asset_of_undeleted
    check (asset_id is not null or (deleted_at is not null and not is_asset_kept))`.execute(db);
  await sql`
    create index nft_types_to_collect on nft_types (sequence)
    where deleted_at is not null and asset_id is not null and not is_asset_kept`.execute(db);
  await sql`
    create index nft_types_with_asset on nft_types (community_id) where asset_id is not null`.execute(db);

  // To find the users of an asset: tokens and unfinished operations.
  await sql`
    create index tokens_by_nft_type on tokens (community_id, nft_type_id)
    where asset_content_type is not null`.execute(db);
  await sql`
    create index operations_by_nft_type on operations (community_id, (request ->> 'nftTypeId'))
    where status in ('pending', 'processing') and operation_type = 'createToken'
      and request ->> 'assetContentType' is not null`.execute(db);

  // The lock makes an accepted operation and the deletion of its type wait for each other, so that the deletion
  // sees every operation that uses the asset. A trigger takes it, because older releases also accept operations.
  await sql`
    create function lock_nft_type_of_operation() returns trigger language plpgsql as $$
    begin
      perform from nft_types
      where community_id = new.community_id and nft_type_id = new.request ->> 'nftTypeId' and deleted_at is null
      for key share;
      if not found then
        raise exception 'the NFT type was deleted meanwhile'
          using errcode = 'foreign_key_violation', constraint = 'operations_nft_type';
      end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger operations_lock_nft_type before insert on operations
    for each row when (new.operation_type = 'createToken' and new.request ->> 'assetContentType' is not null)
    execute function lock_nft_type_of_operation()`.execute(db);
}
