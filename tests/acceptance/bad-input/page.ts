import { findNginxRule, NGINX_RULES } from './behind-nginx.ts';
import { routes } from './routes.ts';
import type { Row, Section } from './row.ts';

interface Entry {
  calls: string[];
  cases: string[];
  response: string;
  why: string;
}

/**
 * Joins the rows of a call that have the same response and reason, and then the calls that have the same
 * cases.
 */
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

/**
 * Lists the calls. For all of `routes`, or all but one, returns "every `/v1` call with a JSON body" instead.
 */
function nameCalls(calls: string[]): string {
  const jsonCalls: string[] = Object.values(routes);
  const missing = jsonCalls.filter((call) => !calls.includes(call));
  if (missing.length > 1 || !calls.every((call) => jsonCalls.includes(call))) {
    return calls.map((call) => `\`${call}\``).join(', ');
  }
  return ['every `/v1` call with a JSON body', ...missing.map((call) => `except \`${call}\``)].join(' ');
}

const toCells = ({ calls, cases, response, why }: Entry) => [
  nameCalls(calls),
  cases.join('; '),
  response,
  why,
];

interface Part {
  title: string;
  /** Paragraphs and items of lists, as Markdown with no more than code spans. */
  text: string[];
  head: string[];
  rows: string[][];
}

/** The page: an introduction, a table for each section, and what nginx responds instead. */
function toParts(sections: Section[]): Part[] {
  const count = sections.reduce((sum, { rows }) => sum + rows.length, 0);
  const introduction: Part = {
    title: 'Bad input and its responses',
    text: [
      `This page lists ${count.toLocaleString('en')} requests that are invalid, or only look invalid, and the response to each. The acceptance suite sends all of them and checks the responses. Cases of one call with the same response and the same reason share a line, and so do calls with the same cases.`,
      '- The column "Response" contains the status, the `name` of the error and, where useful, the places in `errors`. `/headline` is a pointer into the body. `(body)` is the whole body. `?` marks a parameter, a header or another part of the request, such as `?limit`, `?Idempotency-Key` or `?path`.',
      '- The column "Why" contains the rule that decides the response, or the reason for this rule.',
      '- Every error is `application/problem+json` with a request id. It is never a 5xx, and reveals nothing about the implementation. A rejected request stores nothing.',
      '- The texts of an accepted case (201, 202) are stored as they were sent. Unknown fields, and fields without effect, are not stored.',
    ],
    head: [],
    rows: [],
  };
  const tables = sections.map(({ title, rows }) => ({
    title: `${title}: ${rows.length} cases`,
    text: [],
    head: ['Call', 'Cases', 'Response', 'Why'],
    rows: joinRows(rows).map(toCells),
  }));
  return [introduction, ...tables, describeNginx(sections)];
}

function describeNginx(sections: Section[]): Part {
  const rows = sections.flatMap((section) => section.rows);
  return {
    title: 'Behind nginx',
    text: [
      'With `deploy/nginx/badge.conf`, nginx itself responds to some of these requests, with problem objects of the same form. `npm run test:proxy` sends all cases through it. The responses to these differ:',
    ],
    head: ['Cases', 'Number', 'Response of nginx', 'Why'],
    rows: NGINX_RULES.map((rule) => {
      const count = rows.filter((row) => findNginxRule(row) === rule).length;
      const response = rule.response === 'both' ? 'see the cases' : rule.response;
      return [rule.description, String(count), response, rule.why];
    }),
  };
}

/** Returns the page as Markdown. */
export function toMarkdown(sections: Section[]): string {
  const toLine = (cells: string[]) =>
    `| ${cells.map((text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  const parts = toParts(sections).map(({ title, text, head, rows }, index) => {
    const table = [head, head.map(() => '---'), ...rows].map(toLine);
    return [
      `${index === 0 ? '#' : '##'} ${title}`,
      ...text,
      ...(rows.length > 0 ? [table.join('\n')] : []),
    ].join('\n\n');
  });
  return `${parts.join('\n\n')}\n`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
const toInline = (text: string) => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** Returns the page as HTML. */
export function toHtml(sections: Section[]): string {
  const [{ title = '' } = {}] = toParts(sections);
  const parts = toParts(sections).map(({ title: heading, text, head, rows }, index) => {
    const level = index === 0 ? 'h1' : 'h2';
    const paragraphs = text.map((paragraph) => `<p>${toInline(paragraph.replace(/^- /, ''))}</p>`);
    const lines = rows.map(
      (cells) => `<tr>${cells.map((text) => `<td>${toInline(text)}</td>`).join('')}</tr>`,
    );
    const names = head.map((name) => `<th>${name}</th>`).join('');
    const table = `<table><thead><tr>${names}</tr></thead><tbody>\n${lines.join('\n')}\n</tbody></table>`;
    return [
      `<${level}>${toInline(heading)}</${level}>`,
      ...paragraphs,
      ...(rows.length > 0 ? [table] : []),
    ].join('\n');
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem}td,th{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;overflow-wrap:anywhere}@media(max-width:60rem){thead{display:none}table,tbody,tr,td{display:block}td{padding:0}tr{padding:.8rem 0;border-top:1px solid #8885}}</style></head>
<body><main>${parts.join('\n')}</main></body></html>
`;
}
