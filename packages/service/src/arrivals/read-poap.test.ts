import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivalError } from './arrival.ts';
import { readPoap } from './read-poap.ts';
import { anyJson } from './testing/any-json.ts';
import { ADA, BEA, makeFolder, personsOf, problemsOf, readAll, tokensOf } from './testing/read-all.ts';

// `DropResponse` in src/providers/ports/DropApiProvider/types of poap-xyz/poap.js; the months of the dates
// are first, as in https://docs.iyk-dev.app/api-modules/poap-events.
const event = {
  id: 14,
  fancy_id: 'conference-2026',
  name: 'Conference 2026',
  description: 'You were there',
  city: 'Berlin',
  country: 'Germany',
  event_url: 'https://conference.example',
  image_url: 'https://assets.poap.xyz/14.png',
  animation_url: '',
  year: 2026,
  start_date: '03-01-2026',
  end_date: '03-02-2026',
  expiry_date: '04-01-2026',
  created_date: '2026-02-01T10:00:00.000Z',
  from_admin: false,
  virtual_event: false,
  event_template_id: 0,
  private_event: false,
};
const token = { source: { service: 'poap.tech', id: '14', url: 'https://poap.gallery/event/14' } };

async function read(files: Record<string, unknown>, mapping: Record<string, string> = {}) {
  const texts = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? content : JSON.stringify(content),
  ]);
  return await readAll(readPoap, await makeFolder(Object.fromEntries(texts)), { mapping });
}

test('an event and the pages of its collectors, of the API', async () => {
  const arrivals = await read({
    'event.json': event,
    // `POAPActivity` in app/types/poap.ts of glorylab/poapin-web.
    'poaps-0.json': {
      limit: 2,
      offset: 0,
      total: 2,
      transferCount: 1,
      tokens: [
        {
          created: '2026-03-01 18:31:16',
          id: '4500',
          owner: { id: ADA.toLowerCase(), tokensOwned: 3, ens: 'ada.eth' },
          transferCount: '0',
        },
        {
          created: '2026-03-02 18:31:16',
          id: '4501',
          owner: { id: BEA, tokensOwned: 1, ens: null },
          transferCount: '1',
        },
      ],
    },
    'poaps-1.json': { limit: 2, offset: 2, total: 2, transferCount: 1, tokens: [] },
  });
  expect(problemsOf(arrivals)).toEqual([]);
  expect(tokensOf(arrivals)).toMatchObject([
    {
      ...token,
      place: 'event.json',
      headline: 'Conference 2026',
      description: 'You were there',
      links: ['https://conference.example'],
      startDateTimestamp: Date.UTC(2026, 2, 1),
      endDateTimestamp: Date.UTC(2026, 2, 2),
      expirationTimestamp: Date.UTC(2026, 3, 2),
      createdAtTimestamp: Date.UTC(2026, 1, 1, 10),
      totalClaimCount: null,
      isHidden: false,
      customAttributes: [
        { fieldName: 'city', type: 'string', value: 'Berlin' },
        { fieldName: 'country', type: 'string', value: 'Germany' },
      ],
    },
  ]);
  expect(personsOf(arrivals)).toMatchObject([
    {
      token: { service: 'poap.tech', id: '14' },
      subject: { address: ADA.toLowerCase() },
      isOwner: true,
      claimedAtTimestamp: Date.UTC(2026, 2, 1, 18, 31, 16),
    },
    { subject: { address: BEA }, claimedAtTimestamp: Date.UTC(2026, 2, 2, 18, 31, 16) },
  ]);
});

test('the POAPs of a wallet, with their events', async () => {
  // `POAP` in app/types/poap.ts of glorylab/poapin-web.
  const arrivals = await read({
    'scan.json': [
      {
        event: { ...event, start_date: '01-Mar-2026', supply: 2 },
        tokenId: '4500',
        owner: ADA,
        chain: 'xdai',
        created: '2026-03-01 18:31:16',
      },
      {
        event: { ...event, id: 15, name: 'Other' },
        tokenId: '4502',
        owner: ADA,
        chain: 'xdai',
        created: '2026-03-01 18:31:16',
      },
    ],
  });
  expect(problemsOf(arrivals)).toEqual([]);
  expect(tokensOf(arrivals)).toMatchObject([
    { startDateTimestamp: Date.UTC(2026, 2, 1) },
    { headline: 'Other' },
  ]);
  expect(personsOf(arrivals).map((person) => person.token.id)).toEqual(['14', '15']);
});

