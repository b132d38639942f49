import pg from 'pg';
import { parseAddress } from '../../packages/service/src/signatures/address.ts';
import { listWalletTokens } from '../../packages/service/src/storage/wallet-listings.ts';
import { atLeast, compare, type Figure } from '../figure.ts';
import { captureQuery, DATABASE_CONNECTIONS, measureQueries } from '../queries.ts';
import { measureReads, walletPaths } from './reads.ts';

const PAGE_TOKENS = 50;

/** Pages of wallets' tokens per second, compared with the same SQL, prepared, in loops that do nothing else. */
export const walletTokens: Figure = {
  name: 'wallet-tokens',
  async measure(bench) {
    const { service, extent } = bench;
    const paths = walletPaths();
    // A path is /v1/wallets/:address/tokens.
    const addresses = paths.map((path) => parseAddress(path.split('/')[3] ?? ''));
    const page = { claimStatus: undefined, communityId: undefined, limit: PAGE_TOKENS, offset: 0 };
    const queries = await Promise.all(
      addresses.map((address) => captureQuery((db) => listWalletTokens(db, { ...page, address }))),
    );
    const pool = new pg.Pool({ connectionString: service.databaseUrl, max: DATABASE_CONNECTIONS });
    try {
      const { windowMs } = extent;
      const measureFigure = () => measureReads(bench, service.port, paths);
      const measureReference = () => measureQueries(pool, queries, { windowMs, rowCount: PAGE_TOKENS });
      // The first measurements only warm up the processes.
      await measureFigure();
      await measureReference();
      const compared = await compare(extent.rounds, measureFigure, measureReference);
      return [{ name: "a wallet's tokens, 50", unit: '/s', ...compared, goal: atLeast(0.6, 0.8) }];
    } finally {
      await pool.end();
    }
  },
};
