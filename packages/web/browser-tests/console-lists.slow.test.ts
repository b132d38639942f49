import { newAddress } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { type BadgeClient, createBadgeClient } from '../../sdk/src/index.ts';
import { openSigner } from '../src/console/signer/signer.ts';
import { browserTest } from './harness/browser.ts';
import { openConsole, parseCsv, readDownload } from './harness/console.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';
import { makeWorkbook } from './harness/spreadsheet.ts';

const site = sharedSite();

let communityId: string;
let key: string;
let badge: BadgeClient;
beforeAll(async () => {
  communityId = `lists-${Math.random().toString(36).slice(2)}`;
  await site.operator.createCommunity({ uniqId: communityId, displayId: communityId, name: 'Lists' });
  await site.operator.updateCommunity({ communityId, hasManagedCreator: true });
  key = (await site.operator.createApiKey({ communityId, name: 'lists', role: 'issuer' })).apiKey;
  badge = createBadgeClient({ url: site.url, apiKey: key });
});

/** Creates a badge for people on a list, with the managed creator. Returns its id. */
async function createManaged(headline: string): Promise<number> {
  const { address } = await site.operator.getManagedCreator({ communityId });
  const { signer } = await openSigner({ id: 'managed', address }, { badge: site.operator, communityId });
  const creation = await site.operator.createToken({
    signer,
    communityId,
    headline,
    nftTypeId: 'defaultOrangeRed',
    isSignatureRequired: false,
    isAllowlistRequired: true,
    contributors: [address],
  });
  return (await creation.wait()).tokenId;
}

interface Person {
  first: string;
  last: string;
  recipient: string;
}

const FIRST = ['Jörg', 'Zoë', 'José', 'Ada', 'Renée', 'Søren'];
const LAST = ['Müller', 'Peña', 'Lovelace', 'Groß', 'Lefèvre', 'Ångström'];
let number = 0;
function makePeople(count: number, { hasWallets = false, sign = '' } = {}): Person[] {
  return Array.from({ length: count }, (_, index) => {
    number += 1;
    return {
      first: FIRST[index % FIRST.length] ?? '',
      last: `${LAST[(index * 5 + number) % LAST.length]}-${String.fromCharCode(65 + (index % 26))}`,
      recipient: hasWallets ? newAddress() : `${sign}person${number}@example.org`,
    };
  });
}

function encode(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const letters = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(new Uint8Array([byte])), byte] as const),
  );
  return Buffer.from(Array.from(text, (letter) => letters.get(letter) ?? 63));
}

interface Brought {
  people: Person[];
  file: { name: string; buffer: Buffer } | { pasted: string };
}

/** Six lists of 200 people, as they come from six programs. */
function makeLists(): Brought[] {
  const german = makePeople(40);
  const spanish = makePeople(40);
  const pasted = makePeople(30);
  const json = makePeople(30, { hasWallets: true });
  const copied = makePeople(30, { hasWallets: true });
  const ours = makePeople(30, { sign: '+' });
  const spanishRows = spanish.map(({ first, last, recipient }) => [first, last, recipient]);
  return [
    {
      people: german,
      file: {
        name: 'teilnehmer.csv',
        buffer: encode(
          [
            'sep=;',
            'Teilnehmer der Tagung;;;',
            '',
            'Nachname;Vorname;Beitrag;E-Mail-Adresse',
            ...german.map(({ first, last, recipient }) => `${last};${first};12,50;${recipient}`),
          ].join('\r\n'),
          'windows-1252',
        ),
      },
    },
    {
      people: spanish,
      file: {
        name: 'asistentes.xlsx',
        buffer: makeWorkbook(
          [
            { name: 'Gráfico', isChart: true },
            { name: 'Gastos', rows: [['Correo'], ['gastos@example.org']] },
            {
              name: 'Personas',
              rows: [['Asistentes'], [], ['Nombre', 'Apellidos', 'Correo electrónico'], ...spanishRows],
              hasReferences: false,
            },
          ],
          { active: 2 },
        ),
      },
    },
    {
      people: pasted,
      file: {
        pasted: pasted.map(({ first, last, recipient }) => `${first} ${last} <${recipient}>`).join('; '),
      },
    },
    {
      people: json,
      file: {
        name: 'holders.json',
        buffer: Buffer.from(
          JSON.stringify(
            json.map(({ first, last, recipient }) => ({
              token_address: newAddress(),
              receiver: recipient,
              'First name': first,
              Surname: last,
            })),
          ),
        ),
      },
    },
    {
      people: copied,
      file: {
        pasted: copied.map(({ first, last, recipient }) => `${first} ${last}\t${recipient}\n\n`).join(''),
      },
    },
    {
      people: ours,
      file: {
        name: 'mac.csv',
        buffer: encode(
          [
            'Nom;Prénom;Courriel',
            ...ours.map(({ first, last, recipient }) => `${last};${first};'${recipient}`),
          ].join('\r'),
          'macintosh',
        ),
      },
    },
  ];
}

