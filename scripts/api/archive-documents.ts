import { MANIFEST_SCHEMA } from '../../packages/service/src/archive/manifest.ts';
import { LEFT_OUT, NOUNS, schemaOf } from '../../packages/service/src/archive/nouns.ts';

/** Returns the schemas of archives, and the page about them with new tables, by the names of their files. */
export function describeArchive(page: string): Record<string, string> {
  const schemas = [
    ['manifest', MANIFEST_SCHEMA] as const,
    ...NOUNS.map((noun) => [noun.name, schemaOf(noun)] as const),
  ];
  return {
    'docs/archive.md': replaceTable(replaceTable(page, 'files', filesTable()), 'left out', leftOutTable()),
    ...Object.fromEntries(
      schemas.map(([name, schema]) => [
        `docs/archive/${name}.schema.json`,
        `${JSON.stringify(schema, null, 2)}\n`,
      ]),
    ),
  };
}

function replaceTable(page: string, name: string, table: string): string {
  const start = `<!-- ${name}: written by \`npm run docs:api\` -->\n`;
  const [before, after] = page.split(start);
  if (before === undefined || after === undefined)
    throw new Error(`docs/archive.md has no place for ${name}`);
  return `${before}${start}${table}${after.slice(after.indexOf('<!-- end -->'))}`;
}

function filesTable(): string {
  const rows = NOUNS.map(({ name, order, fields, description }) => {
    const keys = order.flatMap((key) =>
      Object.keys(fields).flatMap((field) => (fields[field]?.column === key ? [`\`${field}\``] : [])),
    );
    return `| [\`${name}.ndjson\`](archive/${name}.schema.json) | ${description} | ${keys.join(', ') || '–'} |`;
  });
  return `\n| File | A line is | Sorted by |\n|---|---|---|\n${rows.join('\n')}\n\n`;
}

function leftOutTable(): string {
  const columns = NOUNS.flatMap(({ table, leftOut }) =>
    Object.entries(leftOut).map(([column, reason]) => [`${table}.${column}`, reason] as const),
  );
  const rows = [...Object.entries(LEFT_OUT), ...columns].sort(([a], [b]) => (a < b ? -1 : 1));
  return `\n| Left out | Why |\n|---|---|\n${rows.map(([name, reason]) => `| \`${name}\` | ${reason} |`).join('\n')}\n\n`;
}
