import type { AddContributorsBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import type { Caller } from '../caller.ts';
import { beginCreatorCheck, type RunChainCalls } from '../check-signature.ts';
import { identifyRequestAboutToken } from '../claims/rules.ts';
import { Refusal } from '../refusal.ts';
import { readWritableToken } from '../tokens/read-token.ts';
import { beginReadingContributors } from './read-contributors.ts';
import { checkMayName, nameContributors, textOf } from './read-people.ts';

/** Accepts a request to add contributors to a token's allowlist. The token's creator must have signed it. */
export async function requestContributors(
  context: Context,
  caller: Caller,
  {
    tokenId,
    body,
    key,
    runChainCalls,
  }: {
    tokenId: string;
    body: AddContributorsBody;
    key: OperationKey | null;
    runChainCalls: RunChainCalls;
  },
): Promise<AcceptedOperation> {
  const token = await readWritableToken(context, caller, tokenId);
  const check = beginCreatorCheck(context, token, body.signature, runChainCalls);
  if (!token.is_allowlist_required) {
    throw new Refusal(
      'AllowlistMismatch',
      'Only tokens with an allowlist have contributors; this one is open.',
    );
  }
  checkMayName(context, body.contributors);
  const reading = beginReadingContributors(context, body.contributors.map(textOf), runChainCalls);
  const signature = await check.finish();
  const { warnings, ...read } = await reading.finish();
  const { contributors, subjects } = nameContributors(context, body.contributors, read);
  const contributorKeys = contributors.map((contributor) => contributor.key);
  return await acceptOperation(context, {
    operationType: 'addContributors',
    communityId: token.community_id,
    caller,
    key,
    requestIdentity: identifyRequestAboutToken('addContributors', token.token_id, [
      ...contributorKeys,
      ...subjects,
    ]),
    signatures: [signature],
    warnings,
    request: { tokenId: token.token_id, contributors },
  });
}
