import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Token, WalletToken } from '@badge/protocol';
import { newAddress } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sampleFiles } from '../../../../tests/acceptance/sample-files.ts';
import { bakedText, makePng } from '../../src/arrivals/testing/make-png.ts';
import { makeZip } from '../../src/arrivals/testing/make-zip.ts';
import { makeFolder } from '../../src/arrivals/testing/read-all.ts';
import { runCli } from '../../src/cli/cli.ts';
import { captureOutput } from '../../src/testing/capture-output.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

let service: TestService;
const CREATOR = newAddress();
beforeAll(async () => {
  service = await startTestService();
  const community = { name: 'Moved', adminAddresses: [CREATOR] };
  for (const uniqId of ['moved', 'copied'])
    await service.call('/v1/communities', {
      key: service.adminKey,
      json: { ...community, uniqId, displayId: uniqId },
    });
});
afterAll(async () => await service.stop());

const printed = captureOutput();
beforeEach(() => {
  const variables = {
    DATABASE_URL: service.databaseUrl,
    BADGE_DATA_DIR: service.dataDir,
    LOG_LEVEL: 'silent',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
});

async function run(
  from: string,
  path: string,
  ...options: string[]
): Promise<{ code: number; lines: string[] }> {
  printed.stdout = '';
  const code = await runCli(['import', '--from', from, '--community', 'moved', ...options, path]);
  return { code, lines: printed.stdout.trimEnd().split('\n') };
}

const json = async <T>(path: string, call = service.call) => (await (await call(path)).json()) as T;

/** The token that a badge has become. */
async function tokenOf(id: string, communityId = 'moved'): Promise<Token> {
  const [row] = await query<{ token_id: string }>(
    service.databaseUrl,
    'select token_id from tokens where imported_id = $1 and community_id = $2',
    [id, communityId],
  );
  return await json(`/v1/tokens/${row?.token_id}`);
}

const walletOf = async (address: string) =>
  (await json<{ data: WalletToken[] }>(`/v1/wallets/${address}/tokens`)).data;

const PNG = Buffer.from(sampleFiles['image/png'] ?? []);

test('CSV: a dry run says what happens to each line and writes nothing; then it happens, and only once', async () => {
  const ada = newAddress();
  const folder = await makeFolder({
    'people.csv': `Badge;Wallet;Date;Name\nTalk;${ada};25.01.2026;Ada\nTalk;nobody@;25.01.2026;\nTalk;${ada};25.01.2026;Ada\n`,
    'mapping.json': JSON.stringify({ headline: 'Badge', person: 'Wallet', claimedAt: 'Date', name: 'Name' }),
    'pictures/talk.png': PNG,
  });
  const path = join(folder, 'people.csv');
  const options = ['--mapping', join(folder, 'mapping.json'), '--pictures', join(folder, 'pictures')];
  const outcome = [
    'import  2: a new token: Talk',
    'import  2: has the badge',
    'PROBLEM 3: person is no e-mail that can be read',
    'skip    4: is in this source already',
  ];
  const dry = await run('csv', path, '--dry-run', ...options);
  expect(dry).toEqual({
    code: 1,
    lines: [...outcome, `${path}: 2 would be imported, 1 skipped, 1 with a problem`],
  });
  expect(await walletOf(ada)).toEqual([]);
  const first = await run('csv', path, ...options);
  expect(first).toEqual({ code: 1, lines: [outcome[2], `${path}: 2 imported, 1 skipped, 1 with a problem`] });
  const [owned] = await walletOf(ada);
  expect(owned).toMatchObject({
    headline: 'Talk',
    claimStatus: 'claimed',
    createdAt: '2026-01-25T00:00:00.000Z',
  });
  const token = await tokenOf('Talk');
  expect(token).toMatchObject({
    communityId: 'moved',
    createdByAddress: expect.stringMatching(new RegExp(CREATOR, 'i')),
  });
  const picture = await service.call(new URL(token.imageUrl).pathname);
  expect(Buffer.from(await picture.arrayBuffer()).equals(PNG)).toBe(true);
  expect(await run('csv', path, ...options)).toMatchObject({
    lines: [outcome[2], `${path}: 0 imported, 3 skipped, 1 with a problem`],
  });
});

test('POAP: a ZIP file with an event and its collectors', async () => {
  const [ada, bea] = [newAddress(), newAddress()];
  const event = {
    id: 190_001,
    name: 'Conference',
    description: '',
    image_url: 'https://nowhere.invalid/1.png',
    start_date: '01-02-2026',
    end_date: '01-03-2026',
    expiry_date: '02-01-2026',
  };
  const page = {
    limit: 300,
    offset: 0,
    total: 3,
    tokens: [ada, bea, ada].map((id, index) => ({
      created: '2026-01-02 10:00:00',
      id: String(index),
      owner: { id },
    })),
  };
  const path = join(
    await makeFolder({
      'poap.zip': makeZip([
        { name: 'poaps.json', content: Buffer.from(JSON.stringify(page)) },
        { name: 'event.json', content: Buffer.from(JSON.stringify(event)) },
      ]),
    }),
    'poap.zip',
  );
  const refused = await run('poap', path, '--offline');
  expect(refused.code).toBe(1);
  expect(refused.lines.slice(0, 2)).toEqual([
    'PROBLEM event.json: its picture cannot be used: it is at a URL, and nothing is read from the network: put a picture named 190001.png into the source or the folder of --pictures',
    'PROBLEM poaps.json:1: its badge was not imported',
  ]);
  const pictures = await makeFolder({ '190001.png': PNG });
  const { code, lines } = await run('poap', path, '--offline', '--pictures', pictures);
  expect({ code, lines }).toEqual({ code: 0, lines: [`${path}: 3 imported, 1 skipped, 0 with a problem`] });
  expect(await tokenOf('190001')).toMatchObject({
    headline: 'Conference',
    importedFrom: { service: 'poap.tech', id: '190001', url: 'https://poap.gallery/event/190001' },
  });
  expect(await walletOf(bea)).toMatchObject([{ createdAt: '2026-01-02T10:00:00.000Z' }]);
});

test('Open Badges: a baked PNG whose e-mail is a hash can be claimed by who proves it', async () => {
  const salt = 'deadsea';
  const emailHash = createHash('sha256').update(`ada@example.org${salt}`).digest('hex');
  const assertion = {
    type: 'Assertion',
    recipient: { identity: `sha256$${emailHash}`, type: 'email', hashed: true, salt },
    badge: {
      type: 'BadgeClass',
      id: 'https://moodle.example/badges/badge_json.php?id=7',
      name: 'Course',
      description: '',
      image: '',
      criteria: { narrative: 'Do it' },
      issuer: { name: 'School' },
    },
    issuedOn: '2024-01-02T03:04:05+00:00',
  };
  const folder = await makeFolder({
    'a.png': makePng([bakedText(JSON.stringify(assertion))]),
    'b.json': JSON.stringify({
      ...assertion,
      recipient: { identity: newAddress(), type: 'id', hashed: false },
    }),
  });
  const { code, lines } = await run('openbadges', folder);
  expect({ code, lines }).toEqual({ code: 0, lines: [`${folder}: 3 imported, 0 skipped, 0 with a problem`] });
  const token = await tokenOf('https://moodle.example/badges/badge_json.php?id=7');
  expect(token).toMatchObject({
    headline: 'Course',
    criteria: 'Do it',
    claimedCount: 1,
    contributorCount: 2,
  });
});

test('listings: a community of another installation, whose tokens are given to its owners', async () => {
  const { tokenId } = await tokenOf('Talk');
  // The sandbox may read from this machine.
  const { code, lines } = await run(
    'listings',
    `${service.url}/v1/communities/moved`,
    '--community',
    'copied',
  );
  // Nobody has lost anything by the list, so the import is complete.
  expect(code).toBe(0);
  expect(lines.slice(0, -1)).toEqual([
    expect.stringMatching(/^skip {4}allowlists: the service does not list/),
  ]);
  expect(lines.at(-1)).toMatch(/ 1 skipped, 0 with a problem$/);
  const copy = await tokenOf(String(tokenId), 'copied');
  expect(copy).toMatchObject({
    headline: 'Talk',
    claimedCount: 1,
    importedFrom: { service: new URL(service.url).host, url: `${service.url}/token/${tokenId}` },
  });
});

test('it is in the audit log once, without a person', async () => {
  const { data } = await json<{ data: { action: string; resourceId: string }[] }>(
    '/v1/auditLog?limit=1000',
    (path) => service.call(path, { key: service.adminKey }),
  );
  const entries = data.filter(({ action, resourceId }) => action === 'import' && resourceId === 'copied');
  expect(entries).toHaveLength(1);
});

test.each<[string, string[], string]>([
  ['several communities', ['--from', 'csv'], 'there are several communities: name one with --community ID'],
  ['an unknown community', ['--from', 'csv', '--community', 'none'], 'there is no community "none"'],
  ['a file that is not there', ['--from', 'csv', '--community', 'moved'], 'none.csv cannot be read: ENOENT'],
])('%s is an error', async (_name, args, message) => {
  expect(await runCli(['import', ...args, 'none.csv'])).toBe(1);
  expect(printed.stderr).toBe(`badge: ${message}\n`);
});

test.each([
  ['{', 'is not JSON'],
  ['["a"]', 'must be an object with texts'],
  ['{"a": 1}', 'must be an object with texts'],
  [null, 'cannot be read: ENOENT'],
])('a mapping %s is a wrong argument', async (content, message) => {
  const file = join(await makeFolder({}), 'mapping.json');
  if (content !== null) await writeFile(file, content);
  expect(await runCli(['import', '--from', 'csv', '--community', 'moved', '--mapping', file, 'a.csv'])).toBe(
    2,
  );
  expect(printed.stderr).toContain(message);
});

test('a creator can be named; a community without an owner needs one', async () => {
  const creator = newAddress();
  const path = join(await makeFolder({ 'a.csv': 'headline\nNamed\n' }), 'a.csv');
  expect(await run('csv', path, '--creator', creator)).toMatchObject({ code: 0 });
  expect((await tokenOf('Named')).createdByAddress.toLowerCase()).toBe(creator.toLowerCase());
  await service.call('/v1/communities', {
    key: service.adminKey,
    json: { uniqId: 'nobodys', displayId: 'nobodys', name: 'x' },
  });
  expect(await runCli(['import', '--from', 'csv', '--community', 'nobodys', path])).toBe(1);
  expect(printed.stderr).toContain('--creator ADDRESS');
});
