import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { writeStatusLists } from '../publish-status-lists.ts';

/**
 * Writes the signed status lists of all communities to a directory, for any static file server. Returns the
 * exit code: 1 if no list can be signed with the seed.
 */
export async function publishStatus(config: Config, directory: string): Promise<number> {
  await mkdir(directory, { recursive: true });
  let written = 0;
  const { signed, skipped } = await writeStatusLists(config, async (listId, bytes) => {
    const file = join(directory, listId);
    // A file that is the same keeps its time, so that a copy of the directory transfers only what has
    // changed.
    if ((await readFile(file).catch(() => null))?.equals(bytes)) return;
    // A server that reads the file meanwhile gets either the former list or the new one.
    await writeFile(`${file}.part`, bytes);
    await rename(`${file}.part`, file);
    written += 1;
  });
  process.stdout.write(`${signed} status lists, of which ${written} have changed\n`);
  if (skipped > 0)
    process.stdout.write(`${skipped} status lists have keys of another seed, and were left out\n`);
  return skipped > 0 && signed === 0 ? 1 : 0;
}
