import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivalError } from './arrival.ts';
import { readCsv } from './read-csv.ts';
import { ADA, BEA, makeFolder, personsOf, problemsOf, readAll, tokensOf } from './testing/read-all.ts';

async function read(
  content: string | Buffer,
  mapping: Record<string, string> = {},
  others: Record<string, string | Buffer> = {},
) {
  const folder = await makeFolder({ 'people.csv': content, ...others });
  return await readAll(readCsv, Object.keys(others).length > 0 ? folder : join(folder, 'people.csv'), {
    mapping,
  });
}

test('a file with the names of the fields needs no mapping', async () => {
  const arrivals = await read(
    [
      'badgeId,headline,description,criteria,link,startDate,endDate,createdAt,claimableUntil,validUntil,address,email,name,note,status,claimedAt,revokedAt,expiresAt',
      `7,Speaker,Spoke,A talk,https://a.example,2026-01-01,2026-01-02,2025-12-01,2026-02-01,2030-01-01,${ADA},ada@example.org,Ada,Great,claimed,2026-01-03,,2027-01-01`,
      `7,,,,,,,,,,${BEA},,Bea,,revoked,2026-01-03,2026-01-04,`,
      '7,,,,,,,,,,,cy@example.org,Cy,,unclaimed,,,',
    ].join('\n'),
  );
  const source = { service: 'csv', id: '7' };
  expect(problemsOf(arrivals)).toEqual([]);
  expect(tokensOf(arrivals)).toMatchObject([
    {
      place: 2,
      source: { ...source, url: null },
      headline: 'Speaker',
      description: 'Spoke',
      criteria: 'A talk',
      links: ['https://a.example'],
      startDateTimestamp: Date.UTC(2026, 0, 1),
      endDateTimestamp: Date.UTC(2026, 0, 2),
      createdAtTimestamp: Date.UTC(2025, 11, 1),
      expirationTimestamp: Date.UTC(2026, 1, 1),
      validUntilTimestamp: Date.UTC(2030, 0, 1),
      totalClaimCount: null,
      picture: null,
    },
  ]);
  expect(personsOf(arrivals)).toEqual([
    {
      kind: 'person',
      place: 2,
      token: source,
      subject: { address: ADA },
      isOwner: true,
      claimedAtTimestamp: Date.UTC(2026, 0, 3),
      ended: null,
      renewedUntilTimestamp: Date.UTC(2027, 0, 1),
      name: 'Ada',
      email: 'ada@example.org',
      note: 'Great',
    },
    expect.objectContaining({
      place: 3,
      subject: { address: BEA },
      isOwner: true,
      ended: { atTimestamp: Date.UTC(2026, 0, 4), how: 'revoked' },
    }),
    expect.objectContaining({ place: 4, subject: { email: 'cy@example.org' }, isOwner: false, name: 'Cy' }),
  ]);
});

test('a mapping names columns, and texts for all lines', async () => {
  const arrivals = await read(`Wallet,Given on\n${ADA},1/2/2026\n`, {
    headline: '=Speaker 2026',
    person: 'wallet',
    claimedAt: 'Given on',
    dateOrder: 'dmy',
    service: 'old.example',
  });
  expect(problemsOf(arrivals)).toEqual([]);
  expect(tokensOf(arrivals)[0]).toMatchObject({
    headline: 'Speaker 2026',
    source: { service: 'old.example' },
  });
  expect(personsOf(arrivals)[0]).toMatchObject({ isOwner: true, claimedAtTimestamp: Date.UTC(2026, 1, 1) });
});

const bom = '\uFEFF';
const people = `headline,person,name\nSpeaker,${ADA},Zoë €\n`;
const windows1252 = Buffer.from(people.replace('ë', '\xeb').replace('€', '\x80'), 'latin1');

