import {
  COMMUNITY_NOUNS,
  type CommunityNoun,
  PEOPLE,
} from '../../packages/service/src/archive/community-nouns.ts';
import {
  COMMUNITY_MANIFEST_SCHEMA,
  MANIFEST_SCHEMA,
  SIGNED_CREDENTIAL_SCHEMA,
} from '../../packages/service/src/archive/manifest.ts';
import { IN_PEOPLE, LEFT_OUT, NOUNS, type Noun, schemaOf } from '../../packages/service/src/archive/nouns.ts';
import { replaceTable } from './replace-table.ts';

/** Returns the schemas of archives, and the page about them with new tables, by the names of their files. */
export function describeArchive(page: string): Record<string, string> {
  const schemas = [
    ['manifest', MANIFEST_SCHEMA] as const,
    ...NOUNS.map((noun) => [noun.name, schemaOf(noun)] as const),
    ['community/manifest', COMMUNITY_MANIFEST_SCHEMA] as const,
    ['community/signed-credentials', SIGNED_CREDENTIAL_SCHEMA] as const,
    ...[...COMMUNITY_NOUNS, PEOPLE]
      .filter(isOther)
      .map((noun) => [`community/${noun.name}`, schemaOf(noun)] as const),
  ];
  const tables = {
    files: filesTable(),
    'left out': leftOutTable(),
    'of a community': communityTable(),
    'not of a community': notOfCommunityTable(),
  };
  return {
    'docs/archive.md': Object.entries(tables).reduce(
      (text, [name, table]) => replaceTable(text, name, table),
      page,
    ),
    ...Object.fromEntries(
      schemas.map(([name, schema]) => [
        `docs/archive/${name}.schema.json`,
        `${JSON.stringify(schema, null, 2)}\n`,
      ]),
    ),
  };
}

/** Whether the lines of a file are others than those in the archive of an installation. */
function isOther({ name, ofCommunity }: CommunityNoun): boolean {
  return name === PEOPLE.name || 'hidden' in ofCommunity || 'onlyAddresses' in ofCommunity;
}

function fieldsOf({ fields }: Noun, columns: string[]): string[] {
  return columns.flatMap((key) =>
    Object.keys(fields).flatMap((field) => (fields[field]?.column === key ? [`\`${field}\``] : [])),
  );
}

function communityTable(): string {
  const rows = COMMUNITY_NOUNS.map((noun) => {
    const { name, ofCommunity } = noun;
    const { hidden = {}, onlyAddresses = [] } = ofCommunity;
    const reasons = Map.groupBy(Object.keys(hidden), (column) => hidden[column] ?? '');
    const differences = [
      ...[...reasons].map(([reason, columns]) => `${fieldsOf(noun, columns).join(', ')}: null. ${reason}`),
      ...fieldsOf(noun, onlyAddresses).map((field) => `${field}: an address, or null. ${IN_PEOPLE}`),
    ];
    const schema = `archive/${isOther(noun) ? 'community/' : ''}${name}.schema.json`;
    return `| [\`${name}.ndjson\`](${schema}) | ${differences.join(' ') || '–'} |`;
  });
  const people = `| [\`people.ndjson\`](archive/community/people.schema.json) | ${PEOPLE.description} |`;
  return `\n| File | What is different |\n|---|---|\n${[...rows, people].join('\n')}\n\n`;
}

function notOfCommunityTable(): string {
  const rows = NOUNS.flatMap(({ name, ofCommunity }) =>
    typeof ofCommunity === 'string' ? [`| \`${name}.ndjson\` | ${ofCommunity} |`] : [],
  );
  return `\n| Left out | Why |\n|---|---|\n${rows.join('\n')}\n\n`;
}

function filesTable(): string {
  const rows = NOUNS.map((noun) => {
    const { name, order, description } = noun;
    const keys = fieldsOf(noun, order);
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
