import type { Requester } from '@badge/badge-images';
import type { Context } from '../../context.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { refuseIfBusy } from '../pictures/read-picture.ts';
import { Refusal } from '../refusal.ts';
import { isBuiltIn } from './rules.ts';

/** Draws the picture that a token with this headline would have. Uploaded types show no headline. */
export async function readNftTypePreview(
  context: Context,
  caller: Caller,
  { communityId, nftTypeId, headline }: { communityId: string; nftTypeId: string; headline: string },
  requester: Requester,
): Promise<Buffer> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  if (!isBuiltIn(nftTypeId)) {
    throw new Refusal('NftTypeNotFound', 'There is no built-in NFT type with this id.');
  }
  const spec = { kind: 'token', designId: nftTypeId, headline } as const;
  return await context.images.render(spec, { ...requester, isPreview: true }).catch(refuseIfBusy);
}