test.each<[string, string | Buffer]>([
  ['UTF-8', people],
  ['a byte order mark, as Excel writes it', bom + people],
  [
    'UTF-16 little endian ("Unicode text" of Excel)',
    Buffer.from(bom + people.replaceAll(',', '\t'), 'utf16le'),
  ],
  ['UTF-16 big endian', Buffer.from(bom + people, 'utf16le').swap16()],
  ['UTF-16 without a mark', Buffer.from(people, 'utf16le')],
  ['Windows-1252 ("CSV" of Excel)', windows1252],
  ['semicolons', people.replaceAll(',', ';')],
  ['tabs', people.replaceAll(',', '\t')],
  ['a line that says the separator', `sep=;\n${people.replaceAll(',', ';')}`],
  ['line breaks of Windows', people.replaceAll('\n', '\r\n')],
  ['line breaks of old Macs', people.replaceAll('\n', '\r')],
  ['mixed line breaks', people.replace('\n', '\r\n')],
  ['no line break at the end', people.trimEnd()],
  ['empty lines, and lines of commas', `\n${people.replace('\n', '\n\n,,\n')}\n\n`],
  ['quotes', `"headline","person","name"\n"Speaker","${ADA}","Zoë €"\n`],
  ['spaces around cells', `headline , person,name\n Speaker, ${ADA} ,Zoë € \n`],
])('reads a file with %s', async (_name, content) => {
  const arrivals = await read(content);
  expect(problemsOf(arrivals)).toEqual([]);
  expect(tokensOf(arrivals).map(({ headline }) => headline)).toEqual(['Speaker']);
  expect(personsOf(arrivals)).toMatchObject([{ subject: { address: ADA }, name: 'Zoë €' }]);
});

test('counts lines as an editor does, also with line breaks in quotes', async () => {
  const arrivals = await read(
    `headline,person,note\r\nA,${ADA},"one\r\ntwo, ""three"""\r\n\r\nA,nobody@,\r\nA,${BEA},\r\n`,
  );
  expect(personsOf(arrivals).map(({ place, note }) => [place, note])).toEqual([
    [2, 'one\ntwo, "three"'],
    [6, null],
  ]);
  expect(problemsOf(arrivals)).toEqual(['5: person is no e-mail that can be read']);
});

// What people have in their lists: seen in the issues of tools that import such files.
test.each<[string, string, Record<string, string>, string[]]>([
  [
    // https://github.com/ethereum/EIPs/issues/55 is why addresses have a checksum.
    'an address with a wrong checksum',
    `headline,person\nA,${ADA.replace('E', 'e')}`,
    {},
    ['2: person is an address whose checksum is wrong: it was mistyped'],
  ],
  [
    'a short address',
    'headline,person\nA,0x1234',
    {},
    ['2: person begins with 0x but is not an address, which has 40 hex digits'],
  ],
  [
    'an address that a spreadsheet has made a number',
    'headline,person\nA,4.68E+47',
    {},
    ['2: person is a number that a spreadsheet has made of an address: export the column as text'],
  ],
  [
    'the address of burnt tokens',
    `headline,person\nA,0x${'0'.repeat(40)}`,
    {},
    ['skip 2: person is the address of burnt badges: nobody has it'],
  ],
  [
    'an e-mail without a domain',
    'headline,person\nA,ada@example',
    {},
    ['2: person is no e-mail that can be read'],
  ],
  [
    'a date in an order that nobody has said',
    `headline,person,claimedAt\nA,${ADA},1/2/2026`,
    {},
    [expect.stringMatching(/^2: claimedAt can be read in two ways/) as unknown as string],
  ],
  [
    'a date that does not exist',
    `headline,person,claimedAt\nA,${ADA},2026-02-30`,
    {},
    ['2: claimedAt is a date that does not exist'],
  ],
  [
    'a day of Excel',
    `headline,person,claimedAt\nA,${ADA},46047`,
    {},
    ['2: claimedAt is a number, and neither milliseconds nor seconds since 1970'],
  ],
  ['no badge', `headline,person\n,${ADA}`, {}, ['2: it does not say which badge it is of']],
  [
    'a name and nobody to give the badge to',
    `headline,person,name,claimedAt\nA,,Zoë,\nA,${ADA},Ada,\nA,,,2025-01-02\nA,,,\n`,
    {},
    [
      '2: it has the name of a person, but nobody to give the badge to',
      '4: it has the claimedAt of a person, but nobody to give the badge to',
    ],
  ],
  [
    'only a badge, and a status of all lines',
    'headline,person\nA,',
    { headline: 'headline', status: '=claimed' },
    [],
  ],
  [
    'a long headline, which is the id',
    `headline,person\n${'x'.repeat(1_200)},${ADA}`,
    {},
    ['2: its headline, which is the id of the badge without a badgeId, has more than 256 characters'],
  ],
  [
    'a long name and a long note',
    `headline,person,name,note\nA,${ADA},${'x'.repeat(101)},${'y'.repeat(501)}`,
    {},
    ['2: its name was cut after 100 characters', '2: its note was cut after 500 characters'],
  ],
  [
    'two descriptions',
    `headline,description,person\nA,one,${ADA}\nA,two,${BEA}`,
    {},
    ['3: its description is another one than in the first line with this badge'],
  ],
  [
    'an unknown status',
    `headline,person,status\nA,${ADA},maybe`,
    {},
    ['2: status is none of claimed, unclaimed and revoked'],
  ],
  [
    'a revocation without a time',
    `headline,person,status\nA,${ADA},revoked`,
    {},
    ['2: it was revoked, and revokedAt does not say when'],
  ],
  ['an e-mail as address', 'headline,address\nA,ada@example.org', {}, ['2: address is no address']],
  [
    'text after a quote',
    `headline,person\n"A" b,${ADA}\nA,"${BEA}"\nA,${BEA}`,
    {},
    ['2: a quote is in the wrong place, so lines 2 to 3 are not read'],
  ],
  [
    'a quote that is not closed',
    `headline,person\nA,"${ADA}\nA,${BEA}\n`,
    {},
    ['2: a quote is not closed, so lines 2 to 4 are not read'],
  ],
])('names the line with %s', async (_name, content, mapping, problems) => {
  const arrivals = await read(content, mapping);
  expect(problemsOf(arrivals)).toEqual(problems);
});