async function bring(page: Page, file: Brought['file']): Promise<void> {
  if ('pasted' in file) {
    await page.getByLabel('Who gets it').fill(file.pasted);
    await page.getByRole('button', { name: 'Check the list' }).click();
  } else {
    await page.getByLabel('Choose a file').setInputFiles({ ...file, mimeType: '' });
  }
  await page.getByRole('table').waitFor();
}

browserTest(
  '200 people in six messy lists get the badge: nobody is lost, and every name is right',
  async () => {
    const tokenId = await createManaged('Six lists');
    const page = await openConsole(site, `/badges/${tokenId}/give`, { key });
    const given: string[] = [];
    const lists = makeLists();
    for (const { people, file } of lists) {
      await bring(page, file);
      await page.getByRole('button', { name: `All (${people.length})` }).waitFor();
      await page.getByRole('button', { name: /^(Put|Make) \d+/ }).click();
      await page.getByRole('heading', { name: 'Done', exact: true }).waitFor();
      const downloaded = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      const rows = parseCsv(await readDownload(await downloaded));
      expect(
        rows.map(([name, email, address]) => `${name} ${(email || address)?.replace("'+", '+')}`),
      ).toEqual(people.map(({ first, last, recipient }) => `${first} ${last} ${recipient}`));
      given.push(...people.map(({ recipient }) => recipient.toLowerCase()));
      await page.getByRole('button', { name: 'Give it to others' }).click();
    }
    expect(given).toHaveLength(200);
    const listed: string[] = [];
    for await (const { contributor } of badge.listContributors({ tokenId, limit: 1_000 })) {
      listed.push(contributor.toLowerCase());
    }
    expect(given.filter((recipient) => !listed.includes(recipient))).toEqual([]);
  },
);

browserTest('a stranger sees what was read, and changes it with the keyboard', async () => {
  const tokenId = await createManaged('Columns');
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key });
  const people = [
    ['Liste', '', '', ''],
    ['Firma', 'Vorname', 'Nachname', 'E-Mail'],
    ['Example', 'Ann', 'Lee', 'ann@example.org'],
    ['Example', 'Bob', 'Ray', 'bob@example.org'],
    ['Example', 'Cem', 'Tan', 'cem@example.org'],
  ];
  const buffer = makeWorkbook(
    [
      { name: 'Notizen', rows: [['Nur Text']] },
      { name: 'Teilnehmer', rows: people, hiddenRows: [3] },
      { name: 'Alt', rows: [['old@example.org'], ['older@example.org']], state: 'hidden' },
    ],
    { active: 1 },
  );
  await bring(page, { name: 'liste.xlsx', buffer });
  await page.getByText('1 row is hidden in this sheet').waitFor();
  await page.getByText('1 hidden row is left out').waitFor();
  await page.getByText('Not read, because it is above the titles: “Liste”').waitFor();
  await page
    .getByText(/From: .Vorname., .Nachname./)
    .first()
    .waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('What was read');
  await expectAccessible(page);
  await takeScreenshots(page, 'give-columns');
  await page.getByText('Show the hidden rows').click();
  await page.getByRole('listitem').filter({ hasText: '4: Example, Bob, Ray, bob@example.org' }).waitFor();
  await page.getByRole('button', { name: 'Read hidden rows too' }).press('Enter');
  await page
    .getByRole('button', { name: 'Make 3 links' })
    .or(page.getByRole('button', { name: /make 3 links/i }))
    .waitFor();
  await page.getByLabel('Vorname').focus();
  await page.keyboard.press('n');
  // Who was removed stays removed when a column changes.
  await page.getByRole('button', { name: 'Remove line 5' }).click();
  await page.getByLabel('Vorname').selectOption('Not used');
  await page.getByRole('cell', { name: /^Lee/ }).waitFor();
  await page.getByRole('button', { name: /make 2 links/i }).waitFor();
  // Another sheet is read instead.
  await page.getByLabel('Sheet').selectOption('Alt (hidden)');
  await page.getByRole('button', { name: 'All (2)' }).waitFor();
  await page.getByLabel('Sheet').selectOption('Notizen');
  await page.getByRole('cell', { name: 'Gets a link, which you send or print' }).waitFor();

  // Nobody can say which of two columns has the people.
  await page.getByRole('button', { name: 'Use another list' }).click();
  const [A, B, C] = [newAddress(), newAddress(), newAddress()];
  await bring(page, { pasted: `Vertragsnummer,Ziel\n${C},${A}\n${C},${B}` });
  await page.getByText('Lines have more than one person in these columns: A, B.').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'give-asked');
  await page.getByLabel('B', { exact: true }).selectOption('Who gets it: address or e-mail');
  await page.getByRole('button', { name: 'Put 2 on the list' }).waitFor();
});

