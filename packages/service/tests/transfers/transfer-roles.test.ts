import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommunityExport, Operation } from '@badge/protocol';
import { expect, test } from 'vitest';
import type { CommunityManifest } from '../../src/archive/manifest.ts';
import { readWithTar } from '../../src/testing/archives.ts';
import { startOtherProcess, startTestService } from '../../src/testing/services.ts';
import { waitForTransfers } from '../../src/testing/transfers.ts';

test('a process with the seeds makes an export, although only a worker settles operations', async () => {
  const service = await startTestService({ BADGE_ROLE: 'api' });
  const worker = await startOtherProcess(service, {
    BADGE_ROLE: 'worker',
    BADGE_ENCRYPTION_KEY_FILE: join(service.dataDir, 'encryption-key'),
  });
  try {
    const key = service.adminKey;
    const exports = '/v1/communities/demo/exports';
    const accepted = await service.call(exports, { key, json: { people: 'none' } });
    const settled = await service.call(`${accepted.headers.get('location')}?wait=30`);
    const { resourceId } = (await settled.json()) as Operation;
    await waitForTransfers(service);
    const made = (await (await service.call(`${exports}/${resourceId}`, { key })).json()) as CommunityExport;
    const { pathname, search } = new URL(made.downloadUrl ?? '');
    const file = join(await mkdtemp(join(tmpdir(), 'badge-test-')), 'archive.tar');
    await writeFile(file, Buffer.from(await (await service.call(pathname + search)).arrayBuffer()));
    const manifest = JSON.parse(await readWithTar(file, 'manifest.json')) as CommunityManifest;
    expect(manifest).toMatchObject({
      publicUrl: service.context.settings.publicUrl,
      credentials: { leftOut: null },
    });
  } finally {
    await worker.stop();
    await service.stop();
  }
});
