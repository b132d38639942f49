import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { openDemoDatabase } from '../testing/demo-database.ts';
import { analyzeSmallTables } from './statistics.ts';

test('small tables are analyzed, and large ones are not', async () => {
  const { url, db } = await openDemoDatabase();
  try {
    await query(url, "update pg_class set reltuples = 100000 where relname = 'claims'");
    await analyzeSmallTables(db);
    // Before the first analysis, the number of rows is -1.
    const estimates = await query(
      url,
      "select relname, reltuples from pg_class where relname in ('tokens', 'claims') order by relname",
    );
    expect(estimates).toEqual([
      { relname: 'claims', reltuples: 100_000 },
      { relname: 'tokens', reltuples: 0 },
    ]);
  } finally {
    await db.destroy();
  }
});