browserTest('people in a long list are found, and a reload asks before it loses the list', async () => {
  const tokenId = await createManaged('Long');
  const page = await openConsole(site, `/badges/${tokenId}/give`, { key });
  const wallet = newAddress();
  const list = Array.from({ length: 60 }, (_, index) => `Guest,guest${index + 1}@example.org,`);
  await bring(page, { pasted: ['Name,E-mail,Wallet', ...list, `Zoe,zoe@example.org,${wallet}`].join('\n') });
  await page.getByRole('button', { name: 'All (61)' }).waitFor();
  expect(await page.getByLabel(/^Address or e-mail in line/).count()).toBe(50);
  await page.getByLabel('Search the list').fill('ZOE@');
  await page.getByText('1 found').waitFor();
  expect(await page.getByLabel('Address or e-mail in line 62').inputValue()).toBe(wallet);
  // Which of the two is used.
  await page.getByText(/The badge is for the wallet\. No mail goes to .?zoe@example\.org/).waitFor();
  await expectAccessible(page);

  // The headless browser shows no question of its own, so the event that it follows is sent.
  const isAsked = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
  expect(await isAsked()).toBe(true);
  await page.getByRole('button', { name: 'Use another list' }).click();
  await page.getByLabel('Who gets it').waitFor();
  expect(await isAsked()).toBe(false);
});

browserTest(
  'a stranger with a title row, three sheets and German column names gives the badge without touching the file',
  async () => {
    const tokenId = await createManaged('Ein Titel und drei Blätter');
    const page = await openConsole(site, `/badges/${tokenId}/give`, { key });
    const people = makePeople(3);
    const buffer = makeWorkbook(
      [
        { name: 'Ausgaben', rows: [['Kontakt'], ['kasse@example.org']] },
        {
          name: 'Teilnehmende',
          rows: [
            ['Teilnehmende am Treffen 2026'],
            ['Nr.', 'Nachname', 'Vorname', 'Firma', 'E-Mail-Adresse'],
            ...people.map(({ first, last, recipient }, index) => [
              String(index + 1),
              last,
              first,
              'Beispiel GmbH',
              recipient,
            ]),
          ],
        },
        { name: 'Notizen', rows: [['Nicht vergessen']] },
      ],
      { active: 1 },
    );
    await bring(page, { name: 'Teilnehmende.xlsx', buffer });
    await page.getByRole('button', { name: 'All (3)' }).waitFor();
    await page.getByRole('button', { name: /^(Put|Make) 3/ }).click();
    await page.getByRole('heading', { name: 'Done', exact: true }).waitFor();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const rows = parseCsv(await readDownload(await downloaded));
    expect(rows.map(([name, email]) => `${name} ${email}`)).toEqual(
      people.map(({ first, last, recipient }) => `${first} ${last} ${recipient}`),
    );
    const { data } = await badge.listContributors({ tokenId, limit: 1_000 });
    const listed = data.map(({ contributor }) => contributor);
    expect(listed).toEqual(expect.arrayContaining(people.map(({ recipient }) => recipient)));
    expect(listed).not.toContain('kasse@example.org');
  },
);
