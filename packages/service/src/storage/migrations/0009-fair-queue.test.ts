import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { createFairBatches } from '../../worker/fair-batches.ts';
import { openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { MIGRATIONS } from './migrations.ts';

const ADDRESS = 'ab'.repeat(20);
const TOKEN = {
  creator: ADDRESS,
  headline: 'before',
  description: '',
  links: [],
  nftTypeId: 'defaultOrangeRed',
  isSignatureRequired: false,
  isAllowlistRequired: true,
  customAttributes: [],
  signature: '22'.repeat(65),
  contributors: [{ key: ADDRESS }, { key: '0c'.repeat(32), identifier: 'ada' }],
};

test('the migration keeps pending operations, allowlists, and the constraints of allowlists and claims', async () => {
  const url = await createDatabase('empty');
  const db = openDatabase({ connectionString: url }, () => undefined);
  try {
    await new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } }).migrateTo(
      '0008-signatures',
    );
    await query(
      url,
      `insert into communities (community_id, display_id, name, description) values ('demo', 'demo', '', '')`,
    );
    const accept = async (type: string) => {
      const [row] = await query<{ operation_id: string }>(
        url,
        `insert into operations (operation_id, operation_type, community_id, request, request_bytes)
         values (gen_random_uuid(), $1, 'demo', $2, 100) returning operation_id`,
        [type, JSON.stringify(TOKEN)],
      );
      return row?.operation_id ?? '';
    };
    const [settled, pending, claim] = [
      await accept('createToken'),
      await accept('createToken'),
      await accept('claim'),
    ];
    // As the release with this schema wrote it.
    await query(
      url,
      `insert into tokens (token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
         is_signature_required, is_allowlist_required, custom_attributes, signature, created_at)
       select 1, operation_id, 'demo', decode($2, 'hex'), 'before', '', '[]', 'defaultOrangeRed', false, true, '[]', '',
         created_at
       from operations where operation_id = $1`,
      [settled, ADDRESS],
    );
    await query(url, 'update token_counter set last_token_id = 1');
    await query(
      url,
      `insert into allowlist_entries (token_id, contributor_key, identifier, position, added_at)
       select 1, decode(c.value->>'key', 'hex'), c.value->>'identifier', c.position, now()
       from jsonb_array_elements($1::jsonb) with ordinality as c (value, position)`,
      [JSON.stringify(TOKEN.contributors)],
    );
    const addClaim = `insert into claims (token_id, address, contributor_key, operation_id, claimed_at)
      values (1, $1, $2, $3, now())`;
    const bytes = Buffer.from(ADDRESS, 'hex');
    await query(url, addClaim, [bytes, bytes, claim]);
    await query(
      url,
      `update operations set status = 'success', resource_id = 1, completed_at = now()
       where operation_id in ($1, $2)`,
      [settled, claim],
    );

    expect(await migrate(db)).toContain('0009-fair-queue');

    const { operations } = await db.transaction().execute((tx) => createFairBatches().take(tx));
    expect(operations.map(({ operationId }) => operationId)).toEqual([pending]);
    const entries = 'select token_id::integer, position from allowlist_entries order by position';
    expect(await query(url, entries)).toEqual([
      { token_id: 1, position: 1 },
      { token_id: 1, position: 2 },
    ]);
    const addEntry = `insert into allowlist_entries (token_id, contributor_key, position, added_at)
      values ($1, $2, 3, now())`;
    await expect(query(url, addEntry, [1, bytes])).rejects.toThrow('duplicate key');
    await expect(query(url, addEntry, [2, bytes])).rejects.toThrow('an allowlist entry has no token');
    await expect(query(url, 'update allowlist_entries set token_id = 2 where position = 2')).rejects.toThrow(
      'has no token',
    );
    const unlisted = Buffer.alloc(20, 1);
    await expect(query(url, addClaim, [unlisted, unlisted, pending])).rejects.toThrow('foreign key');
  } finally {
    await db.destroy();
  }
});
