import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Reads the secret that a file holds; at the first start, makes it and keeps it there with mode 0600.
 * The file appears whole or not at all, and two processes that start at once read the same secret.
 */
export async function readOrMakeSecret(file: string, make: () => string): Promise<string> {
  const kept = await readSecret(file);
  if (kept !== null) return kept;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${make()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  const secret = await readSecret(file);
  if (secret === null) throw new Error(`the file ${file} holds no secret; remove it to have a new one made`);
  return secret;
}

async function readSecret(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
