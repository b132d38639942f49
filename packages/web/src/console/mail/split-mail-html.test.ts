import { expect, test } from 'vitest';
import { splitMailHtml } from './split-mail-html.ts';

test('the styles of a mail are taken out of its HTML', () => {
  const mail =
    '<html><head><style>\n.text { color: red; }\n</style></head><body style="margin:0"><p class="text" style="color:blue">A text with style=&quot;x&quot;</p></body></html>';
  expect(splitMailHtml(mail)).toEqual({
    html: '<html><head></head><body data-style="margin:0"><p class="text" data-style="color:blue">A text with style=&quot;x&quot;</p></body></html>',
    css: '\n.text { color: red; }\n',
  });
});
