import { routes } from './routes.ts';
import type { Row, Section } from './row.ts';

interface Entry {
  calls: string[];
  cases: string[];
  answer: string;
  why: string;
}

/** Joins rows with the same answer and reason: first the cases of one call, then calls with the same cases. */
function join(rows: Row[]): Entry[] {
  const byCall = Map.groupBy(rows, ({ call, answer, why }) => JSON.stringify([call, answer, why]));
  const callEntries = [...byCall.values()].flatMap((group) => {
    const [{ call, answer, why } = { call: '', answer: '', why: '' }] = group;
    return { call, cases: group.map((row) => row.case), answer, why };
  });
  const byCases = Map.groupBy(callEntries, ({ cases, answer, why }) => JSON.stringify([cases, answer, why]));
  return [...byCases.values()].flatMap((group) =>
    group
      .slice(0, 1)
      .map(({ cases, answer, why }) => ({ calls: group.map(({ call }) => call), cases, answer, why })),
  );
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Lists the calls, or says "every call with a JSON body" when at most one of those is missing. */
function nameCalls(calls: string[]): string {
  const left = Object.values(routes).filter((call) => !calls.includes(call));
  if (calls.length + left.length > Object.keys(routes).length || left.length > 1) {
    return calls.map((call) => `\`${call}\``).join(', ');
  }
  return ['every call with a JSON body', ...left.map((call) => `except \`${call}\``)].join(' ');
}

const toLine = ({ calls, cases, answer, why }: Entry) =>
  `| ${[nameCalls(calls), cases.join('; '), answer, why].map(cell).join(' | ')} |`;

/** Returns the sections as the text of docs/bad-input.md. */
export function toMarkdown(sections: Section[]): string {
  const count = sections.reduce((sum, { rows }) => sum + rows.length, 0);
  const tables = sections.map(({ title, rows }) =>
    [
      `## ${title}: ${rows.length} cases`,
      '',
      '| Call | Cases | Answer | Why |',
      '|---|---|---|---|',
      ...join(rows).map(toLine),
    ].join('\n'),
  );
  const intro = `# Bad input and its answers

This page lists ${count.toLocaleString('en')} requests that are invalid, or only look invalid, and the answer to each. The acceptance suite sends all of them and compares the answers. The rows are in \`acceptance/bad-input/\`; \`npm run docs:bad-input\` writes this page from them. Cases of one call with the same answer and the same reason share a line.

- An answer is the status, the error's \`name\` and, where useful, the places in \`errors\`. \`/headline\` is a pointer into the body. \`(body)\` is the whole body. \`?limit\` is a parameter, a header or a part of the request.
- Every error is \`application/problem+json\` with a request id (see [interface.md](interface.md#errors)). It is never a 5xx, reveals nothing about the implementation and stores nothing.
- An accepted case (200, 201, 202) is stored as it was sent.`;
  return `${[intro, ...tables].join('\n\n')}\n`;
}
