import i18next from 'i18next';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Trans } from 'react-i18next';
import { beforeAll, expect, test, vi } from 'vitest';
import { VERIFY_MESSAGES } from '../pages/verify/verify-messages.ts';
import { startI18n } from './index.ts';

beforeAll(async () => {
  vi.stubGlobal('navigator', { languages: ['en'] });
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('document', { documentElement: {} });
  await startI18n(VERIFY_MESSAGES);
});

// Each names the value itself, another value, or another message.
const HOSTILE = [
  '{{host}}',
  '{{name}}',
  '{{source}}{{name}}',
  '{{count, number}}',
  '$t(issuer.title)',
  '$t(verify:issuer.says, {"name": "x"})',
  '$& $1 $`',
  '<name/><bdi>',
];

test.each(HOSTILE)('the value %s is written as it is', (value) => {
  const t = i18next.getFixedT('en', 'verify');
  const many = value.repeat(900);
  for (const text of [value, many]) {
    expect(t('issuer.ask', { host: text })).toBe(`Ask ${text}`);
    expect(t('issuer.confirmedByService', { source: text, name: text })).toBe(
      `Confirmed: ${text} signs with this key for ${text}.`,
    );
  }
});

test.each(HOSTILE)('the value %s is written as it is into a message with elements', (value) => {
  const escaped = (text: string) => renderToStaticMarkup(createElement('i', null, text)).slice(3, -4);
  for (const text of [value, value.repeat(900)]) {
    const components = { name: createElement('bdi', null, text) };
    const element = createElement(Trans<'issuer.says', 'verify'>, {
      ns: 'verify',
      i18nKey: 'issuer.says',
      components,
    });
    expect(renderToStaticMarkup(element)).toBe(`It says: <bdi>${escaped(text)}</bdi>`);
  }
});
