import fc from 'fast-check';
import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import { expect, test } from 'vitest';
import { composeMail, toSender } from '../../src/mail/compose-mail.ts';
import { toMessage } from '../../src/mail/mail-transport.ts';
import { toHeaderText } from '../../src/mail/plain-text.ts';

const PUBLIC_URL = 'https://badges.example.org';
const FROM = { name: 'Badges', address: 'badges@example.org' };
const TO = 'ada@example.net';
const URL = `${PUBLIC_URL}/claim/1#ABC`;
const UNSUBSCRIBE_URL = `${PUBLIC_URL}/unsubscribe?community=demo&person=x&language=en`;
const KINDS = ['invitation', 'confirmation', 'reservation'] as const;
const composer = createTransport({ streamTransport: true, buffer: true });

interface Texts {
  kind: (typeof KINDS)[number];
  community: string;
  headline: string;
  name: string;
  message: string;
}

/** Writes a mail with these texts, and reads it as a mail program does. */
async function send({ kind, community, headline, name, message }: Texts) {
  const content = {
    community,
    headline,
    name,
    message,
    language: 'en',
    invitedAt: null,
    claimableFrom: null,
    expiresAt: null,
    timeZone: null,
  } as const;
  const mail = composeMail(kind, {
    ...content,
    url: URL,
    wallet: null,
    publicUrl: PUBLIC_URL,
    unsubscribeUrl: UNSUBSCRIBE_URL,
  });
  const from = toSender(FROM, community, PUBLIC_URL);
  const picture = { content: Buffer.of(1), contentType: 'image/png' };
  const to = { name, address: TO };
  const { message: bytes } = await composer.sendMail(
    toMessage({ ...mail, mailId: '1', from, to, picture, unsubscribeUrl: UNSUBSCRIBE_URL }),
  );
  return { parsed: await simpleParser(bytes as Buffer), from, subject: mail.subject };
}

const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
// How a parser puts the words of a header together again is its matter.
const withoutSpaces = (text = '') => text.replaceAll(/\s+/g, '');
const addressesOf = (parsed: AddressObject | AddressObject[] | undefined) =>
  [parsed].flat().flatMap((object) => object?.value ?? []);

function expectIntended(
  { parsed, from, subject }: { parsed: ParsedMail; from: { name: string }; subject: string },
  name: string,
): void {
  expect(addressesOf(parsed.from)).toEqual([{ address: FROM.address, name: expect.any(String) }]);
  expect(withoutSpaces(parsed.from?.value[0]?.name)).toBe(withoutSpaces(from.name));
  expect(parsed.from?.value[0]?.name).toMatch(/(^| )via Badges$/);
  const [receiver, ...others] = addressesOf(parsed.to);
  expect([receiver?.address, ...others]).toEqual([TO]);
  expect(withoutSpaces(receiver?.name)).toBe(withoutSpaces(toHeaderText(name)));
  expect(withoutSpaces(parsed.subject)).toBe(withoutSpaces(subject));
  for (const text of [parsed.subject ?? '', parsed.from?.text ?? '', [parsed.to].flat()[0]?.text ?? '']) {
    expect(text).not.toMatch(HIDDEN);
  }
  expect([parsed.cc, parsed.bcc, parsed.replyTo]).toEqual([undefined, undefined, undefined]);
  const header = parsed.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line;
  expect(withoutSpaces(header)).toBe(`List-Unsubscribe:<${UNSUBSCRIBE_URL}>`);
  expect(parsed.text).toContain(URL);
}

const encodedWord = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
const PIECES = fc.constantFrom(
  encodedWord('Bank" <boss@bank.example>'),
  '=?utf-8?Q?Bank_=3Cboss=40bank.example=3E?=',
  '=?',
  '?=',
  '=',
  '?',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  '\r\nBcc: eve@example.org',
  '<eve@example.org>',
  '@',
  '"',
  '\\',
  ',',
  ';',
  ':',
  '(',
  ' ',
  '\u00a0',
  '\u2028',
  '\ud800',
  'Zürich',
  'شارة',
  '👩‍🚀',
);
const TEXT = fc
  .array(fc.oneof(PIECES, fc.string({ unit: 'binary', maxLength: 10 }), fc.string({ maxLength: 10 })), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));
const TEXTS = fc.record({
  kind: fc.constantFrom(...KINDS),
  community: TEXT,
  headline: TEXT,
  name: TEXT,
  message: TEXT,
});

test('whatever people write, a mail has one sender, one receiver and the intended subject', async () => {
  await fc.assert(
    fc.asyncProperty(TEXTS, async (texts) => expectIntended(await send(texts), texts.name)),
    { numRuns: 50 },
  );
});

test('an encoded word stays the text that it is, and marks of direction go', async () => {
  const word = encodedWord('Bank" <boss@bank.example>');
  const { parsed } = await send({
    kind: 'invitation',
    community: word,
    headline: `\u202egnp.exe\u061c ${word}`,
    name: word,
    message: '\u202eabc\u2066',
  });
  const broken = word.replaceAll('=?', '= ?');
  expect(parsed.subject).toBe(`${broken} has a badge for you: gnp.exe ${broken}`);
  expect(parsed.from?.value).toEqual([{ address: FROM.address, name: `${broken} via Badges` }]);
  expect(addressesOf(parsed.to)).toEqual([{ address: TO, name: broken }]);
  for (const part of [parsed.text ?? '', String(parsed.html)])
    expect(part).not.toMatch(/[\u202e\u2066\u061c]/);
});
