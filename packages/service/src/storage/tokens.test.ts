import { createHash, randomBytes } from 'node:crypto';
import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toAddress } from '../signatures/address.ts';
import { newOperation, openDemoDatabase } from '../testing/demo-database.ts';
import type { Database } from './database.ts';
import { insertOperations, serializeRequest } from './operations.ts';
import { finishOperations, lockCandidates } from './queue.ts';
import { listTokens } from './token-listings.ts';
import {
  type AllowlistContributor,
  type CreateTokenRequest,
  findTokens,
  insertAllowlists,
  insertTokens,
  TOKEN_COLUMNS,
} from './tokens.ts';
import { listWalletTokens } from './wallet-listings.ts';

let url: string;
let db: Database;

beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
});
afterAll(async () => await db.destroy());
beforeEach(async () => {
  await query(url, 'truncate operations, token_list_entries, token_list_blocks, token_counts cascade');
  await query(url, 'update token_counter set last_token_id = 0');
});

const REQUEST: CreateTokenRequest = {
  creator: toAddress(Buffer.alloc(20, 0x11)),
  headline: 'A',
  description: '',
  startTimestamp: null,
  endTimestamp: null,
  links: [],
  nftTypeId: 'defaultOrangeRed',
  isSignatureRequired: false,
  isAllowlistRequired: false,
  totalClaimCount: 5,
  expirationTimestamp: null,
  customAttributes: [],
  signature: Buffer.alloc(65, 0x22),
  evidence: null,
  typedDataVersion: 'badge/1',
  assetContentType: null,
  contributors: [],
  criteria: null,
  claimableFromTimestamp: null,
  validUntilTimestamp: null,
  validityDays: null,
};

async function accept(...requests: Partial<CreateTokenRequest>[]): Promise<string[]> {
  const operationIds: string[] = [];
  for (const fields of requests) {
    const operation = newOperation({ request: serializeRequest({ ...REQUEST, ...fields }) });
    await insertOperations(db, [operation]);
    operationIds.push(operation.operationId);
  }
  return operationIds;
}

const insert = (operationIds: string[]) =>
  db.transaction().execute(async (tx) => {
    const tokens = await insertTokens(tx, operationIds);
    await insertAllowlists(tx, operationIds);
    return tokens;
  });

