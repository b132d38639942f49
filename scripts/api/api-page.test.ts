import { expect, test } from 'vitest';
import { generateApiDocument } from './api-document.ts';
import { toApiPage } from './api-page.ts';

const document = await generateApiDocument();
const page = toApiPage(document);

test('the page has every call, with its description, parameters, fields and errors', () => {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { summary, description = '', parameters = [], responses }] of Object.entries(item)) {
      const [, section = ''] = page.split(`\n### ${summary}\n`);
      const call = section.split('\n### ')[0] ?? '';
      expect(call).toContain(`\`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}\``);
      expect(call).toContain(description);
      for (const { name, in: place } of parameters)
        if (place === 'query') expect(call, summary).toContain(`| \`${name}\` |`);
      for (const status of Object.keys(responses))
        if (Number(status) < 400) expect(call, summary).toContain(`**Returns ${status}**`);
    }
  }
});

test('every call has a heading and a description of its own', () => {
  const calls = Object.values(document.paths).flatMap((item) => Object.values(item));
  expect(new Set(calls.map(({ summary }) => summary)).size).toBe(calls.length);
  expect(calls.filter(({ description = '' }) => description.length < 10)).toEqual([]);
});

test('fields show their type, their limits and whether they are optional', () => {
  expect(page).toContain('| `headline` | text, 1 to 1,000 characters |');
  expect(page).toContain('| `recipients[].email` | string |');
  expect(page).toContain('| `criteria` | text, 1 to 1,000 characters, optional |');
  expect(page).toMatch(/\| `resourceId` \| integer, from 1 or null \|/);
  expect(page).toContain('**Returns 200**: a [list](interface.md#lists) of [`Token`](#token).');
  expect(page).toContain('403 `BadgeRegisterRequestNotSignedByCreator`');
});
