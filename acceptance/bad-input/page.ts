import { routes } from './routes.ts';
import type { Family, Row } from './row.ts';

interface Entry {
  calls: string[];
  cases: string[];
  answer: string;
  why: string;
}

/** Rows that are answered alike for one reason, as one: the cases of a call, then the calls of these cases. */
function join(rows: Row[]): Entry[] {
  const byCall = Map.groupBy(rows, ({ call, answer, why }) => JSON.stringify([call, answer, why]));
  const ofCalls = [...byCall.values()].flatMap((alike) => {
    const [{ call, answer, why } = { call: '', answer: '', why: '' }] = alike;
    return { call, cases: alike.map((row) => row.case), answer, why };
  });
  const byCases = Map.groupBy(ofCalls, ({ cases, answer, why }) => JSON.stringify([cases, answer, why]));
  return [...byCases.values()].flatMap((alike) =>
    alike
      .slice(0, 1)
      .map(({ cases, answer, why }) => ({ calls: alike.map(({ call }) => call), cases, answer, why })),
  );
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** The calls by name or, where all that take JSON are meant but one at most, together. */
function nameCalls(calls: string[]): string {
  const left = Object.values(routes).filter((call) => !calls.includes(call));
  if (calls.length + left.length > Object.keys(routes).length || left.length > 1) {
    return calls.map((call) => `\`${call}\``).join(', ');
  }
  return ['every call with a JSON body', ...left.map((call) => `but \`${call}\``)].join(' ');
}

const toLine = ({ calls, cases, answer, why }: Entry) =>
  `| ${[nameCalls(calls), cases.join('; '), answer, why].map(cell).join(' | ')} |`;

/** The table of bad input as a page of Markdown. */
export function writePage(families: Family[]): string {
  const count = families.reduce((sum, { rows }) => sum + rows.length, 0);
  const sections = families.map(({ title, rows }) =>
    [
      `## ${title}: ${rows.length} cases`,
      '',
      '| Call | Cases | Answer | Why |',
      '|---|---|---|---|',
      ...join(rows).map(toLine),
    ].join('\n'),
  );
  const intro = `# Bad input, and what it is answered

${count.toLocaleString('en')} requests that are wrong, or only look wrong, and the answer that each gets. The acceptance suite sends every one of them and compares; \`npm run docs:bad-input\` writes this page from its rows in \`acceptance/bad-input/\`. Cases of one call that are answered alike for one reason share a line, with semicolons between them.

- An answer is the status, the \`name\` in the problem object and, where they help, the places in \`errors\`: \`/headline\` is a pointer into the body, \`(body)\` the body as a whole, \`?limit\` a parameter, a header or a part of the request.
- Every "no" is \`application/problem+json\` with a request id (see [interface.md](interface.md#errors)), is never a 5xx, tells nothing of the inside, and stores nothing.
- A case that is accepted (200, 201, 202) is stored as it was sent.`;
  return `${[intro, ...sections].join('\n\n')}\n`;
}
