import { access, constants } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findBinaries } from './launcher.ts';

test('finds the programs for this platform', async () => {
  const { initdb, postgres } = await findBinaries();
  await Promise.all([initdb, postgres].map((path) => access(path, constants.X_OK)));
});

test('names the platform if there are no programs for it', async () => {
  await expect(findBinaries('plan9-mips')).rejects.toThrow(/for plan9-mips; use another PostgreSQL server$/);
});