test('drops and POAPs of Compass', async () => {
  // src/drops/queries and src/poaps/queries of poap-xyz/poap.js. `minted_on` is in seconds.
  const { event_url, private_event, virtual_event, ...rest } = event;
  const drop_image = {
    gateways: [
      { type: 'CROP', url: 'https://a.example/small' },
      { type: 'ORIGINAL', url: 'https://a.example/original.png' },
    ],
  };
  const arrivals = await read({
    'drops.json': {
      data: {
        drops: [
          {
            ...rest,
            drop_url: event_url,
            private: true,
            virtual: true,
            start_date: '2026-03-01',
            end_date: '2026-03-02',
            expiry_date: '2026-04-01',
            drop_image,
          },
        ],
      },
    },
    'poaps.json': {
      data: {
        poaps: [
          {
            id: 4500,
            chain: 'xdai',
            collector_address: ADA.toLowerCase(),
            drop_id: 14,
            minted_on: 1_772_390_000,
            transfer_count: 0,
          },
        ],
      },
    },
  });
  expect(problemsOf(arrivals)).toEqual([]);
  expect(tokensOf(arrivals)).toMatchObject([
    {
      ...token,
      links: ['https://conference.example'],
      isHidden: true,
      startDateTimestamp: Date.UTC(2026, 2, 1),
    },
  ]);
  expect(personsOf(arrivals)).toMatchObject([{ claimedAtTimestamp: 1_772_390_000_000 }]);
});

test('a picture is that of the folder, or of the API', async () => {
  const folder = await makeFolder({ 'event.json': JSON.stringify([event, { ...event, id: 15 }]) });
  const picturesFolder = await makeFolder({ '14.gif': 'GIF89a of the folder' });
  const fetched: string[] = [];
  const arrivals = await readAll(readPoap, folder, {
    picturesFolder,
    fetchUrl: async (url) => {
      fetched.push(url);
      return { contentType: 'image/gif', bytes: Buffer.from('GIF89a of the API') };
    },
  });
  const pictures = await Promise.all(
    tokensOf(arrivals).map(async ({ picture }) => (await picture?.())?.bytes.toString()),
  );
  expect(pictures).toEqual(['GIF89a of the folder', 'GIF89a of the API']);
  expect(fetched).toEqual([event.image_url]);
});

test('a picture that cannot be read says which file can be put in its place', async () => {
  const folder = await makeFolder({ 'event.json': JSON.stringify(event) });
  const fetchUrl = async () => {
    throw new ArrivalError('the status is 404');
  };
  const [token] = tokensOf(await readAll(readPoap, folder, { fetchUrl }));
  await expect(token?.picture?.()).rejects.toThrow(
    'it cannot be read from its URL, since the status is 404: put a picture named 14.png into the source or the folder of --pictures',
  );
});

test('the CSV of POAP Gallery, whose names are beside other collectors', async () => {
  // src/pages/event.js of poap-xyz/poap-gallery: `_csv_data[i][2] = validName` writes the name of a collector
  // one line above, and `toLocaleDateString()` writes the date as the browser does.
  const csv = `"ID","Collection","ENS","Minting Date","Tx Count","Power"\n"4500","${ADA.toLowerCase()}","bea.eth","3/1/2026","0","3"\n"4501","${BEA}","","3/13/2026","1","1"\n`;
  const ambiguous = await read({ 'event.json': event, 'Conference 2026.csv': csv });
  expect(problemsOf(ambiguous)).toEqual([
    expect.stringMatching(/^Conference 2026.csv:2: its date can be read in two ways/),
  ]);
  expect(personsOf(ambiguous)).toMatchObject([{ subject: { address: BEA } }]);
  const arrivals = await read({ 'event.json': event, 'Conference 2026.csv': csv }, { dateOrder: 'mdy' });
  expect(problemsOf(arrivals)).toEqual([]);
  expect(personsOf(arrivals)).toMatchObject([
    {
      place: 'Conference 2026.csv:2',
      subject: { address: ADA.toLowerCase() },
      claimedAtTimestamp: Date.UTC(2026, 2, 1),
    },
    { subject: { address: BEA }, claimedAtTimestamp: Date.UTC(2026, 2, 13) },
  ]);
});

