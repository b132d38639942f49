import { expect, test } from 'vitest';
import { countPlanned } from './notification-counts.ts';
import type { PersonLine } from './person-line.ts';
import { type KnownPeople, planLines, toKey } from './plan-lines.ts';

const A = '0x52908400098527886E0F7030069857D2E4169EE7';
const B = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const NOBODY: KnownPeople = {
  holders: new Set(),
  contributors: new Map(),
  linked: new Set(),
  invitations: new Map(),
  told: new Set(),
  names: new Map(),
};

function linesOf(...recipients: string[]): PersonLine[] {
  return recipients.map((recipient, index) => ({ line: index + 1, name: '', recipient, email: '' }));
}

test('addresses are airdropped or listed, by the kind of the badge, and e-mails get links', () => {
  const kindsOf = (isAllowlisted: boolean) =>
    planLines(linesOf(A, 'ada@example.org'), isAllowlisted, NOBODY).map(({ kind }) => kind);
  expect(kindsOf(false)).toEqual(['airdrop', 'link']);
  expect(kindsOf(true)).toEqual(['list', 'link']);
});

test('what was done before is not done again', () => {
  const known: KnownPeople = {
    holders: new Set([A.toLowerCase()]),
    contributors: new Map([
      [toKey(B), { hasClaimed: false }],
      [toKey('has@example.org'), { hasClaimed: true }],
      [toKey('listed@example.org'), { hasClaimed: false }],
    ]),
    linked: new Set([toKey('Linked@example.org')]),
    invitations: new Map(),
    told: new Set(),
    names: new Map(),
  };
  const lines = linesOf(A, B, 'HAS@example.org', 'listed@example.org', 'linked@example.org');
  expect(planLines(lines, true, known).map(({ kind }) => kind)).toEqual([
    'has',
    'listed',
    'has',
    'link',
    'linked',
  ]);
});

test('nobody is invited twice, and who did not get the mail can still get a link', () => {
  const invitations = new Map(
    (['scheduled', 'queued', 'sent', 'failed', 'claimed', 'unsubscribed'] as const).map((status) => [
      toKey(`${status}@example.org`),
      status,
    ]),
  );
  const lines = linesOf(...[...invitations.keys(), 'new@example.org'].map((email) => email.toUpperCase()));
  const kindsOf = (isInviting: boolean) =>
    planLines(lines, false, { ...NOBODY, invitations }, isInviting).map(({ kind }) => kind);
  expect(kindsOf(true)).toEqual(['invited', 'invited', 'invited', 'failed', 'has', 'unsubscribed', 'link']);
  expect(kindsOf(false)).toEqual(['invited', 'invited', 'invited', 'link', 'has', 'link', 'link']);
  // The link of a mail that has failed is nobody's.
  const linked = new Set([toKey('failed@example.org')]);
  const failed = linesOf('failed@example.org');
  expect(planLines(failed, true, { ...NOBODY, invitations, linked })[0]?.kind).toBe('link');
});

test('the same recipient is given only once, also in another case', () => {
  const lines = linesOf(A, 'Ada@example.org', A.toLowerCase(), 'ada@EXAMPLE.org');
  expect(planLines(lines, true, NOBODY)).toEqual([
    { kind: 'list', recipient: A },
    { kind: 'link', recipient: 'Ada@example.org', isListed: false },
    { kind: 'repeated', recipient: A, firstLine: 1 },
    { kind: 'repeated', recipient: 'ada@EXAMPLE.org', firstLine: 2 },
  ]);
});

test('marks of direction do not count, and a domain in its two forms is the same one', () => {
  const lines = linesOf(`\u202a${A}`, '\u202aada@bücher.example\u202c', 'ada@xn--bcher-kva.example');
  expect(planLines(lines, true, NOBODY)).toEqual([
    { kind: 'list', recipient: A },
    { kind: 'link', recipient: 'ada@bücher.example', isListed: false },
    { kind: 'repeated', recipient: 'ada@xn--bcher-kva.example', firstLine: 2 },
  ]);
});

