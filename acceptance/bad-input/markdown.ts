import { findNginxRule, NGINX_RULES } from './behind-nginx.ts';
import { routes } from './routes.ts';
import type { Row, Section } from './row.ts';

interface Entry {
  calls: string[];
  cases: string[];
  response: string;
  why: string;
}

/** Joins the rows of a call that have the same response and reason, and then the calls that have the same cases. */
function joinRows(rows: Row[]): Entry[] {
  const rowsOfCalls = groupBy(rows, ({ call, response, why }) => [call, response, why]);
  const callEntries = rowsOfCalls.map(([first, ...others]) => ({
    ...first,
    cases: [first, ...others].map((row) => row.case),
  }));
  const entriesOfCases = groupBy(callEntries, ({ cases, response, why }) => [cases, response, why]);
  return entriesOfCases.map(([first, ...others]) => ({
    ...first,
    calls: [first, ...others].map(({ call }) => call),
  }));
}

/** Groups the items whose keys have the same JSON. */
function groupBy<Item>(items: Item[], keyOf: (item: Item) => unknown): [Item, ...Item[]][] {
  return [...Map.groupBy(items, (item) => JSON.stringify(keyOf(item))).values()] as [Item, ...Item[]][];
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Lists the calls. For all of `routes`, or all but one, returns "every `/v1` call with a JSON body" instead. */
function nameCalls(calls: string[]): string {
  const jsonCalls: string[] = Object.values(routes);
  const missing = jsonCalls.filter((call) => !calls.includes(call));
  if (missing.length > 1 || !calls.every((call) => jsonCalls.includes(call))) {
    return calls.map((call) => `\`${call}\``).join(', ');
  }
  return ['every `/v1` call with a JSON body', ...missing.map((call) => `except \`${call}\``)].join(' ');
}

const toLine = ({ calls, cases, response, why }: Entry) =>
  `| ${[nameCalls(calls), cases.join('; '), response, why].map(cell).join(' | ')} |`;

/** Returns the sections as the text of docs/bad-input.md. */
export function toMarkdown(sections: Section[]): string {
  const count = sections.reduce((sum, { rows }) => sum + rows.length, 0);
  const tables = sections.map(({ title, rows }) =>
    [
      `## ${title}: ${rows.length} cases`,
      '',
      '| Call | Cases | Response | Why |',
      '|---|---|---|---|',
      ...joinRows(rows).map(toLine),
    ].join('\n'),
  );
  const intro = `# Bad input and its responses

This page lists ${count.toLocaleString('en')} requests that are invalid, or only look invalid, and the response to each. The acceptance suite sends all of them and checks the responses. The rows are in \`acceptance/bad-input/\`; \`npm run docs:bad-input\` writes this page from them. Cases of one call with the same response and the same reason share a line, and so do calls with the same cases.

- The column "Response" contains the status, the error's \`name\` and, where useful, the places in \`errors\`. \`/headline\` is a pointer into the body. \`(body)\` is the whole body. \`?\` marks a parameter, a header or another part of the request, such as \`?limit\`, \`?Idempotency-Key\` or \`?path\`.
- The column "Why" contains the rule that decides the response, or the reason for this rule.
- Every error is \`application/problem+json\` with a request id (see [interface.md](interface.md#errors)). It is never a 5xx, and reveals nothing about the implementation. A rejected request stores nothing.
- The texts of an accepted case (201, 202) are stored as they were sent. Unknown fields, and fields without effect, are not stored.`;
  return `${[intro, ...tables, describeNginx(sections)].join('\n\n')}\n`;
}

function describeNginx(sections: Section[]): string {
  const rows = sections.flatMap((section) => section.rows);
  const lines = NGINX_RULES.map((rule) => {
    const count = rows.filter((row) => findNginxRule(row) === rule).length;
    const response = rule.response === 'both' ? 'see the cases' : rule.response;
    return `| ${[rule.description, String(count), response, rule.why].map(cell).join(' | ')} |`;
  });
  return `## Behind nginx

With [deploy/nginx/badge.conf](../deploy/nginx/badge.conf), nginx itself responds to some of these requests, with problem objects of the same form. \`npm run test:proxy\` sends all cases through it. The responses to these differ:

| Cases | Number | Response of nginx | Why |
|---|---|---|---|
${lines.join('\n')}`;
}
