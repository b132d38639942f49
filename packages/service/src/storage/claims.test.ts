import { randomBytes } from 'node:crypto';
import { createDatabase } from '@badge/test-support/databases';
import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { toAddress } from '../signatures/address.ts';
import { insertBulkTokens, insertTwoCommunities } from '../testing/bulk-tokens.ts';
import { openDatabase } from './database.ts';
import { endClaims } from './ownership.ts';

test('burns lock claims in the order of their keys, whatever the order of the operations', async () => {
  const url = await createDatabase();
  const db = openDatabase({ connectionString: url }, () => undefined);
  onTestFinished(() => db.destroy());
  const address = toAddress(randomBytes(20));
  await insertTwoCommunities(db);
  const held = { communityId: 'a', isHidden: false, isListed: false, claim: 'held' } as const;
  // Token 2 comes first in the tables, and the operation that burns it has the lower id.
  await insertBulkTokens(db, address, [
    { ...held, tokenId: 2 },
    { ...held, tokenId: 1 },
  ]);
  const requests = [2, 1].map((tokenId) => ({
    operationId: `00000000-0000-4000-8000-00000000000${3 - tokenId}`,
    tokenId,
    address: address.toString('hex'),
  }));
  for (const { operationId, ...request } of requests) {
    await query(
      url,
      `insert into operations (operation_id, operation_type, community_id, request, request_bytes)
       values ($1, 'burn', 'a', $2, 0)`,
      [operationId, JSON.stringify(request)],
    );
  }

  const client = new pg.Client(url);
  await client.connect();
  await client.query('begin; select from claims where token_id = 1 for update');
  const burning = db.transaction().execute((tx) => endClaims(tx, requests, 'burnt'));
  await waitForBlockedStatements(url, 1);
  // The burns wait for the claim of token 1, so they have not locked that of token 2.
  await query(url, 'select from claims where token_id = 2 for update nowait');
  await client.end();
  expect(await burning).toEqual(new Set(requests.map(({ operationId }) => operationId)));
  expect(await query(url, 'select from claims where burnt_at is not null')).toHaveLength(2);
});
