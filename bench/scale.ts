import { join } from 'node:path';
import { atLeast, type Bench, compare, type Row } from './figure.ts';
import { measureReads, READS, walletPaths } from './figures/reads.ts';
import { measureWrites } from './figures/writes.ts';
import { createHotToken, startService } from './service.ts';
import { signClaims, signCreations } from './signed-requests.ts';
import { DATA_SIZE, LARGE_DATA_SIZE } from './sizes.ts';

// At most twice the cost, and at most 1.3 times, as ratios of requests per second.
const HALF = 0.5;
const DEEP_PAGE = 1 / 1.3;
const WARM_UP_WRITES = 200;
const DEEP_OFFSET = 900_000;

/**
 * Compares reads and writes with much data with the same on little data. Both databases are inserted in bulk and never
 * analyzed, so PostgreSQL's planner has no statistics.
 */
export async function measureScale(bench: Omit<Bench, 'service'>, isQuick: boolean): Promise<Row[]> {
  const { directory, driver, extent } = bench;
  const size = isQuick ? { tokens: 20_000, claims: 40_000, hidden: 2_000 } : LARGE_DATA_SIZE;
  const small = await startService(join(directory, 'small'), DATA_SIZE, { isAnalyzed: false });
  try {
    const large = await startService(join(directory, 'large'), size, { isAnalyzed: false });
    try {
      const rows: Row[] = [];
      const addReads = async (name: string, figurePaths: string[], referencePaths: string[], goal = HALF) => {
        const reference = goal === HALF ? small : large;
        const measureFigure = () => measureReads({ ...bench, service: large }, large.port, figurePaths);
        const measureReference = () =>
          measureReads({ ...bench, service: reference }, reference.port, referencePaths);
        await measureFigure();
        await measureReference();
        const compared = await compare(extent.rounds, measureFigure, measureReference);
        rows.push({ name, unit: '/s', ...compared, goal: atLeast(goal) });
      };
      const { picture: _, ...reads } = READS;
      for (const [name, list] of Object.entries(reads)) {
        await addReads(`${name}, large data`, await list(large), await list(small));
      }
      await addReads('wallet-tokens, large data', walletPaths(), walletPaths());
      const deepOffset = Math.min(DEEP_OFFSET, size.tokens - size.hidden - 50);
      const page = (offset: number) => [`/v1/tokens?limit=50&offset=${offset}`];
      await addReads(`token page at offset ${deepOffset}, to offset 0`, page(deepOffset), page(0), DEEP_PAGE);

      const [largeToken, smallToken] = [await createHotToken(large), await createHotToken(small)];
      const writes = {
        creations: (service: typeof large) => (count: number) => signCreations(count, service.community),
        'claims of one token': (service: typeof large) => (count: number) =>
          signClaims(count, service === large ? largeToken : smallToken),
      };
      for (const [name, signFor] of Object.entries(writes)) {
        const measure = (service: typeof large, count: number) =>
          measureWrites(driver, service, signFor(service)(count));
        await measure(large, WARM_UP_WRITES);
        const rate = await measure(small, WARM_UP_WRITES);
        const count = Math.ceil((rate * extent.windowMs) / 1_000);
        const compared = await compare(
          extent.rounds,
          () => measure(large, count),
          () => measure(small, count),
        );
        rows.push({ name: `${name}, large data`, unit: '/s', ...compared, goal: atLeast(HALF) });
      }
      return rows;
    } finally {
      await large.stop();
    }
  } finally {
    await small.stop();
  }
}
