import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyCredential } from '@badge/credentials';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type CommunityManifest, SIGNED_CREDENTIAL_SCHEMA } from '../../src/archive/manifest.ts';
import { createTar, openTar } from '../../src/archive/tar.ts';
import { runCli } from '../../src/cli/cli.ts';
import { writeCommunityArchive } from '../../src/domain/archives/write-community-archive.ts';
import { stderr } from '../../src/output.ts';
import { listWithTar, readWithTar, SILENT } from '../../src/testing/archives.ts';
import { ATTRIBUTES } from '../../src/testing/credentials-fixture.ts';
import { insertOwners } from '../../src/testing/insert-owners.ts';
import { nftTypeForm } from '../../src/testing/nft-type-provocations.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const OWNERS = 20;

let service: TestService;
let directory: string;
let archive: string;
let tokenIds: number[];
let printed = '';

beforeAll(async () => {
  service = await startTestService();
  directory = await mkdtemp(join(tmpdir(), 'badge-archive-'));
  archive = join(directory, 'badge.tar');
  const form = nftTypeForm({ name: 'Own design' });
  const uploaded = await service.call('/v1/communities/demo/nftTypes', {
    method: 'POST',
    body: form,
    headers: { Authorization: `Bearer ${service.apiKey}` },
  });
  const { nftTypeId } = (await uploaded.json()) as { nftTypeId: string };
  tokenIds = [
    await createToken({ customAttributes: ATTRIBUTES, criteria: 'By being there', validityDays: 3 }),
    await createToken({ nftTypeId }),
  ];
  for (const tokenId of tokenIds) await insertOwners(service.databaseUrl, tokenId, OWNERS);
  await write(archive);
});
afterAll(() => service.stop());
beforeEach(() => {
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(stderr, 'write').mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function createToken(fields: object): Promise<number> {
  const json = await signedToken({ ...fields }, newWallet());
  const response = await service.call('/v1/tokens', { json, key: service.apiKey });
  const operation = await service.call(`${response.headers.get('location')}?wait=30`);
  return ((await operation.json()) as { resourceId: number }).resourceId;
}

async function write(
  file: string,
  options: object = {},
  context = service.context,
): Promise<CommunityManifest> {
  const choice = { communityId: 'demo', people: { kind: 'none' }, progress: SILENT } as const;
  return await writeCommunityArchive(context, file, { ...choice, ...options });
}

interface Line {
  tokenId: number;
  address: string;
  credential: { credentialStatus: { statusListCredential: string } };
}

async function readCredentials(file: string): Promise<Line[]> {
  const text = await readWithTar(file, 'signed-credentials.ndjson');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

async function readLists(file: string): Promise<Map<string, string>> {
  const names = (await listWithTar(file)).filter((name) => name.startsWith('status-lists/'));
  const lists = await Promise.all(names.map((name) => readWithTar(file, name)));
  return new Map(lists.map((list) => [(JSON.parse(list) as { id: string }).id, list]));
}

test('each badge has its credential, with the bytes that the service gives, and verifies without it', async () => {
  const lines = await readCredentials(archive);
  expect(lines).toHaveLength(2 * OWNERS);
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(SIGNED_CREDENTIAL_SCHEMA);
  const lists = await readLists(archive);
  for (const line of lines) {
    expect(validate(line)).toBe(true);
    const { tokenId, address, credential } = line;
    const json = JSON.stringify(credential);
    const { verdict, content } = await verifyCredential(json, {
      fetchStatusList: async (url) => lists.get(url) ?? Promise.reject(new Error('no list')),
    });
    expect([verdict, content?.wallet?.address.toLowerCase()]).toEqual(['valid', address]);
    const response = await service.call(`/v1/tokens/${tokenId}/credentials/${address}`);
    expect(await response.text()).toBe(json);
  }
  for (const [url, list] of lists) {
    const response = await service.call(new URL(url).pathname);
    expect(await response.text()).toBe(list);
  }
});

test('the command verifies all credentials of an archive, and each one with its list, without a network', async () => {
  expect(await runCli(['verify', archive, '--offline'])).toBe(0);
  expect(printed).toBe(`${archive}: ${2 * OWNERS} credentials are valid, 0 are not\n`);
  const other = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
  expect(await runCli(['verify', archive, '--issuer', other])).toBe(1);
  expect(await runCli(['verify', archive, '--email', 'ada@example.org'])).toBe(2);

  const [line] = await readCredentials(archive);
  const { statusListCredential: url } = line?.credential.credentialStatus ?? { statusListCredential: '' };
  const files = { credential: join(directory, 'credential.json'), list: join(directory, 'list') };
  await writeFile(files.credential, JSON.stringify(line?.credential));
  await writeFile(files.list, await readWithTar(archive, `status-lists/${url.split('/').at(-1)}`));
  expect(await runCli(['verify', files.credential, '--offline'])).toBe(2);
  printed = '';
  expect(await runCli(['verify', files.credential, '--offline', '--status-list', files.list])).toBe(0);
  expect(printed).toMatch(/^VALID/);
});

test('a badge that is lost has no credential any more, and the former one is revoked', async () => {
  const [lost] = await readCredentials(archive);
  await query(
    service.databaseUrl,
    `with operation as (
       insert into operations
         (operation_id, operation_type, status, community_id, request_bytes, resource_id, completed_at)
       values (gen_random_uuid(), 'burn', 'success', 'demo', 0, $1, now()) returning operation_id
     )
     update claims set burnt_at = now(), burn_operation_id = operation.operation_id from operation
     where token_id = $1 and address = $2`,
    [lost?.tokenId, Buffer.from(lost?.address.slice(2) ?? '', 'hex')],
  );
  const file = join(directory, 'later.tar');
  await write(file);
  expect(await readCredentials(file)).toHaveLength(2 * OWNERS - 1);
  // The former credentials with the later list.
  const lists = await readLists(file);
  const forged = join(directory, 'former.tar');
  const former = await openTar(archive);
  const tar = await createTar(forged);
  await tar.add('signed-credentials.ndjson', former.read('signed-credentials.ndjson'));
  for (const [index, list] of [...lists.values()].entries())
    await tar.add(`status-lists/${index}`, toStream(Buffer.from(list)));
  await tar.end();
  await Promise.all([tar.close(), former.close()]);
  expect(await runCli(['verify', forged])).toBe(1);
  expect(printed).toContain(`token ${lost?.tokenId} of ${lost?.address}`);
  expect(printed).toContain(`${2 * OWNERS - 1} credentials are valid, 1 are not`);
});

test('an altered credential is found', async () => {
  const forged = join(directory, 'forged.tar');
  const bytes = await readFile(archive);
  // Of one credential.
  const altered = Buffer.from(
    bytes.toString('latin1').replace('"narrative":"By being there"', '"narrative":"By having been"'),
    'latin1',
  );
  await writeFile(forged, altered);
  expect(await runCli(['verify', forged])).toBe(1);
  expect(printed).toContain('1 are not');
});

test('with too many badges, or without the key, there are none, and the manifest says so', async () => {
  const file = join(directory, 'without.tar');
  const { credentials, files } = await write(file, { maxCredentials: 2 });
  expect(credentials).toEqual({ leftOut: 'tooMany' });
  expect(files.map(({ name }) => name)).not.toContain('signed-credentials.ndjson');
  expect((await write(file, {}, { ...service.context, issuerKeys: null })).credentials).toEqual({
    leftOut: 'noKey',
  });
  expect(await runCli(['verify', file])).toBe(2);
});

async function* toStream(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
