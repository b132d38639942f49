import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ListRow } from '../../lists/read-workbook.ts';
import { labelColumns } from './columns-part.tsx';
import { guessColumns } from './guess-columns.ts';
import { PeopleTable } from './people-table.tsx';
import { planLines } from './plan-lines.ts';
import { readPeople } from './read-people.ts';

const KNOWN = {
  holders: new Set(''),
  contributors: new Map(),
  linked: new Set(''),
  invitations: new Map(),
  told: new Set<string>(),
  names: new Map(),
};

test.each([
  [true, 'mailTo'],
  [false, 'noMailTo'],
])('a line with a wallet and an e-mail says which is used (isInviting: %s)', (isInviting, text) => {
  const line = {
    line: 1,
    name: 'Ada',
    recipient: '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
    email: 'ada@example.org',
  };
  const html = renderToStaticMarkup(
    createElement(PeopleTable, {
      lines: [line],
      plans: planLines([line], true, KNOWN, isInviting),
      isInviting,
      columnLabels: [],
      onCorrect: () => {},
      onRemove: () => {},
    }),
  );
  expect(html).toContain(`give.table.${text}`);
});

test('of a very long cell, the begin is shown, and all of it is checked', () => {
  const long = 'x'.repeat(300_000);
  const rows: ListRow[] = [
    ['E-mail', `Name ${long}`],
    [`ann@example.org${long}`, 'Ann Lee'],
    ['bob@example.org', `Bob ${long}`],
  ].map((cells, index) => ({ line: index + 1, cells, isHidden: false }));
  const mapping = guessColumns(rows, 1);
  const lines = readPeople(rows, mapping);
  const plans = planLines(lines, false, KNOWN);
  expect(plans.map(({ kind }) => kind)).toEqual(['wrong', 'link']);
  const html = renderToStaticMarkup(
    createElement(PeopleTable, {
      lines,
      plans,
      isInviting: false,
      columnLabels: labelColumns(rows, { ...mapping, titleLine: 1 }),
      onCorrect: () => {},
      onRemove: () => {},
    }),
  );
  expect(html).toContain('value="ann@example.org');
  expect(html.length).toBeLessThan(10_000);
});
