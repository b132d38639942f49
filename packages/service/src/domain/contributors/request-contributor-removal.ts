import type { RemoveContributorsBody, RequestError } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { findListedContributors, type ListedContributor } from '../../storage/claims.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { identifyRequestAboutToken, toSubject } from '../claims/rules.ts';
import { checkNoErrors, Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { listContributorKeys } from './rules.ts';

/** Accepts a request to remove contributors who have not claimed from a token's allowlist. */
export async function requestContributorRemoval(
  context: Context,
  caller: Caller,
  { tokenId, body, key }: { tokenId: string; body: RemoveContributorsBody; key: OperationKey | null },
): Promise<AcceptedOperation> {
  const token = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, token.community_id);
  if (!token.is_allowlist_required) {
    throw new Refusal(
      'AllowlistMismatch',
      'Only tokens with an allowlist have contributors; this one is open.',
    );
  }
  const entries = await findEntries(context, token.token_id, body.contributors);
  return await acceptOperation(context, {
    operationType: 'removeContributors',
    communityId: token.community_id,
    caller,
    key,
    requestIdentity: identifyRequestAboutToken(
      'removeContributors',
      token.token_id,
      entries.map((entry) => toSubject(entry.contributor_key, entry.added_at)),
    ),
    request: {
      tokenId: token.token_id,
      contributorKeys: entries.map((entry) => entry.contributor_key),
    },
  });
}

// Returns the entries of the contributors, without duplicates. Throws if one is not listed or has claimed.
async function findEntries(
  context: Context,
  tokenId: number,
  contributors: string[],
): Promise<ListedContributor[]> {
  const candidateKeys = contributors.map(listContributorKeys);
  const listed = await findListedContributors(context.database, tokenId, candidateKeys.flat());
  const byKey = new Map(listed.map((entry) => [entry.contributor_key.toString('hex'), entry]));
  const errors: RequestError[] = [];
  const found = new Set<ListedContributor>();
  for (const [index, candidates] of candidateKeys.entries()) {
    const entry = candidates
      .map((key) => byKey.get(key.toString('hex')))
      .find((candidate) => candidate !== undefined);
    const pointer = `/contributors/${index}`;
    if (entry === undefined) errors.push({ pointer, detail: "is not on the token's allowlist" });
    else if (entry.has_claimed) errors.push({ pointer, detail: 'has already claimed this token' });
    else found.add(entry);
  }
  checkNoErrors(errors);
  return [...found];
}
