import type { Operation } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { newAddress, newWallet, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { keptBadgesFixture } from '../../src/testing/kept-badges-fixture.ts';

const fixture = keptBadgesFixture();
const { createToken, give, keptAddressOf, moveBadges, outcomeOf, settle, signedMove, signInByEmail } =
  fixture;
const { statusOf } = fixture;

const ROUNDS = 8;
const reason = 'a reason';

/** Runs the rounds of a race at once. Each has its own person, wallet and token, which is kept. */
async function rounds(
  race: (round: {
    tokenId: number;
    kept: string;
    wallet: string;
    move: () => Promise<string>;
    /** The person burns what is kept. */
    burn: () => Promise<string>;
    creator: ReturnType<typeof newWallet>;
  }) => Promise<void>,
  { count = ROUNDS, ...fields }: { count?: number; validUntilTimestamp?: number } = {},
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      const creator = newWallet();
      const person = await signInByEmail();
      const wallet = newWallet();
      const operation = await settle('/v1/tokens', await signedToken({ ...fields }, creator));
      const tokenId = Number((operation as Operation).resourceId);
      const kept = await keptAddressOf(person);
      expect(await give(tokenId, kept)).toBe('success');
      const body = await signedMove(person, wallet);
      const move = async () => {
        const moved = await moveBadges(person, body, fixture.services[1]);
        return typeof moved === 'string' ? moved : (moved.error?.name ?? moved.status);
      };
      const burn = () => outcomeOf(`/v1/tokens/${tokenId}/burn`, {}, { key: person.key });
      await race({ tokenId, kept, wallet: wallet.address, move, burn, creator });
    }),
  );
}

const ownerPath = (tokenId: number, address: string) => `/v1/tokens/${tokenId}/owners/${address}`;

test('a move and a revocation: the badge moves, or it is revoked, and never both', async () => {
  await rounds(async ({ tokenId, kept, wallet, move }) => {
    const [moved, revoked] = await Promise.all([
      move(),
      outcomeOf(`${ownerPath(tokenId, kept)}/revoke`, { reason }),
    ]);
    expect(moved).toBe('success');
    expect([await statusOf(tokenId, kept), await statusOf(tokenId, wallet), revoked]).toEqual(
      revoked === 'success' ? ['revoked', undefined, 'success'] : ['moved', 'held', 'TokenNotOwned'],
    );
  });
});

/** What has become of the kept badge, of the wallet, of the move and of the burn. */
const MOVED_FIRST = ['moved', 'held', 'success', 'TokenNotOwned'];
const BURNT_FIRST = ['burnt', undefined, 'success', 'success'];

test('a move and a burn: the badge moves, or it is burned, and never both', async () => {
  await rounds(async ({ tokenId, kept, wallet, move, burn }) => {
    const results = await Promise.all([move(), burn()]);
    expect([await statusOf(tokenId, kept), await statusOf(tokenId, wallet), ...results]).toEqual(
      results[1] === 'success' ? BURNT_FIRST : MOVED_FIRST,
    );
  });
});

/** Waits until a settlement waits for a lock of the session with this process id. */
const waitForLockOf = (pid: number) =>
  vi.waitFor(async () => {
    const waiting = await query(
      fixture.services[0].databaseUrl,
      'select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
      [pid],
    );
    expect(waiting.length).toBeGreaterThanOrEqual(1);
  }, WAIT_OPTIONS);

test.each(['move', 'burn'] as const)(
  'of a move and a burn that are both accepted, a %s that is settled first wins',
  async (first) => {
    await rounds(
      async ({ tokenId, kept, wallet, move, burn }) => {
        const results = await fixture.services[0].context.transaction(async (tx) => {
          const address = Buffer.from(kept.slice(2), 'hex');
          const { rows } = await sql<{ pid: number }>`
            select pg_backend_pid() as pid from claims
            where token_id = ${tokenId} and address = ${address} for update`.execute(tx);
          const earlier = first === 'move' ? move() : burn();
          await waitForLockOf(rows[0]?.pid ?? 0);
          const later = first === 'move' ? burn() : move();
          await vi.waitFor(async () => expect(await countPending()).toBe(2), WAIT_OPTIONS);
          // In an array, so that nobody waits for the operations before the lock ends.
          return first === 'move' ? [earlier, later] : [later, earlier];
        });
        const outcomes = await Promise.all(results);
        expect([await statusOf(tokenId, kept), await statusOf(tokenId, wallet), ...outcomes]).toEqual(
          first === 'move' ? MOVED_FIRST : BURNT_FIRST,
        );
      },
      { count: 1 },
    );
  },
);

/** How many moves of people and burns wait to be settled. */
async function countPending(): Promise<number> {
  const { length } = await query(
    fixture.services[0].databaseUrl,
    "select 1 from operations where operation_type in ('moveBadges', 'burn') and status = 'pending'",
  );
  return length;
}