async function insertAndRollBack(operationIds: string[]): Promise<void> {
  const rolledBack = db.transaction().execute(async (tx) => {
    await insertTokens(tx, operationIds);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
}

const listTokenIds = async () =>
  (await query<{ token_id: string }>(url, 'select token_id from tokens order by token_id')).map((row) =>
    Number(row.token_id),
  );
const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('token ids', () => {
  test('are given in the order of acceptance, for any order in the batch', async () => {
    const operationIds = await accept({}, {}, {});
    const tokens = await insert(operationIds.toReversed());
    expect(Object.fromEntries(tokens.map(({ operationId, tokenId }) => [operationId, tokenId]))).toEqual(
      Object.fromEntries(operationIds.map((operationId, index) => [operationId, index + 1])),
    );
  });

  test('have no gap after a rollback', async () => {
    const [first = '', second = '', third = ''] = await accept({}, {}, {});
    await insert([first]);
    await insertAndRollBack([second, third]);
    expect(await insert([third])).toMatchObject([{ operationId: third, tokenId: 2 }]);
  });

  test('become visible in order, because a later transaction waits for an earlier one', async () => {
    const [first = '', second = ''] = await accept({}, {});
    const end = Promise.withResolvers<void>();
    const inserted = Promise.withResolvers<void>();
    const early = db.transaction().execute(async (tx) => {
      await insertTokens(tx, [first]);
      inserted.resolve();
      await end.promise;
    });
    await Promise.race([inserted.promise, early]);
    const late = insert([second]);
    await waitForBlockedStatements(url, 1);
    expect(await listTokenIds()).toEqual([]);
    end.resolve();
    await early;
    expect((await late)[0]?.tokenId).toBe(2);
    expect(await listTokenIds()).toEqual([1, 2]);
  });

  test('have no gaps under 20 concurrent transactions, some rolled back', async () => {
    await accept(...Array.from({ length: 40 }, () => ({})));
    const takeAndInsert = (isRolledBack: boolean) =>
      db.transaction().execute(async (tx) => {
        const { candidates } = await lockCandidates(tx, 'createToken', {
          afterCommunityId: '',
          maxCommunities: 1,
          maxOperations: 2,
        });
        const operationIds = candidates.map(({ operationId }) => operationId);
        const tokens = await insertTokens(tx, operationIds);
        const results = tokens.map(({ operationId, tokenId }) => ({ operationId, resourceId: tokenId }));
        await finishOperations(tx, results);
        if (isRolledBack) throw new Error('rolled back');
        return tokens;
      });
    const results = await Promise.allSettled(idsUpTo(20).map((n) => takeAndInsert(n % 4 === 0)));
    const inserted = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(5);
    expect(inserted.map(({ tokenId }) => tokenId).sort((a, b) => a - b)).toEqual(idsUpTo(30));
    expect(await listTokenIds()).toEqual(idsUpTo(30));
  });
});

describe('pages', () => {
  const listIds = async (limit: number, offset: number, order: 'asc' | 'desc') =>
    (await listTokens(db, { limit, offset, order })).map((row) => row.token_id);

  test('are ordered by id, ascending or descending, and are empty after the last token', async () => {
    expect(await listIds(10, 0, 'desc')).toEqual([]);
    await insert(await accept({}, {}, {}, {}));
    expect(await listIds(2, 0, 'asc')).toEqual([1, 2]);
    expect(await listIds(2, 3, 'asc')).toEqual([4]);
    expect(await listIds(2, 4, 'asc')).toEqual([]);
    expect(await listIds(2, 0, 'desc')).toEqual([4, 3]);
    expect(await listIds(2, 3, 'desc')).toEqual([1]);
    expect(await listIds(2, Number.MAX_SAFE_INTEGER, 'desc')).toEqual([]);
    expect(await listIds(2, Number.MAX_SAFE_INTEGER, 'asc')).toEqual([]);
    expect(await listIds(0, 0, 'asc')).toEqual([]);
  });
});

test('a token is stored as requested', async () => {
  const fields = {
    headline: ' Ünïcode 🎖 \\u0041 " ',
    startTimestamp: 0,
    endTimestamp: 8.64e15,
    links: ['', 'x'],
    totalClaimCount: Number.MAX_SAFE_INTEGER,
    customAttributes: [{ fieldName: 'a', type: 'number', value: 1.5 }],
  };
  await insert(await accept(fields));
  const [token] = await findTokens(db, [1], TOKEN_COLUMNS);
  expect(token).toMatchObject({
    token_id: 1,
    community_id: 'demo',
    creator: Buffer.alloc(20, 0x11),
    headline: fields.headline,
    start_timestamp: 0,
    end_timestamp: 8.64e15,
    links: fields.links,
    total_claim_count: Number.MAX_SAFE_INTEGER,
    remaining_claim_count: Number.MAX_SAFE_INTEGER,
    custom_attributes: fields.customAttributes,
  });
  expect(await findTokens(db, [2], TOKEN_COLUMNS)).toEqual([]);
});

const allowlistOf = (...contributors: AllowlistContributor[]) => ({
  isAllowlistRequired: true,
  totalClaimCount: null,
  contributors,
});

test('an allowlist stores addresses and identifiers in the order of the request', async () => {
  const identifier = { key: createHash('sha256').update('ada').digest(), identifier: 'ada' };
  await insert(await accept(allowlistOf(identifier, { key: randomBytes(20) })));
  expect(
    await query(url, 'select position, identifier from allowlist_entries where token_id = 1 order by 1'),
  ).toEqual([
    { position: 1, identifier: 'ada' },
    { position: 2, identifier: null },
  ]);
});

test('a wallet lists the tokens whose allowlist contains its address, the newest first', async () => {
  const address = toAddress(randomBytes(20));
  const listed = allowlistOf({ key: randomBytes(20) }, { key: address });
  await insert(await accept(listed, allowlistOf({ key: randomBytes(20) }), {}, listed));
  const page = { claimStatus: undefined, communityId: undefined, limit: 10, offset: 0 };
  const listIds = async (fields = {}) =>
    (await listWalletTokens(db, { ...page, address, ...fields })).map((row) => row.token_id);
  expect(await listIds()).toEqual([4, 1]);
  expect(await listIds({ limit: 1, offset: 1 })).toEqual([1]);
  expect(await listIds({ communityId: 'demo' })).toEqual([4, 1]);
  expect(await listIds({ communityId: 'other' })).toEqual([]);
});
