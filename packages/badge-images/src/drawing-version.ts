import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

let version: string | undefined;

/**
 * A hash of everything besides the spec that determines the bytes of an image: the code, the versions of the fonts and
 * of the canvas in package.json, and the platform, whose floating-point arithmetic can differ.
 */
export function drawingVersion(): string {
  version ??= hashSources();
  return version;
}

function hashSources(): string {
  const root = new URL('.', import.meta.url);
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('testing'))
    .sort();
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const name of ['../package.json', ...sources])
    hash.update(name).update(readFileSync(new URL(name, root)));
  return hash.digest('hex');
}
