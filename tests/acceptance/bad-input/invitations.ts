import type { Body } from '../shapes.ts';
import { invalidAt, type Row, rowWithFields, rowWithLiteral } from './row.ts';

const recipientsRule = '1 to 1,000 recipients, each with an `email`';
const emailRule =
  'An e-mail address with ASCII before the `@`, and a domain that does not imitate another one';
const nameRule = 'A name is one line of up to 100 characters, because it becomes part of a header';
const languageRule = 'The languages are `en`, `es` and `ar`';
const addressRule = 'An address is a wallet on the allowlist: `0x` and 40 hex digits, with a right checksum';
const messageRule = 'A message has up to 1,000 characters';
const timeZoneRule = 'The name of a time zone has up to 64 characters';
const timeRule = 'A time is an integer, in milliseconds since 1970, in the future';

const row = (title: string, fields: Body, response: string, why: string) =>
  rowWithFields('createInvitations', title, fields, response, why);

const email = 'ada@example.org';

export const invitationRows: Row[] = [
  ...['"ada@example.org"', '1', 'true', '{}', '[]'].map((literal) =>
    rowWithLiteral('createInvitations', 'recipients', literal, invalidAt('/recipients'), recipientsRule),
  ),
  ...['null', '"ada@example.org"', '1', '[]'].map((literal) =>
    rowWithLiteral(
      'createInvitations',
      'recipients',
      `[${literal}]`,
      invalidAt('/recipients/0'),
      recipientsRule,
    ),
  ),
  row(
    '1,001 recipients',
    { recipients: Array.from({ length: 1_001 }, (_, index) => ({ email: `${index}@example.org` })) },
    invalidAt('/recipients'),
    recipientsRule,
  ),
  row(
    'a recipient without an address',
    { recipients: [{}] },
    invalidAt('/recipients/0/email'),
    recipientsRule,
  ),
  ...[1, null, true, [email], { email }].map((value) =>
    row(
      `an address that is ${JSON.stringify(value)}`,
      { recipients: [{ email: value }] },
      invalidAt('/recipients/0/email'),
      emailRule,
    ),
  ),
  ...(
    [
      ['is empty', ''],
      ['has no `@`', 'ada'],
      ['has nothing before the `@`', '@example.org'],
      ['has no domain', 'ada@'],
      ['has a domain of one label', 'ada@localhost'],
      ['has an empty label', 'ada@example..org'],
      ['has an IP address', 'ada@[127.0.0.1]'],
      ['has an IP address without brackets', 'ada@127.0.0.1'],
      ['is two addresses', 'ada@example.org,omar@example.org'],
      ['is a mailbox with a name', 'Ada <ada@example.org>'],
      ['has a quoted local part', '"ada lovelace"@example.org'],
      ['begins with a dot', '.ada@example.org'],
      ['has a line break and a header', 'ada@example.org\r\nBcc: omar@example.org'],
      ['has a line break within', 'ada\r\n@example.org'],
      ['has NUL', 'ada\0@example.org'],
      ['has letters before the `@` that are not ASCII', 'adá@example.org'],
      ['has 65 characters before the `@`', `${'a'.repeat(65)}@example.org`],
      ['has 255 characters', `ada@${'example.'.repeat(31)}org`],
      ['has a domain with Latin and Cyrillic letters', 'ada@ex\u0430mple.org'],
      [
        'has a domain of Cyrillic letters that look like Latin ones',
        'ada@\u0430\u0440\u0440\u04cf\u0435.com',
      ],
      ['has such a domain in its ASCII form', 'ada@xn--80ak6aa92e.com'],
      ['has an invalid ASCII form of a domain', 'ada@xn--a.org'],
    ] as [string, string][]
  ).map(([title, value]) =>
    row(
      `an address that ${title}`,
      { recipients: [{ email }, { email: value }] },
      invalidAt('/recipients/1/email'),
      emailRule,
    ),
  ),
  ...['a\r\nBcc: omar@example.org', 'a\nb', 'a\u2028b', 'a\tb', 'a'.repeat(101)].map((name, index) =>
    row(
      `a name with ${['a header', 'a line feed', 'a line separator', 'a tab', '101 characters'][index]}`,
      { recipients: [{ email, name }] },
      invalidAt('/recipients/0/name'),
      nameRule,
    ),
  ),
  ...['ada.eth', '0x1', `0x${'0'.repeat(39)}g`, '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717d0044', 1].map(
    (address) =>
      row(
        `the wallet ${JSON.stringify(address)}`,
        { recipients: [{ email, address }] },
        invalidAt('/recipients/0/address'),
        addressRule,
      ),
  ),
  row(
    'a wallet, for an open token',
    { recipients: [{ email, address: '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044' }] },
    '409 AllowlistMismatch',
    'An open token has no allowlist',
  ),
  row(
    'a wallet with two e-mails',
    {
      recipients: [email, 'omar@example.org'].map((one) => ({
        email: one,
        address: '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
      })),
    },
    invalidAt('/recipients/1/address'),
    'A wallet has one invitation to a token',
  ),
  ...['de', 'EN', '', 1].map((language) =>
    row(
      `the language ${JSON.stringify(language)}`,
      { recipients: [{ email, language }] },
      invalidAt('/recipients/0/language'),
      languageRule,
    ),
  ),
  row('a message of 1,001 characters', { message: 'a'.repeat(1_001) }, invalidAt('/message'), messageRule),
  ...['1', 'true', '{}', '["a"]'].map((literal) =>
    rowWithLiteral('createInvitations', 'message', literal, invalidAt('/message'), messageRule),
  ),
  ...(['createInvitations', 'previewInvitation'] as const).flatMap((name) => [
    rowWithFields(
      name,
      'a time zone of 65 characters',
      { timeZone: 'a'.repeat(65) },
      invalidAt('/timeZone'),
      timeZoneRule,
    ),
    rowWithFields(
      name,
      'a time zone with NUL',
      { timeZone: 'Europe/Madrid\0' },
      invalidAt('/timeZone'),
      'Text must not contain NUL',
    ),
    ...['1', 'true', '{}', '["Europe/Madrid"]'].map((literal) =>
      rowWithLiteral(name, 'timeZone', literal, invalidAt('/timeZone'), timeZoneRule),
    ),
  ]),
  ...['0', '1700000000000', '"tomorrow"', '-1', '1.5', '8640000000000001'].map((literal) =>
    rowWithLiteral(
      'createInvitations',
      'expiresAtTimestamp',
      literal,
      invalidAt('/expiresAtTimestamp'),
      timeRule,
    ),
  ),
  row(
    'a signature, for an open token',
    { signature: `0x${'11'.repeat(32)}${'22'.repeat(32)}1b` },
    '409 AllowlistMismatch',
    'An open token has no allowlist',
  ),
  {
    ...row(
      'for an allowlisted token: an address that is not on the allowlist, without a signature',
      {},
      invalidAt('/recipients/0/email'),
      "The token's creator must sign an addition to the allowlist",
    ),
    send: (fixture) =>
      fixture.send('createInvitations', {
        path: (valid) => valid.replace(/tokens\/\d+/, `tokens/${fixture.allowlistedTokenId}`),
      }),
  },
  ...['a\nb', 'a'.repeat(101)].map((name, index) =>
    rowWithFields(
      'previewInvitation',
      `a name with ${['a line feed', '101 characters'][index]}`,
      { name },
      invalidAt('/name'),
      nameRule,
    ),
  ),
];
