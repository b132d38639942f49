import { randomBytes, randomUUID } from 'node:crypto';
import {
  type ContributorEntry,
  type CreateClaimLinksBody,
  type CreatedClaimLink,
  LIMITS,
  type Person,
  type RequestError,
} from '@badge/protocol';
import type { Context, DatabaseTransaction, Repetition } from '../../context.ts';
import {
  findListedIdentifiers,
  findUnusedLinks,
  insertClaimLinks,
  isCodeTaken,
  type NewClaimLink,
  revokeClaimLinks,
} from '../../storage/claim-links.ts';
import type { NewSignature } from '../../storage/operations.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { beginCreatorCheck, type RunChainCalls, type RunWrite } from '../check-signature.ts';
import { checkMayName, textOf } from '../contributors/read-people.ts';
import { normaliseContributor } from '../contributors/rules.ts';
import { lockWritableToken } from '../lock-token.ts';
import { encryptPerson, isPersonGiven } from '../recipients/rules.ts';
import { checkNoErrors, Refusal } from '../refusal.ts';
import { requireEncryption } from '../require-encryption.ts';
import { readWritableToken } from '../tokens/read-token.ts';
import { checkClaimLinkUsage } from './read-usage.ts';
import { hashClaimCode, makeClaimCode, makeShortCode, toSentCode } from './rules.ts';

/** The allowlist entry of a link to create, who gets it, and for a room, how many claims it allows. */
type Entry = Pick<NewClaimLink, 'contributorKey' | 'identifier'> & {
  maxClaims: number | null;
  person?: Person | undefined;
};

/**
 * Creates claim links for a token. Only the returned objects contain the codes; the service stores their
 * hashes. A repeated request revokes the links of the earlier one that are not used, and creates one for each
 * of them.
 */
export async function createClaimLinks(
  context: Context,
  caller: Caller,
  {
    tokenId,
    body,
    repetition,
    runChainCalls,
    runWrite,
  }: {
    tokenId: string;
    body: CreateClaimLinksBody;
    repetition: Repetition | undefined;
    runChainCalls: RunChainCalls;
    runWrite: RunWrite;
  },
): Promise<CreatedClaimLink[]> {
  const token = await readWritableToken(context, caller, tokenId);
  const check = body.signature ? beginCreatorCheck(context, token, body.signature, runChainCalls) : null;
  checkAllowlist(token, body);
  checkMayName(context, [...(body.identifiers ?? []), ...(body.people ?? [])]);
  const signature = (await check?.finish()) ?? null;
  const createLinks = async (tx: DatabaseTransaction) => {
    // New allowlist entries get the next positions after the token's last entry. The lock keeps concurrent
    // requests from using the same positions, claims from using links that are being replaced, and entries
    // from being removed meanwhile.
    await lockWritableToken(tx, token.token_id);
    const earlier = repetition?.earlierIds ?? null;
    const entries =
      earlier === null
        ? await createEntries(tx, token.token_id, body)
        : await revokeUnusedLinks(tx, caller, { token, claimLinkIds: earlier });
    const links = await insertLinks(context, tx, caller, { token, body, entries, signature });
    await repetition?.record(
      tx,
      links.map(({ claimLinkId }) => claimLinkId),
    );
    return links;
  };
  return await runWrite(() => context.transaction(createLinks));
}

function checkAllowlist(token: TokenSummaryRow, { identifiers, signature }: CreateClaimLinksBody): void {
  // A body with `identifiers`, or with a signature, is for an allowlisted token. A body with `count` alone is
  // for an open token.
  const isForAllowlist = Boolean(identifiers || signature);
  if (isForAllowlist === token.is_allowlist_required) return;
  throw new Refusal(
    'AllowlistMismatch',
    token.is_allowlist_required
      ? "This token is allowlisted: send identifiers, or count or maxClaims with the creator's signature."
      : 'This token is open: send count, without identifiers and signature.',
  );
}

// Without identifiers, each link for one claim gets an allowlist entry of its own, with a random key. An open
// token gets such entries too. Its allowlist contains nothing else, and claims without a code do not use it.
async function createEntries(
  tx: DatabaseTransaction,
  tokenId: number,
  { identifiers, count, maxClaims = null, people }: CreateClaimLinksBody,
): Promise<Entry[]> {
  if (identifiers) return await findEntries(tx, tokenId, identifiers);
  return Array.from({ length: count ?? 1 }, (_, index) => ({
    ...createEntry(maxClaims),
    person: people?.[index],
  }));
}

function createEntry(maxClaims: number | null): Entry {
  return { contributorKey: randomBytes(32), identifier: null, maxClaims };
}

