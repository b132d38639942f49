import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALLOWED_IMPORTS } from './allowed-imports.ts';

// Compares ARCHITECTURE.md with the repository: the table of its folders, and what each folder may import.
const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const errors: string[] = [];

/** The rows of the table below a heading, each with the code spans of its two cells. */
function readTable(heading: string): { names: string[]; others: string[] }[] {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`);
  const [table = ''] = /^\|(?:.+\n)+/m.exec(section) ?? [];
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)),
    )
    .map(([, names = [], others = []]) => ({ names, others }));
}

/** How ARCHITECTURE.md names a key of ALLOWED_IMPORTS. */
const nameOf = (key: string) =>
  key.startsWith('service/') ? `${key.slice('service/'.length)}/` : `packages/${key.replace(/\/src$/, '')}`;

function compare(what: string, named: string[], existing: string[]): void {
  for (const name of named) if (!existing.includes(name)) errors.push(`${what}: ${name} does not exist`);
  for (const name of existing) if (!named.includes(name)) errors.push(`${what}: ${name} is missing`);
}

const foldersIn = (pattern: string) =>
  globSync(pattern, { cwd: ROOT, withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

const NAMES = readTable('Folders').flatMap(({ names }) => names);
compare(
  'the table of folders',
  NAMES.filter((name) => /\/$|^packages\//.test(name)),
  [
    ...foldersIn('packages/service/src/*').flatMap((name) => (name === 'testing' ? [] : [`${name}/`])),
    ...foldersIn('packages/*').flatMap((name) => (name === 'service' ? [] : [`packages/${name}`])),
    ...foldersIn('*').flatMap((name) =>
      /^(docs|packages|node_modules|data|coverage)$/.test(name) ? [] : [`${name}/`],
    ),
  ],
);

// Files of the service, its tests and the folders outside of packages/ are not in the table: they may import
// what they use.
const documented = Object.entries(ALLOWED_IMPORTS).filter(
  ([key]) =>
    key.includes('/') && !/\.ts$|^service\/testing$|browser-tests|^tests\/|^service\/\w+\/./.test(key),
);
const rows = readTable('Imports');
compare(
  'the table of imports',
  rows.flatMap(({ names }) => names),
  documented.map(([key]) => nameOf(key)),
);
for (const [key, allowed] of documented) {
  const [row] = rows.filter(({ names }) => names.includes(nameOf(key)));
  const folders = allowed.filter((name) => !name.endsWith('.ts')).map(nameOf);
  if (row !== undefined)
    compare(
      `the imports of ${nameOf(key)}`,
      row.others,
      folders.filter((name) => name !== nameOf(key)),
    );
}

if (errors.length > 0) {
  process.stderr.write(`${errors.map((error) => `ARCHITECTURE.md: ${error}`).join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(
  `ARCHITECTURE.md names ${NAMES.length} folders and files, and the imports of ${documented.length}\n`,
);
