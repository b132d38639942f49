import { createHash } from 'node:crypto';
import type { NftType } from '@badge/protocol';
import type { Random } from '../random.ts';
import { COMMUNITY_ID } from './requests.ts';
import type { World } from './world.ts';

const MAX_DESIGNS = 30;
// A GIF of 1 x 1 pixel is a header, then a frame and the trailer. Comments after the header make the file
// large.
const GIF_HEADER = Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00', 'latin1');
const GIF_FRAME = Buffer.from(',\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00;', 'latin1');
// The beginning of a comment block: the next 64 bytes are the text, and a zero byte ends the block.
const GIF_COMMENT = Buffer.from('!\xfe\x40', 'latin1');
const PATH = `/v1/communities/${COMMUNITY_ID}/nftTypes`;

/** Uploads an NFT type and reads its image back. If there are more than MAX_DESIGNS, deletes the oldest. */
export async function design(world: World, random: Random): Promise<void> {
  const { client, designs, apiKey } = world;
  const nftTypeId = `design-${random.integer(0, 2 ** 31)}`;
  // The file has 7 to 270 kB.
  const noise = Array.from({ length: random.integer(1, 40) }, () =>
    createHash('sha512').update(`${nftTypeId} ${random.next()}`).digest(),
  );
  const bytes = makeGif(Array.from({ length: 100 }, () => noise).flat());
  const headers = { Authorization: `Bearer ${apiKey}` };
  const upload = await client.request(PATH, () => {
    const body = new FormData();
    body.append('name', nftTypeId);
    body.append('nftTypeId', nftTypeId);
    body.append('assetFile', new Blob([bytes]), 'design.gif');
    return { method: 'POST', headers, body };
  });
  if (upload === undefined) return;
  // With this load, a 409 means that an earlier attempt succeeded, but its response was lost.
  if (upload.status !== 201 && upload.status !== 409)
    return await world.journal.violation('I10', `an upload returned ${upload.status}`);
  designs.push({ nftTypeId, sha256: sha256Of(bytes) });
  await readBack(world, nftTypeId);

  const [oldest] = designs;
  if (designs.length <= MAX_DESIGNS || oldest === undefined) return;
  designs.shift();
  const deletion = await client.request(`${PATH}/${oldest.nftTypeId}`, () => ({ method: 'DELETE', headers }));
  if (deletion !== undefined && deletion.status !== 204 && deletion.status !== 404)
    await world.journal.violation('I10', `the deletion of an NFT type returned ${deletion.status}`);
}

async function readBack({ client, designs, journal, apiKey }: World, nftTypeId: string): Promise<void> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const list = await client.request(`${PATH}?limit=100`, () => ({ headers }));
  const { data = [] } = ((await list?.json()) ?? {}) as { data?: NftType[] };
  const nftType = data.find((one) => one.nftTypeId === nftTypeId);
  const image = nftType && (await client.request(new URL(nftType.previewAssetUrl).pathname, () => ({})));
  // If one of the two responses is missing, nothing is known. A type that the list does not contain counts as
  // changed.
  if (list === undefined || (nftType !== undefined && image === undefined)) return;
  const bytes = Buffer.from((await image?.arrayBuffer()) ?? new ArrayBuffer());
  const isUnchanged = designs.some((one) => one.nftTypeId === nftTypeId && one.sha256 === sha256Of(bytes));
  await journal.append({ type: 'asset', nftTypeId, isUnchanged });
}

/** A valid GIF of 1 x 1 pixel with these comments, each of 64 bytes. */
export function makeGif(comments: Buffer[]): Buffer {
  const blocks = comments.map((text) => Buffer.concat([GIF_COMMENT, text, Buffer.from([0])]));
  return Buffer.concat([GIF_HEADER, ...blocks, GIF_FRAME]);
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