test('a move and a move by the community: one of them gets the badge', async () => {
  await rounds(async ({ tokenId, kept, wallet, move }) => {
    const toAddress = newAddress();
    const [moved, byCommunity] = await Promise.all([
      move(),
      outcomeOf(`${ownerPath(tokenId, kept)}/move`, { toAddress, reason }),
    ]);
    expect(moved).toBe('success');
    expect([await statusOf(tokenId, wallet), await statusOf(tokenId, toAddress), byCommunity]).toEqual(
      byCommunity === 'success' ? [undefined, 'held', 'success'] : ['held', undefined, 'TokenNotOwned'],
    );
    expect(await statusOf(tokenId, kept)).toBe('moved');
  });
});

test('a move and a claim of the wallet: the wallet has one badge, and the other one stays behind', async () => {
  await rounds(async ({ tokenId, kept, wallet, move }) => {
    const [moved, claimed] = await Promise.all([move(), give(tokenId, wallet)]);
    expect(moved).toBe('success');
    expect([await statusOf(tokenId, kept), await statusOf(tokenId, wallet)]).toEqual(
      claimed === 'success' ? ['held', 'held'] : ['moved', 'held'],
    );
    if (claimed !== 'success') expect(claimed).toBe('ClaimingAddressAlreadyHasToken');
  });
});

test('a move and a replacement: the badge of the wallet is that of the current token', async () => {
  await rounds(async ({ tokenId, kept, wallet, move, creator }) => {
    const made = await settle('/v1/tokens', await signedToken({}, creator));
    const replacementTokenId = Number((made as Operation).resourceId);
    const [moved, replaced] = await Promise.all([
      move(),
      outcomeOf(`/v1/tokens/${tokenId}/replace`, { replacementTokenId }),
    ]);
    expect([moved, replaced]).toEqual(['success', 'success']);
    expect([await statusOf(replacementTokenId, kept), await statusOf(replacementTokenId, wallet)]).toEqual([
      'moved',
      'held',
    ]);
  });
});

test('a move and a renewal: the renewed end is that of the wallet, or the renewal comes too late', async () => {
  const validUntilTimestamp = Date.now() + 3_600_000;
  const renewedUntil = validUntilTimestamp + 3_600_000;
  await rounds(
    async ({ tokenId, kept, wallet, move }) => {
      const [moved, renewed] = await Promise.all([
        move(),
        outcomeOf(`/v1/tokens/${tokenId}/renew`, { addresses: [kept], validUntilTimestamp: renewedUntil }),
      ]);
      expect(moved).toBe('success');
      const owner = await fixture.read<{ validUntilTimestamp: number; status: string }>(
        ownerPath(tokenId, wallet),
      );
      expect(owner).toMatchObject({
        status: 'held',
        validUntilTimestamp: renewed === 'success' ? renewedUntil : validUntilTimestamp,
      });
      if (renewed !== 'success') expect(renewed).toBe('TokenNotOwned');
    },
    { validUntilTimestamp },
  );
});

test('of two moves with one nonce, on two processes and to two wallets, one is settled', async () => {
  await Promise.all(
    Array.from({ length: ROUNDS }, async () => {
      const person = await signInByEmail();
      const [one, other] = [newWallet(), newWallet()];
      const tokenIds = [await createToken(), await createToken()];
      const kept = await keptAddressOf(person);
      for (const tokenId of tokenIds) await give(tokenId, kept);
      const bodies = [await signedMove(person, one), await signedMove(person, other)];
      const results = await Promise.all(
        bodies.map(async (body, index) => {
          const result = await moveBadges(person, body, fixture.services[index]);
          return typeof result === 'string' ? result : (result.error?.name ?? result.status);
        }),
      );
      expect([...results].sort()).toEqual(['NotSignedByReceiver', 'success']);
      const winner = results[0] === 'success' ? one : other;
      for (const tokenId of tokenIds) expect(await statusOf(tokenId, winner.address)).toBe('held');
      expect((await fixture.readSession(person)).moveNonce).toBe(1);
    }),
  );
});

test('many people move at once, also to one wallet, and no count changes', async () => {
  const wallet = newWallet();
  const people = await Promise.all(Array.from({ length: 20 }, () => signInByEmail()));
  const tokenIds = await Promise.all(Array.from({ length: 3 }, () => createToken({ totalClaimCount: 100 })));
  await Promise.all(
    people.map(async (person) => {
      const kept = await keptAddressOf(person);
      for (const tokenId of tokenIds) expect(await give(tokenId, kept)).toBe('success');
    }),
  );
  const moved = await Promise.all(
    people.map(async (person, index) => {
      // Half of them share a wallet, which can have each token once.
      const to = index % 2 === 0 ? wallet : newWallet();
      return await moveBadges(person, await signedMove(person, to), fixture.services[index % 2]);
    }),
  );
  const warnings = moved.flatMap((operation) => (typeof operation === 'string' ? [] : operation.warnings));
  expect(moved.map((operation) => typeof operation !== 'string' && operation.status)).toEqual(
    people.map(() => 'success'),
  );
  expect(warnings).toHaveLength(9 * tokenIds.length);
  const [service] = fixture.services;
  for (const tokenId of tokenIds) {
    const [row] = await query<{ held: number; remaining: number }>(
      service.databaseUrl,
      `select (select count(*)::integer from claims where token_id = $1 and burnt_at is null) as held,
         remaining_claim_count::integer as remaining from tokens where token_id = $1`,
      [tokenId],
    );
    expect(row).toEqual({ held: people.length, remaining: 80 });
  }
});
