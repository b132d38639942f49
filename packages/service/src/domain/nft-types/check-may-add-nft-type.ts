import type { Context } from '../../context.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community-row.ts';

/** Refuses an upload that its body cannot save, before the body is read. */
export async function checkMayAddNftType(
  context: Context,
  caller: Caller,
  communityId: string,
): Promise<void> {
  await readCommunityRow(context, communityId);
  checkMayActFor(caller, communityId);
}
