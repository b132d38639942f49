import { expect, test } from 'vitest';
import { toEmbedHtml, toReadmeLine } from './embed-code.ts';

const BADGE = {
  origin: 'https://badge.example',
  tokenId: 7,
  headline: 'Speaker "A" <b>2026</b> & [more](javascript:alert(1))',
  owner: '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
};

test('the HTML is one frame, whatever the headline contains', () => {
  expect(toEmbedHtml(BADGE)).toBe(
    '<iframe src="https://badge.example/embed/token/7?owner=0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044"' +
      ' title="Speaker &quot;A&quot; &lt;b&gt;2026&lt;/b&gt; &amp; [more](javascript:alert(1))"' +
      ' width="400" height="200" loading="lazy" frameborder="0"' +
      ' style="border:0;border-radius:12px;max-width:100%"></iframe>',
  );
});

test('the Markdown is one picture with one link, whatever the headline contains', () => {
  expect(toReadmeLine(BADGE)).toBe(
    '[![Speaker "A" \\<b\\>2026\\</b\\> \\& \\[more\\](javascript:alert(1))](https://badge.example/images/token/7.svg)]' +
      '(https://badge.example/token/7?owner=0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044)',
  );
  const line = toReadmeLine({ ...BADGE, headline: `two\n\nlines ${'x'.repeat(200)}` });
  expect(line).toMatch(/^\[!\[two lines x+…\]\(/);
});
