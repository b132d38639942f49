import { readFileSync } from 'node:fs';

const GUIDE = new URL('../../../docs/guides/high-availability.md', import.meta.url);
const BLOCK = /^```\w*\n# (.+)\n([\s\S]*?)^```/gm;

/**
 * Returns the code block of the guide whose first line begins with `# ` and this title, without this line.
 * Throws unless there is exactly one.
 */
export function readGuideBlock(title: string): string {
  const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(BLOCK)].filter(([, line]) =>
    line?.startsWith(title),
  );
  const [block] = blocks;
  if (block === undefined || blocks.length > 1)
    throw new Error(`high-availability.md has ${blocks.length} blocks that begin with "# ${title}"`);
  return block[2] ?? '';
}

/** Parses the lines `NAME=value` of an environment file. */
export function parseEnvironmentFile(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
