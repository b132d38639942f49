import { access, constants } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadBinaries } from './binaries.ts';

test('finds programs for the present platform', async () => {
  const { initdb, postgres } = await loadBinaries();
  await Promise.all([initdb, postgres].map((path) => access(path, constants.X_OK)));
});

test('names DATABASE_URL where a platform has none', async () => {
  await expect(loadBinaries('plan9-mips')).rejects.toThrow(/for plan9-mips; set DATABASE_URL/);
});