test('the CSV of POAP Family, and a list of addresses', async () => {
  // src/components/ButtonExportAddressCsv.tsx of poap-xyz/poap-family. The file is `collectors-14.csv`.
  const arrivals = await read({
    'events.json': [event, { ...event, id: 15 }],
    'collectors-14.csv': `address,ens\n${ADA},ada.eth\n`,
    '15/list.csv': `${ADA}\n${BEA}\n`,
  });
  expect(problemsOf(arrivals)).toEqual([]);
  expect(personsOf(arrivals).map((person) => [person.place, person.token.id])).toEqual([
    ['15/list.csv:1', '15'],
    ['15/list.csv:2', '15'],
    ['collectors-14.csv:2', '14'],
  ]);
  expect(personsOf(arrivals).every(({ claimedAtTimestamp }) => claimedAtTimestamp === null)).toBe(true);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    'collectors of an unknown event',
    { 'events.json': [event, { ...event, id: 15 }], 'list.csv': `address\n${ADA}\n` },
    'list.csv:2: it does not say its event: put the id of the event into the name of list.csv',
  ],
  [
    'an event that is not there',
    { 'a.json': event, 'b.json': [{ collector_address: ADA, drop_id: 99, minted_on: 1_772_390_000 }] },
    'b.json:1: event 99 is not in the source: save https://api.poap.tech/events/id/99 with it',
  ],
  // POAP Gallery leaves them out: https://github.com/poap-xyz/poap-gallery/pull/1
  [
    'a burnt POAP',
    {
      'a.json': event,
      'b.json': { tokens: [{ owner: { id: `0x${'0'.repeat(40)}` }, created: '2026-03-01' }] },
    },
    'skip b.json:1: its collector is the address of burnt badges: nobody has it',
  ],
  [
    'a wrong address',
    { 'a.json': event, 'b.csv': 'address\n0x12\n' },
    'b.csv:2: its collector begins with 0x but is not an address, which has 40 hex digits',
  ],
  ['only a name', { 'a.json': event, 'b.csv': 'address\nada.eth\n' }, 'b.csv:2: its collector is no address'],
  [
    'other columns',
    { 'a.json': event, 'b.csv': 'name,mail\nada,x\n' },
    'b.csv:1: no column is named Collection or address',
  ],
  // The file that POAP mails to organisers; `GetMintCodeResponse` of poap.js.
  [
    'links',
    { 'a.json': event, 'links.txt': 'http://POAP.xyz/claim/abcdef\n' },
    'skip links.txt: links that nobody has used are not imported: make links here',
  ],
  [
    'a mint code',
    {
      'a.json': event,
      'codes.json': [
        { qr_hash: 'abcdef', claimed: false },
        { qr_hash: 'abcdeg', claimed: true },
      ],
    },
    'skip codes.json:1: a link that nobody has used is not imported: make links here',
  ],
  [
    'an error of the API',
    { 'a.json': event, 'b.json': { statusCode: 401, error: 'Unauthorized' } },
    'b.json: it has neither an event nor collectors',
  ],
  ['a page of HTML', { 'a.json': event, 'b.json': '<html>' }, 'b.json: it is not JSON'],
  [
    'a strange date',
    { 'a.json': { ...event, expiry_date: 'soon' } },
    'a.json: its expiry_date cannot be read, so it has none here',
  ],
  [
    'an end before the start',
    { 'a.json': { ...event, end_date: '02-01-2026' } },
    'a.json: its start is after its end, so it has no end here',
  ],
  [
    'a description that is too long',
    { 'a.json': { ...event, description: 'x'.repeat(1_500) } },
    'a.json: its description was cut after 1000 characters',
  ],
])('names the line with %s', async (_name, files, problem) => {
  expect(problemsOf(await read(files))).toEqual([problem]);
});

test('without an event, it says what to save', async () => {
  await expect(read({ 'a.csv': `address\n${ADA}\n` })).rejects.toThrow(
    'has no event: save the response of https://api.poap.tech/events/id/ID',
  );
  await expect(read({ 'a.json': event }, { headline: 'x' })).rejects.toThrow('it has only "dateOrder"');
});

test('no file makes it throw anything but an ArrivalError', async () => {
  const folder = await makeFolder({ 'a.json': JSON.stringify(event) });
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(14, '14', ADA, '03-01-2026', null, {}, [], true, 1e300),
    fc.string({ maxLength: 5 }),
  );
  const keys = [
    'id',
    'name',
    'image_url',
    'start_date',
    'owner',
    'created',
    'drop',
    'drop_id',
    'event',
    'collector_address',
    'minted_on',
    'tokens',
    'data',
    'qr_hash',
    'drop_image',
    'gateways',
    '__proto__',
  ];
  const value = anyJson(keys, { leaf, maxDepth: 4 });
  await fc.assert(
    fc.asyncProperty(value, fc.string({ maxLength: 60 }), async (any, table) => {
      await writeFile(join(folder, 'b.json'), JSON.stringify(any));
      await writeFile(join(folder, 'c.csv'), table);
      try {
        for (const arrival of await readAll(readPoap, folder)) expect(arrival.place).toBeDefined();
      } catch (error) {
        expect(error).toBeInstanceOf(ArrivalError);
      }
    }),
    { numRuns: 100 },
  );
});
