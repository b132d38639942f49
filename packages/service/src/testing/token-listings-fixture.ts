import { createDatabase } from '@badge/test-support/databases';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { type Database, openDatabase } from '../storage/database.ts';

export async function insertCommunities(database: Database): Promise<void> {
  await sql`
    insert into communities (community_id, display_id, name, description)
    values ('a', '', '', ''), ('b', '', '', '')`.execute(database);
}

export interface TestToken {
  tokenId: number;
  communityId: string;
  headline: string;
  isHidden: boolean;
  attributes: { fieldName: string; value: string | number | boolean }[];
}

export async function insert(database: Database, tokens: TestToken[]): Promise<void> {
  await sql`
    with token as materialized (
      select *, gen_random_uuid() as operation_id
      from jsonb_to_recordset(${JSON.stringify(tokens)}::jsonb) as t (
        "tokenId" bigint, "communityId" text, headline text, "isHidden" boolean, attributes jsonb
      )
    ), operation as (
      insert into operations (operation_id, operation_type, community_id, request_bytes)
      select operation_id, 'createToken', "communityId", 0 from token
    )
    insert into tokens (
      token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
      is_signature_required, is_allowlist_required, custom_attributes, signature, created_at, is_hidden
    )
    select "tokenId", operation_id, "communityId", decode(repeat('00', 20), 'hex'), headline, '', '[]', '',
           false, true, attributes, '', now(), "isHidden"
    from token`.execute(database);
}

export async function setHidden(database: Database, tokenIds: number[], isHidden: boolean): Promise<void> {
  await sql`update tokens set is_hidden = ${isHidden} where token_id = any(${tokenIds}::bigint[])`.execute(
    database,
  );
}

/** Returns the ids of a page, by a query that reads all tokens. */
export async function listExpectedIds(
  database: Database,
  where: ReturnType<typeof sql>,
  { order, limit, offset }: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<number[]> {
  const { rows } = await sql<{ token_id: number }>`
    select token_id from tokens where ${where}
    order by token_id ${sql.raw(order)} limit ${limit} offset ${offset}`.execute(database);
  return rows.map(({ token_id }) => token_id);
}

export const idsOf = (rows: { token_id: number }[]) => rows.map(({ token_id }) => token_id);

/** Opens a database with two communities before the tests, and closes it after. */
export function tokenListingsFixture() {
  let databaseUrl: string;
  let db: Database;

  beforeAll(async () => {
    databaseUrl = await createDatabase();
    db = openDatabase({ connectionString: databaseUrl }, () => undefined);
    await insertCommunities(db);
  });
  afterAll(() => db.destroy());

  return {
    get databaseUrl() {
      return databaseUrl;
    },
    get db() {
      return db;
    },
  };
}
