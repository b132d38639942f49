import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

let version: string | undefined;

/**
 * Returns a hash of what determines the bytes of an image, except its spec:
 * - the code of this package
 * - its package.json, with the versions of the fonts and of the canvas
 * - the platform, whose floating-point arithmetic can differ
 * - the versions of ICU and Unicode in Node, with which Node finds grapheme clusters and the words of Thai
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
  const hash = createHash('sha256').update(
    `${process.platform} ${process.arch} ${process.versions.icu} ${process.versions.unicode}`,
  );
  for (const name of ['../package.json', ...sources])
    hash.update(name).update(readFileSync(new URL(name, root)));
  return hash.digest('hex');
}
