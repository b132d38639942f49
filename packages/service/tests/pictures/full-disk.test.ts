import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { Problem } from '@badge/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nftTypeForm } from '../../src/testing/nft-type-provocations.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

/** `failingCall` is the file operation that fails, with the error code `code`; '' for none. */
const disk = { failingCall: '', code: '' };
const { open } = fs;

let service: TestService;
beforeAll(async () => {
  const fail = () =>
    Promise.reject(Object.assign(new Error(disk.code), { code: disk.code, syscall: 'write' }));
  fs.open = async (...args: Parameters<typeof open>) => {
    if (!String(args[0]).includes('badge-upload-')) return await open(...args);
    if (disk.failingCall === 'open') return await fail();
    const file = await open(...args);
    if (disk.failingCall === 'write') file.writeFile = fail;
    return file;
  };
  syncBuiltinESMExports();
  service = await startTestService({ BADGE_ROLE: 'api' });
});
afterAll(async () => {
  fs.open = open;
  syncBuiltinESMExports();
  await service.stop();
});

const upload = () =>
  service.call('/v1/communities/demo/nftTypes', { method: 'POST', key: service.apiKey, body: nftTypeForm() });

test.each([
  ['open', 'ENOSPC'],
  ['write', 'ENOSPC'],
  ['write', 'EDQUOT'],
])(
  'an upload returns 503 if `%s` fails with %s, because the temporary directory or its quota is full',
  async (failingCall, code) => {
    Object.assign(disk, { failingCall, code });
    const response = await upload();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect((await response.json()) as Problem).toMatchObject({ name: 'Unavailable' });
    disk.failingCall = '';
    expect((await upload()).status).toBe(201);
  },
);

test('another disk error during an upload returns 500', async () => {
  Object.assign(disk, { failingCall: 'write', code: 'EIO' });
  expect((await upload()).status).toBe(500);
});
