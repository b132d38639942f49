import type { RemoveContributorsBody, RequestError } from '@badge/protocol';
import type { Context } from '../../context.ts';
import {
  findContributorsByEnsName,
  findListedContributors,
  type ListedContributor,
} from '../../storage/claims.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import type { Caller } from '../caller.ts';
import { identifyRequestAboutToken, toSubject } from '../claims/rules.ts';
import { checkNoErrors, Refusal } from '../refusal.ts';
import { withWritableToken } from '../tokens/read-token.ts';
import { looksLikeEnsName, normaliseContributor } from './rules.ts';

/** Accepts a request to remove contributors who have not claimed from a token's allowlist. */
export async function requestContributorRemoval(
  context: Context,
  caller: Caller,
  { tokenId, body, key }: { tokenId: string; body: RemoveContributorsBody; key: OperationKey | null },
): Promise<AcceptedOperation> {
  return await withWritableToken(context, caller, tokenId, async (token) => {
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
  });
}

// Returns the entries of the contributors, without duplicates. Throws if one is not listed or has claimed.
async function findEntries(
  context: Context,
  tokenId: number,
  contributors: string[],
): Promise<ListedContributor[]> {
  const keys = contributors.map((contributor) => normaliseContributor(contributor).key);
  const listed = await findListedContributors(context.database, tokenId, keys);
  const byKey = new Map(listed.map((entry) => [entry.contributor_key.toString('hex'), entry]));
  const byName = await findNamedEntries(context, tokenId, contributors);
  const errors: RequestError[] = [];
  const found = new Set<ListedContributor>();
  for (const [index, key] of keys.entries()) {
    const entry = byKey.get(key.toString('hex'));
    const named = byName.get(contributors[index] ?? '') ?? [];
    // A name that was added as text, while no chain could be asked, can be listed again as an address.
    const matches = entry === undefined ? named : [entry, ...named];
    const pointer = `/contributors/${index}`;
    if (matches.length === 0) errors.push({ pointer, detail: "is not on the token's allowlist" });
    else if (matches.some((match) => match.has_claimed)) {
      errors.push({ pointer, detail: 'has already claimed this token' });
    } else for (const match of matches) found.add(match);
  }
  checkNoErrors(errors);
  return [...found];
}

// Returns the entries of each ENS name: the addresses that it had when it was added. The chain is not asked,
// because the name can belong to another address now.
async function findNamedEntries(
  { database, ens }: Context,
  tokenId: number,
  contributors: string[],
): Promise<Map<string, ListedContributor[]>> {
  const nameOf = new Map(
    contributors
      .filter(looksLikeEnsName)
      .map((text) => [text, ens?.normalise(text.trim()) ?? text.trim().toLowerCase()]),
  );
  if (nameOf.size === 0) return new Map();
  const entries = await findContributorsByEnsName(database, tokenId, [...new Set(nameOf.values())]);
  return new Map(
    [...nameOf].map(([text, name]) => [text, entries.filter((entry) => entry.ens_name === name)]),
  );
}