// Revokes the links that are not used. Returns the entries of the links that replace them, which are the
// same, so that each link stays that of its person.
async function revokeUnusedLinks(
  tx: DatabaseTransaction,
  caller: Caller,
  { token, claimLinkIds }: { token: TokenSummaryRow; claimLinkIds: string[] },
): Promise<Entry[]> {
  const links = await findUnusedLinks(tx, { tokenId: token.token_id, claimLinkIds });
  const unused = {
    communityId: token.community_id,
    claimLinkIds: links.map((link) => link.claim_link_id),
    arePeopleKept: true,
  };
  if (!(await revokeClaimLinks(tx, toActor(caller), unused))) {
    await checkMayStillWrite(tx, caller, token.community_id);
  }
  return links.map(({ identifier, contributor_key: contributorKey, max_claims, claim_count }) => ({
    contributorKey,
    identifier,
    maxClaims: max_claims && max_claims - claim_count,
  }));
}

async function insertLinks(
  context: Context,
  tx: DatabaseTransaction,
  caller: Caller,
  request: {
    token: TokenSummaryRow;
    body: CreateClaimLinksBody;
    entries: Entry[];
    signature: NewSignature | null;
  },
): Promise<CreatedClaimLink[]> {
  const { token, body, entries, signature } = request;
  const [first] = entries;
  if (first === undefined) return [];
  await checkClaimLinkUsage(context, tx, { token, added: entries.length });
  const links: (NewClaimLink & { code: string })[] = [];
  for (const { contributorKey, identifier, maxClaims, person } of entries) {
    const code = maxClaims === null ? makeClaimCode() : await findFreeRoomCode(tx, token);
    const codeHash = hashClaimCode(token.token_id, code);
    links.push({
      claimLinkId: randomUUID(),
      contributorKey,
      identifier,
      code,
      codeHash,
      ...(isPersonGiven(person) && {
        person: encryptPerson(requireEncryption(context), contributorKey, person),
      }),
    });
  }
  const expiresAtTimestamp = body.expiresAtTimestamp ?? null;
  const createdAt = await insertClaimLinks(tx, toActor(caller), {
    tokenId: token.token_id,
    links,
    expiresAt: toDate(expiresAtTimestamp),
    signature,
    room: first.maxClaims === null ? null : toRoom(body, first.maxClaims),
  });
  if (createdAt === undefined) {
    await checkMayStillWrite(tx, caller, token.community_id);
    throw new Error(`token ${token.token_id} no longer exists`);
  }
  return links.map(({ claimLinkId, code, identifier }) => ({
    claimLinkId,
    code,
    url: `${context.settings.publicUrl}/claim/${token.token_id}#${code}`,
    identifier,
    expiresAtTimestamp,
    createdAtTimestamp: createdAt.getTime(),
  }));
}

function toRoom(body: CreateClaimLinksBody, maxClaims: number) {
  return {
    maxClaims,
    startsAt: toDate(body.startsAtTimestamp ?? null),
    isSignatureRequired: body.isSignatureRequired ?? false,
    maxClaimsPerClient: body.maxClaimsPerClient ?? LIMITS.defaultClaimsPerClient,
  };
}

function toDate(timestamp: number | null): Date | null {
  return timestamp === null ? null : new Date(timestamp);
}

/**
 * Returns a code that no other link of the token has, also not one that was made for a token that this one
 * has replaced. The token must be locked, so that no concurrent request takes the same code.
 */
export async function findFreeRoomCode(
  tx: DatabaseTransaction,
  token: Parameters<typeof toSentCode>[0],
  makeCode = makeShortCode,
): Promise<string> {
  for (;;) {
    const code = makeCode();
    const { madeFor } = toSentCode(token, code);
    const codeHashes = madeFor.map(({ codeHash }) => codeHash);
    if (!(await isCodeTaken(tx, codeHashes))) return code;
  }
}

// Returns the allowlist entries of the identifiers, each once.
async function findEntries(
  tx: DatabaseTransaction,
  tokenId: number,
  identifiers: ContributorEntry[],
): Promise<Entry[]> {
  const keys = identifiers.map((entry) => normaliseContributor(textOf(entry)).key);
  const listed = await findListedIdentifiers(tx, tokenId, keys);
  const byKey = new Map(listed.map((entry) => [entry.contributor_key.toString('hex'), entry]));
  const entries = new Map<string, Entry>();
  const errors: RequestError[] = [];
  for (const [index, key] of keys.entries()) {
    const found = byKey.get(key.toString('hex'));
    if (found === undefined) {
      errors.push({ pointer: `/identifiers/${index}`, detail: "is not on the token's allowlist" });
    } else if (found.has_claimed) {
      errors.push({ pointer: `/identifiers/${index}`, detail: 'has already claimed this token' });
    } else {
      const { contributor_key: contributorKey, identifier } = found;
      const hex = contributorKey.toString('hex');
      const entry = identifiers[index];
      const person = typeof entry === 'string' ? undefined : entry;
      if (!entries.has(hex)) entries.set(hex, { contributorKey, identifier, maxClaims: null, person });
    }
  }
  checkNoErrors(errors);
  return [...entries.values()];
}
