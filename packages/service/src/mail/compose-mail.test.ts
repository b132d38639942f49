import { MAIL_LANGUAGES } from '@badge/protocol';
import { describe, expect, test } from 'vitest';
import { composeMail, type MailContent, NO_TOKEN } from './compose-mail.ts';
import { MAIL_TEXTS } from './mail-texts.ts';

const CONTENT = {
  language: 'en',
  name: 'Ada',
  community: 'Analytical Society',
  headline: 'Speaker 2026',
  message: 'Thank you!',
  url: 'https://badges.example.org/claim/1#ABC',
  wallet: null,
  invitedAt: null,
  claimableFrom: null,
  expiresAt: new Date(Date.UTC(2090, 0, 2, 3, 4)),
  timeZone: null,
  publicUrl: 'https://badges.example.org',
  unsubscribeUrl: 'https://badges.example.org/unsubscribe?community=demo&person=x&language=en',
} satisfies MailContent;

describe.each(MAIL_LANGUAGES)('in %s', (language) => {
  const mail = composeMail('invitation', { ...CONTENT, language });

  test('both parts say what, who, until when, and how to unsubscribe', () => {
    expect(mail.subject).toContain('Speaker 2026');
    for (const part of [mail.text, mail.html]) {
      for (const text of [
        'Analytical Society',
        'Speaker 2026',
        'Ada',
        'Thank you!',
        '2090',
        'badges.example.org',
      ]) {
        expect(part).toContain(text);
      }
      expect(part).toContain(CONTENT.url);
    }
    expect(mail.text).toContain(CONTENT.unsubscribeUrl);
    expect(mail.html).toContain(CONTENT.unsubscribeUrl.replaceAll('&', '&amp;'));
  });

  test('a mail for a wallet says which, has no code, and may be passed on', () => {
    const url = 'https://badges.example.org/claim/1';
    const listed = composeMail('listed', {
      ...CONTENT,
      language,
      url,
      wallet: '0x530E…0044',
      expiresAt: null,
    });
    expect(listed.subject).toBe(mail.subject);
    for (const part of [listed.text, listed.html]) {
      // Written from left to right, also in Arabic.
      expect(part).toContain('\u20660x530E…0044\u2069');
      expect(part).toContain(url);
      expect(part).not.toContain(`${url}#`);
      expect(part).not.toContain(MAIL_TEXTS[language].personal);
      expect(part).not.toContain(MAIL_TEXTS[language].thePage);
    }
    expect(listed.text).toContain(CONTENT.unsubscribeUrl);
  });

  test('a mail with which somebody signs in has its code where others do not see it', () => {
    const code = '7K2M-9QPD';
    const url = `https://badges.example.org/sign-in?to=%2Ftoken%2F1#${code}`;
    const signIn = composeMail('signIn', { ...CONTENT, ...NO_TOKEN, language, community: '', url, code });
    expect(signIn.subject).toContain('badges.example.org');
    expect(signIn.subject).not.toContain(code);
    const [preview = '', shown = ''] = signIn.html.split('<h1');
    expect(preview).not.toContain(code);
    expect(shown).toContain(`>${code}</p>`);
    expect(signIn.text).toContain(`\n\n${code}\n\n`);
    for (const part of [signIn.text, signIn.html]) {
      expect(part).toContain(url);
      expect(part).toContain('15');
      expect(part).toContain(MAIL_TEXTS[language].confirmation.ignore);
    }
    expect(signIn.html).not.toContain('src=');
  });

  test('the HTML loads nothing, and is readable in the dark', () => {
    expect(mail.html.match(/src="[^"]*"/g)).toEqual(['src="cid:badge@picture"']);
    expect(mail.html).not.toMatch(/url\(|@import|<link|<script/i);
    expect(mail.html).toContain('@media (prefers-color-scheme: dark)');
    expect(mail.html).toContain(language === 'ar' ? 'dir="rtl"' : 'dir="ltr"');
  });
});

test('texts of others are escaped, in one line, and cannot reverse the text around them', () => {
  const mail = composeMail('invitation', {
    ...CONTENT,
    name: '<img src=x>\r\nBcc: a@b.c',
    community: 'Evil\u202e "Corp" <script>\r\nX: y',
    headline: `${'long '.repeat(100)}\u2028end`,
    message: '<a href="x">\u0000\r\n\r\n\r\n\r\nend',
  });
  expect(mail.subject).not.toMatch(/[\r\n\u202e]/);
  expect([...mail.subject].length).toBeLessThanOrEqual(150);
  expect(mail.html).not.toMatch(/<script|<img src=x|<a href="x"/);
  for (const character of ['\u0000', '\u202e']) expect(mail.html).not.toContain(character);
  expect(mail.text).toContain('> <a href="x">\n>\n> end');
});

test('a mail without a name, a message and an end has none of them', () => {
  const mail = composeMail('invitation', { ...CONTENT, name: ' ', message: ' \n ', expiresAt: null });
  expect(mail.text).toContain('Hello,\n');
  expect(mail.text).not.toContain('writes:');
  expect(mail.text).not.toContain('until');
  expect(mail.html).not.toContain('<blockquote');
});

test.each([
  [null, '2090-12-31T24:00Z', 'until 31 December 2090.'],
  [null, '2090-12-31T23:00Z', 'until 31 December 2090 at 23:00 UTC.'],
  ['Europe/Madrid', '2090-12-31T23:00Z', 'until 31 December 2090.'],
  ['Europe/Madrid', '2090-12-31T17:00Z', 'until 31 December 2090 at 18:00 CET.'],
  ['America/New_York', '2091-01-01T05:00Z', 'until 31 December 2090.'],
  ['Asia/Kolkata', '2090-12-31T18:30Z', 'until 31 December 2090.'],
  ['Asia/Kolkata', '2090-12-31T24:00Z', 'until 1 January 2091 at 05:30 GMT+5:30.'],
  // Clocks were put forward at midnight, so a day has begun at 01:00.
  ['America/Santiago', '2026-09-06T04:00Z', 'until 5 September 2026.'],
  ['Nowhere/Else', '2090-12-31T24:00Z', 'until 31 December 2090.'],
])('in the time zone %s, the end %s is written "%s"', (timeZone, end, text) => {
  const mail = composeMail('invitation', { ...CONTENT, timeZone, expiresAt: new Date(end) });
  for (const part of [mail.text, mail.html]) expect(part).toContain(text);
});

test.each(MAIL_LANGUAGES)('the end of a day has no time in %s', (language) => {
  const expiresAt = new Date('2090-12-31T23:00Z');
  const { text } = composeMail('invitation', { ...CONTENT, language, timeZone: 'Europe/Madrid', expiresAt });
  expect(text).toMatch(/31 (de )?\S+ (de )?2090\./);
  expect(text).not.toContain('2091');
});