test('a handle, an ENS name and a formula are texts', async () => {
  const arrivals = await read(
    `headline,person,name\nA,ada.eth,"'=1+1"\nA,@ada@social.example,=HYPERLINK("x")\nA,ada#1234,'-Ada\n`,
  );
  expect(personsOf(arrivals).map(({ subject, name }) => [subject, name])).toEqual([
    // The apostrophe of our own files goes.
    [{ identifier: 'ada.eth' }, '=1+1'],
    [{ identifier: '@ada@social.example' }, '=HYPERLINK("x")'],
    [{ identifier: 'ada#1234' }, '-Ada'],
  ]);
});

test('an address without 0x gets it, and a person twice is twice there', async () => {
  const arrivals = await read(`headline,person\nA,${BEA.slice(2)}\nA,${BEA}\n`);
  expect(personsOf(arrivals).map(({ subject }) => subject)).toEqual([{ address: BEA }, { address: BEA }]);
});

test.each<[string, string, Record<string, string>, string]>([
  ['an unknown field', 'a,b\n', { wallet: 'a' }, '"wallet", which is no field'],
  [
    'an unknown column',
    'a,b\n',
    { headline: '=A', person: 'c' },
    'names the column "c", and the columns are "a", "b"',
  ],
  ['no badge', 'person\nx\n', {}, 'no column says which badge'],
  ['nothing', '', {}, 'is empty'],
  ['only empty lines', '\n,\n', {}, 'is empty'],
  ['another order', 'a\n', { headline: 'a', dateOrder: 'ymd' }, 'neither "dmy" nor "mdy"'],
])('refuses a file or mapping with %s', async (_name, content, mapping, message) => {
  await expect(read(content, mapping)).rejects.toThrow(ArrivalError);
  await expect(read(content, mapping)).rejects.toThrow(message);
});