test('whoever has only a name gets a link, unless a link has this name', () => {
  const named = ['Ada', 'Ada', 'ROSA', 'Bob'].map((name, index) => ({
    line: index + 1,
    name,
    recipient: '',
    hasOnlyName: true as const,
    email: '',
  }));
  const names = new Map([
    ['rosa', { hasClaimed: false }],
    ['bob', { hasClaimed: true }],
  ]);
  const plans = planLines(named, true, { ...NOBODY, names }, true);
  expect(plans.map(({ kind }) => kind)).toEqual(['nameLink', 'nameLink', 'linked', 'has']);
});

test.for([
  ['', 'empty'],
  ['ada at example.org', 'start'],
  ['ada@example', 'domain'],
  ['jörg@example.org', 'localPart'],
  ['ken.@example.org', 'localPart'],
  ['ada@127.0.0.1', 'ipAddress'],
  ['ada@gοogle.com', 'imitation'],
  ['ada@', 'badEmail'],
  ['ada@@example.org', 'badEmail'],
  ['ada@example.org, grace@example.org', 'badEmail'],
  ['ada @example.org', 'badEmail'],
  [`${'a'.repeat(250)}@example.org`, 'tooLong'],
  ['alice.eth', 'name'],
  ['nadia.petrova.example.org', 'noAt'],
  ['0x530E…0044', 'shortened'],
  [B.slice(0, -1), 'length'],
  [B.replace('E', 'e'), 'checksum'],
  [B.replace('B', 'G'), 'digits'],
  [`0x${'0'.repeat(40)}`, 'zero'],
  [`0x${'ab'.repeat(32)}`, 'secret'],
] as const)('%j is wrong: %s', ([recipient, problem]) => {
  expect(planLines(linesOf(recipient), true, NOBODY)).toEqual([{ kind: 'wrong', problem }]);
});

test('whoever has an e-mail and a wallet is told once, and the reason is said for everybody else', () => {
  const wallets = ['1', '2', '3', '4', '5', '6', '7', '8'].map((digit) => `0x${digit.repeat(40)}`);
  const [first, second, known, told, unsubscribed, invited, bare, wrong] = wallets;
  const people: [string | undefined, string][] = [
    ['link@example.org', ''],
    [first, 'Ann@example.org'],
    [second, 'ann@example.org'],
    ['ANN@example.org', ''],
    [known, 'known@example.org'],
    [told, 'told@example.org'],
    [unsubscribed, 'never@example.org'],
    [invited, 'link@example.org'],
    [bare, ''],
    [wrong, 'no e-mail'],
  ];
  const lines = people.map(([recipient = '', email], index) => ({
    line: index + 1,
    name: '',
    recipient,
    email,
  }));
  const state: KnownPeople = {
    ...NOBODY,
    contributors: new Map([known, told].map((address = '') => [address, { hasClaimed: false }])),
    invitations: new Map([
      ['told@example.org', 'sent'],
      ['never@example.org', 'unsubscribed'],
    ]),
    told: new Set([told ?? '']),
  };
  const plans = planLines(lines, true, state, true);
  expect(plans.map((one) => [one.kind, 'told' in one ? one.told : undefined])).toEqual([
    ['link', undefined],
    ['list', 'mail'],
    ['list', 'taken'],
    ['repeated', undefined],
    ['tell', 'mail'],
    ['listed', 'before'],
    ['list', 'unsubscribed'],
    ['list', 'taken'],
    ['list', 'wallet'],
    ['list', 'wallet'],
  ]);
  expect(countPlanned(plans, true)).toMatchObject({
    mail: 3,
    taken: 2,
    before: 1,
    unsubscribed: 1,
    wallet: 2,
    links: 0,
  });
  // Without mails of the service, the organiser tells everybody.
  const untold = planLines(lines, true, state, false);
  expect(untold.some((one) => 'told' in one)).toBe(false);
  expect(countPlanned(untold, false)).toMatchObject({ mail: 0, wallet: 0, before: 0 });
  expect(planLines(lines.slice(1, 2), false, NOBODY, true)).toMatchObject([{ kind: 'airdrop' }]);
});
