import { createHash } from 'node:crypto';
import type { NftType } from '@badge/protocol';
import type { Random } from '../random.ts';
import type { World } from './load.ts';
import { COMMUNITY_ID } from './requests.ts';

const MOST_DESIGNS = 30;
const GIF_HEADER = Buffer.from('R0lGODlhAgACAIAAAAAAAAAAACH5BAQAAAAALAAAAAACAAIA', 'base64');
const PATH = `/v1/communities/${COMMUNITY_ID}/nftTypes`;

/** An NFT type that was uploaded. */
export interface Design {
  nftTypeId: string;
  hash: string;
}

/** Uploads an NFT type under an id of its own, reads its picture back, and deletes the oldest of many. */
export async function design(world: World, random: Random): Promise<void> {
  const { client, designs, apiKey } = world;
  const nftTypeId = `design-${random.integer(0, 2 ** 31)}`;
  const noise = Array.from({ length: random.integer(1, 40) }, () =>
    createHash('sha512').update(`${nftTypeId} ${random.next()}`).digest(),
  );
  const bytes = Buffer.concat([GIF_HEADER, ...Array.from({ length: 100 }, () => noise).flat()]);
  const headers = { Authorization: `Bearer ${apiKey}` };
  const added = await client.ask(PATH, () => {
    const body = new FormData();
    body.append('name', nftTypeId);
    body.append('nftTypeId', nftTypeId);
    body.append('assetFile', new Blob([bytes]), 'design.gif');
    return { method: 'POST', headers, body };
  });
  // The answer to an earlier attempt may have been lost.
  if (added?.status !== 201 && added?.status !== 409)
    return await expectNot(world, `an upload was answered ${added?.status}`);
  designs.push({ nftTypeId, hash: hashOf(bytes) });
  await readBack(world, nftTypeId);

  const [oldest] = designs;
  if (designs.length <= MOST_DESIGNS || oldest === undefined) return;
  designs.shift();
  const deleted = await client.ask(`${PATH}/${oldest.nftTypeId}`, () => ({ method: 'DELETE', headers }));
  if (deleted !== undefined && deleted.status !== 204 && deleted.status !== 404) {
    await expectNot(world, `a deletion was answered ${deleted.status}`);
  }
}

async function readBack(world: World, nftTypeId: string): Promise<void> {
  const { client, designs, journal, apiKey } = world;
  const headers = { Authorization: `Bearer ${apiKey}` };
  const listed = await client.ask(`${PATH}?limit=100`, () => ({ headers }));
  const { data = [] } = ((await listed?.json()) ?? {}) as { data?: NftType[] };
  const nftType = data.find((one) => one.nftTypeId === nftTypeId);
  const picture = nftType && (await client.ask(new URL(nftType.previewAssetUrl).pathname, () => ({})));
  if (listed === undefined || (nftType !== undefined && picture === undefined)) return;
  const bytes = Buffer.from((await picture?.arrayBuffer()) ?? new ArrayBuffer());
  const isWhole = designs.some((one) => one.nftTypeId === nftTypeId && one.hash === hashOf(bytes));
  await journal.append({ type: 'asset', nftTypeId, isWhole });
}

async function expectNot({ journal }: World, detail: string): Promise<void> {
  if (!detail.endsWith('undefined')) await journal.append({ type: 'violation', invariant: 'I10', detail });
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