test('pictures are found by the id of the badge, by the name of a file, and by URL', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const folder = await makeFolder({
    'a.csv': 'badgeId,picture\nA b,\n2,two.png\n3,https://p.example/3.gif\n4,none.png\n5,\n6,\n',
    'two.png': png,
    'more/5.png': png,
  });
  const picturesFolder = join(folder, '..', 'pictures-of-csv-test');
  await mkdir(picturesFolder, { recursive: true });
  await writeFile(join(picturesFolder, 'A-b.PNG'), png);
  const fetched: string[] = [];
  const arrivals = await readAll(readCsv, folder, {
    picturesFolder,
    fetchUrl: async (url) => {
      fetched.push(url);
      return { contentType: 'text/html', bytes: Buffer.from('GIF89a') };
    },
  });
  const pictures = tokensOf(arrivals).map(({ picture }) => picture);
  // The files are closed when everything was read.
  expect(pictures.map((picture) => picture === null)).toEqual([false, false, false, false, false, true]);
  await expect(pictures[0]?.()).resolves.toEqual({ contentType: 'image/png', bytes: png });
  await expect(pictures[1]?.()).resolves.toEqual({ contentType: 'image/png', bytes: png });
  await expect(pictures[4]?.()).resolves.toEqual({ contentType: 'image/png', bytes: png });
  await expect(pictures[2]?.()).resolves.toEqual({ contentType: 'image/gif', bytes: Buffer.from('GIF89a') });
  await expect(pictures[3]?.()).rejects.toThrow('neither a file of the source nor a URL');
  expect(fetched).toEqual(['https://p.example/3.gif']);
});

test('a file of many pieces is read whole', async () => {
  const folder = await makeFolder({ 'long.csv': `headline,person\n${`Speaker,${BEA}\n`.repeat(100_000)}` });
  const persons = personsOf(await readAll(readCsv, join(folder, 'long.csv')));
  expect(persons.map(({ place }) => place)).toEqual(persons.map((_person, index) => index + 2));
  expect(persons).toHaveLength(100_000);
});

test('a quote that is never closed ends a large file, and not the memory', async () => {
  const folder = await makeFolder({ 'a.csv': `headline,person\n"A,${BEA}\n${`B,${BEA}\n`.repeat(50_000)}` });
  await expect(readAll(readCsv, join(folder, 'a.csv'))).rejects.toThrow(
    /line 2 has more than 1048576 characters/,
  );
});

test('every line is a person, a badge or a problem', async () => {
  const folder = await makeFolder({});
  const path = join(folder, 'people.csv');
  const cell = fc.constantFrom(
    '',
    'A',
    'B',
    ADA,
    BEA,
    'ada@example.org',
    'x@',
    '0x1',
    '1/2/2026',
    '2026-01-02',
    'claimed',
    'no',
  );
  const row = fc.tuple(cell, cell, cell, cell, cell);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), async (rows) => {
      await writeFile(
        path,
        `headline,description,person,claimedAt,status\n${rows.map((cells) => cells.join(',')).join('\n')}`,
      );
      const arrivals = await readAll(readCsv, path);
      const filled = rows.flatMap((cells, index) => (cells.join('') === '' ? [] : [index + 2]));
      // A line that only repeats its badge, and names nobody, has nothing to say.
      const silent = filled.filter(
        (line) => rows[line - 2]?.[0] !== '' && rows[line - 2]?.slice(2).join('') === '',
      );
      const found = new Set<unknown>(arrivals.map(({ place }) => place));
      expect(filled.filter((line) => !found.has(line) && !silent.includes(line))).toEqual([]);
      const people = arrivals.filter(
        ({ kind, place }) => kind === 'person' && !filled.includes(Number(place)),
      );
      expect(people).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('no file makes it throw anything but an ArrivalError', async () => {
  const folder = await makeFolder({});
  const path = join(folder, 'any.csv');
  const cell = fc.oneof(
    fc.constantFrom(
      'headline',
      'person',
      'status',
      'claimedAt',
      ADA,
      'ada@example.org',
      '1/2/2026',
      '"',
      ',',
      ';',
      '\n',
      '\r',
      '\0',
      bom,
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const content = fc.oneof(
    fc.array(cell, { maxLength: 40 }).map((parts) => Buffer.from(parts.join(''))),
    fc.uint8Array({ maxLength: 200 }),
  );
  const mapping = fc.dictionary(
    fc.constantFrom('headline', 'person', 'x', '__proto__', 'dateOrder'),
    fc.constantFrom('=A', 'person', ''),
  );
  await fc.assert(
    fc.asyncProperty(content, mapping, async (bytes, given) => {
      await writeFile(path, bytes);
      try {
        for (const arrival of await readAll(readCsv, path, { mapping: given }))
          expect(arrival.place).toBeDefined();
      } catch (error) {
        expect(error).toBeInstanceOf(ArrivalError);
      }
    }),
    { numRuns: 100 },
  );
});
