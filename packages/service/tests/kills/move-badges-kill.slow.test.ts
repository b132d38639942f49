import { startTestBadge, WAIT_OPTIONS, waitForPlacedEvents } from '@badge/test-support/fixtures';
import { newAddress, newWallet, type Wallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { countWrongTokenCounts } from '@badge/test-support/token-counts';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { type EmailPerson, keptBadgesFixture } from '../../src/testing/kept-badges-fixture.ts';

const PEOPLE = 20;
const COMMUNITIES = ['demo', 'other'];
const TOKENS_OF_A_COMMUNITY = 2;
const BADGES = PEOPLE * COMMUNITIES.length * TOKENS_OF_A_COMMUNITY;
/** How many others claim each token while people move. */
const CLAIMS = 10;

const fixture = keptBadgesFixture({ role: 'api' });
const { createToken, give, keptAddressOf, moveBadges, signedMove, signInByEmail } = fixture;

const startWorker = () => {
  const [{ databaseUrl, dataDir, adminKey, apiKey }] = fixture.services;
  return startTestBadge({
    DATABASE_URL: databaseUrl,
    BADGE_DATA_DIR: dataDir,
    BADGE_ADMIN_KEY: adminKey,
    BADGE_DEMO_API_KEY: apiKey,
    BADGE_ROLE: 'worker',
  });
};
const select = <Row extends object>(text: string, values: unknown[] = []) =>
  query<Row>(fixture.services[0].databaseUrl, text, values);
/** As events store an address. */
const toHex = (address: string) => address.slice(2).toLowerCase();
const toBytes = (address: string) => Buffer.from(toHex(address), 'hex');

interface Moving {
  person: EmailPerson;
  wallet: Wallet;
  /** The address where each token is kept. */
  kept: Map<number, string>;
}

/** Makes tokens of every community, which are kept for everybody. Others can claim them too. */
async function prepare(): Promise<{ people: Moving[]; tokenIds: number[] }> {
  const tokens = await Promise.all(
    COMMUNITIES.flatMap((communityId) =>
      Array.from({ length: TOKENS_OF_A_COMMUNITY }, async () => ({
        communityId,
        tokenId: await createToken({ communityId, totalClaimCount: PEOPLE + CLAIMS }),
      })),
    ),
  );
  const people = await Promise.all(
    Array.from({ length: PEOPLE }, async () => {
      const person = await signInByEmail();
      const kept = new Map<number, string>();
      for (const { communityId, tokenId } of tokens) {
        const address = await keptAddressOf(person, communityId);
        expect(await give(tokenId, address)).toBe('success');
        kept.set(tokenId, address);
      }
      return { person, wallet: newWallet(), kept };
    }),
  );
  return { people, tokenIds: tokens.map(({ tokenId }) => tokenId) };
}

/** Everybody moves while others claim and `meanwhile` runs. Expects that each badge is moved once. */
async function moveMeanwhile(
  { people, tokenIds }: Awaited<ReturnType<typeof prepare>>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const bodies = await Promise.all(people.map(({ person, wallet }) => signedMove(person, wallet)));
  const [parents, claims] = await Promise.all([
    Promise.all(people.map(({ person }, index) => moveBadges(person, bodies[index] ?? {}))),
    Promise.all(
      tokenIds.flatMap((tokenId) => Array.from({ length: CLAIMS }, () => give(tokenId, newAddress()))),
    ),
    meanwhile(),
  ]);
  for (const parent of parents) {
    expect(parent).toMatchObject({ operationType: 'moveBadges', status: 'success', warnings: [] });
  }
  expect(new Set(claims)).toEqual(new Set(['success']));

  const expected = people
    .flatMap(({ wallet, kept }) =>
      [...kept].map(([tokenId, address]) => ({
        tokenId,
        address: toHex(address),
        toAddress: toHex(wallet.address),
      })),
    )
    .sort(inOrder);
  const held = await select<{ token_id: string; address: Buffer }>(
    'select token_id, address from claims where token_id = any($1) and burnt_at is null and moved_from is not null',
    [tokenIds],
  );
  expect(held).toHaveLength(BADGES);
  for (const { tokenId, address, toAddress } of expected) {
    const holders = await select<{ address: Buffer }>(
      'select address from claims where token_id = $1 and address = any($2) and burnt_at is null',
      [tokenId, [address, toAddress].map((hex) => Buffer.from(hex, 'hex'))],
    );
    expect(holders).toEqual([{ address: Buffer.from(toAddress, 'hex') }]);
  }

  await waitForPlacedEvents(fixture.services[0].databaseUrl);
  // Each badge has one event, and its operation is the one of the audit entry.
  const wallets = people.map(({ wallet }) => toHex(wallet.address));
  const events = await select<{ operationId: string; tokenId: number; address: string; toAddress: string }>(
    `select data->>'operationId' as "operationId", (data->>'tokenId')::integer as "tokenId",
       data->>'address' as address, data->>'toAddress' as "toAddress"
     from events where type = 'badge.moved' and data->>'toAddress' = any($1)`,
    [wallets],
  );
  expect(events.map(({ operationId: _, ...event }) => event).sort(inOrder)).toEqual(expected);
  const operationIds = events.map(({ operationId }) => operationId);
  const entries = await select<{ operation_id: string; resource_id: number; actor: string }>(
    `select o.operation_id, o.resource_id::integer, a.actor from operations o
     join tokens t on t.token_id = o.resource_id and t.community_id = o.community_id
     join audit_log a on a.resource_id = o.operation_id::text and a.community_id = o.community_id
     where o.operation_type = 'move' and o.status = 'success' and a.action = 'move'
       and o.resource_id = any($1)`,
    [tokenIds],
  );
  const byOperation = (a: { operation_id: string }, b: { operation_id: string }) =>
    a.operation_id.localeCompare(b.operation_id);
  expect(entries.sort(byOperation)).toEqual(
    events
      .map((event) => ({ operation_id: event.operationId, resource_id: event.tokenId, actor: 'email' }))
      .sort(byOperation),
  );
  expect(new Set(operationIds).size).toBe(BADGES);
  const moves = "select 1 from operations where operation_type = 'move' and resource_id = any($1)";
  expect(await select(moves, [tokenIds])).toHaveLength(BADGES);

  // What people ask for has neither, and uses its nonce once.
  const parentIds = parents.map((parent) => (typeof parent === 'string' ? parent : parent.operationId));
  const traces = await select(
    `select 1 from audit_log where resource_id = any($1)
     union all select 1 from events where data->>'operationId' = any($1)`,
    [parentIds],
  );
  expect(traces).toEqual([]);
  for (const { person } of people) {
    expect(await fixture.readSession(person)).toMatchObject({ moveNonce: 1, addresses: [] });
  }

  const counts = await select<{ left: number; held: number }>(
    `select remaining_claim_count::integer as left,
       (select count(*)::integer from claims c where c.token_id = t.token_id and burnt_at is null) as held
     from tokens t where token_id = any($1)`,
    [tokenIds],
  );
  expect(counts).toEqual(tokenIds.map(() => ({ left: 0, held: PEOPLE + CLAIMS })));
  expect(await countWrongTokenCounts(fixture.services[0].databaseUrl)).toBe(0);
}

const inOrder = (
  a: { tokenId: number; toAddress: string },
  b: { tokenId: number; toAddress: string },
): number => a.tokenId - b.tokenId || a.toAddress.localeCompare(b.toAddress);

const countMoved = async (tokenIds: number[]) =>
  (await select('select 1 from claims where token_id = any($1) and moved_from is not null', [tokenIds]))
    .length;

test.each([0, 1, BADGES / 4, BADGES / 2, BADGES - 1])(
  'kill -9 of the only worker after %s moves of many people: each badge is moved once',
  { timeout: 120_000 },
  async (moved) => {
    const worker = await startWorker();
    const prepared = await prepare();
    let successor = worker;
    await moveMeanwhile(prepared, async () => {
      await vi.waitFor(
        async () => expect(await countMoved(prepared.tokenIds)).toBeGreaterThanOrEqual(moved),
        WAIT_OPTIONS,
      );
      expect(await worker.end('SIGKILL')).toBe('SIGKILL');
      successor = await startWorker();
    });
    await successor.stop();
  },
);

test('kill -9 after all moves of a transaction and before its commit: each badge is moved once', {
  timeout: 120_000,
}, async () => {
  const worker = await startWorker();
  const prepared = await prepare();
  const [{ wallet, kept } = { wallet: newWallet(), kept: new Map<number, string>() }] = prepared.people;
  const [[tokenId, address] = [0, '']] = kept;
  const insert = 'insert into hidden_tokens (token_id, address) values ($1, $2)';
  await select(insert, [tokenId, toBytes(address)]);
  let successor = worker;
  await moveMeanwhile(prepared, async () => {
    // A hidden token is moved after all badges. This one waits for the end of this transaction.
    await fixture.services[0].context.transaction(async (tx) => {
      await sql`insert into hidden_tokens (token_id, address) values (${tokenId}, ${toBytes(wallet.address)})`.execute(
        tx,
      );
      await vi.waitFor(async () => {
        const waiting = await select(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '%insert into hidden_tokens%'`,
        );
        expect(waiting).toHaveLength(1);
      }, WAIT_OPTIONS);
      expect(await worker.end('SIGKILL')).toBe('SIGKILL');
    });
    successor = await startWorker();
  });
  await successor.stop();
});
