import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { parseAddress } from '../../../packages/service/src/signatures/address.ts';
import { findHeldTokens } from '../../../packages/service/src/storage/claims.ts';
import { countWallets, TOKENS_OF_ALL_WALLETS, walletAddress } from '../data.ts';
import { rateOf } from '../driver/driver.ts';
import { atLeast, type Bench, compare, type Figure } from '../figure.ts';
import { captureQuery, DATABASE_CONNECTIONS, measureQueries } from '../queries.ts';
import { DATA_SIZE } from '../sizes.ts';
import { READ_CONNECTIONS } from './reads.ts';

const REQUESTS = 16;
const ADDRESSES = 1_000;
/** How many of the addresses hold the tokens. */
const HOLDERS = 100;
const FIRST_STRANGER = 1_000_000;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const TOKEN_IDS = numbers(TOKENS_OF_ALL_WALLETS).map((index) => index + 1);

/** The addresses of each request. Every tenth of them holds all of the tokens. */
const ADDRESSES_OF_REQUESTS = numbers(REQUESTS).map((request) =>
  numbers(ADDRESSES).map((index) => {
    const isHolder = index % (ADDRESSES / HOLDERS) === 0;
    const holder = (request * HOLDERS + index / (ADDRESSES / HOLDERS)) % countWallets(DATA_SIZE);
    return walletAddress(isHolder ? holder : FIRST_STRANGER + request * ADDRESSES + index);
  }),
);

/**
 * Checks of 1,000 addresses and 10 tokens per second, compared with the same SQL, prepared, in loops that do
 * nothing else. Then again with ten times the claims.
 */
export const gate: Figure = {
  name: 'gate',
  async measure(bench) {
    const { service, extent } = bench;
    const queries = await Promise.all(
      ADDRESSES_OF_REQUESTS.map((addresses) =>
        captureQuery((db) => findHeldTokens(db, addresses.map(parseAddress), TOKEN_IDS)),
      ),
    );
    const pool = new pg.Pool({ connectionString: service.databaseUrl, max: DATABASE_CONNECTIONS });
    try {
      const measureFigure = () => measureChecks(bench);
      const measureReference = () =>
        measureQueries(pool, queries, { windowMs: extent.windowMs, rowCount: HOLDERS });
      // The first measurements only warm up the processes.
      await measureFigure();
      await measureReference();
      const compared = await compare(extent.rounds, measureFigure, measureReference);
      await multiplyClaims(service.databaseUrl);
      // As autovacuum does soon after so many inserts.
      await query(service.databaseUrl, 'vacuum analyze claims');
      await measureFigure();
      await measureReference();
      const withMoreClaims = await compare(extent.rounds, measureFigure, async () => compared.figure);
      const name = 'checks of 1,000 addresses, 10 tokens';
      const { figure, details } = compared;
      return [
        { name, unit: '/s', figure, reference: null, ratio: null, goal: atLeast(100), details },
        { name: 'the same, and its SQL', unit: '/s', ...compared, goal: atLeast(0.2) },
        { name: 'the same with 10 times the claims', unit: '/s', ...withMoreClaims, goal: atLeast(0.8) },
      ];
    } finally {
      await pool.end();
    }
  },
};

async function measureChecks({ driver, extent, service }: Bench): Promise<number> {
  const requests = ADDRESSES_OF_REQUESTS.map((addresses) => {
    const body = JSON.stringify({ addresses, tokenIds: TOKEN_IDS });
    return Buffer.from(
      `POST /v1/checkOwners HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  const { windowMs } = extent;
  return rateOf(
    await driver.run({ port: service.port, connections: READ_CONNECTIONS, requests, durationMs: windowMs }),
  );
}

/** Inserts nine further claims for each claim, or eight, by other addresses. */
async function multiplyClaims(databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `with claim as materialized (
       select gen_random_uuid() as operation_id, token_id, community_id, set_byte(address, 0, copy) as address
       from claims join operations using (operation_id) cross join generate_series(1, 9) as copy
       where get_byte(address, 0) <> copy
     ), operation as (
       insert into operations (
         operation_id, operation_type, status, community_id, request_bytes, resource_id, completed_at
       )
       select operation_id, 'claim', 'success', community_id, 200, token_id, now() from claim
     )
     insert into claims (token_id, address, operation_id, claimed_at)
     select token_id, address, operation_id, now() from claim`,
  );
}
