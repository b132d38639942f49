import type { Person, Recipient, RequestError, SetRecipientsBody } from '@badge/protocol';
import type { Context, DatabaseTransaction } from '../../context.ts';
import { toAddress } from '../../signatures/address.ts';
import { findContributorsByEnsName, findListedContributors } from '../../storage/claims.ts';
import {
  findNamedRecipients,
  findRecipientById,
  type NamedRecipient,
  type PersonalChanges,
  updateRecipients,
} from '../../storage/named-recipients.ts';
import { findRecipients } from '../../storage/recipient-listings.ts';
import { writeRecipients } from '../../storage/recipients.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { looksLikeEnsName, normaliseContributor } from '../contributors/rules.ts';
import { isUuid } from '../ids.ts';
import { lockWritableToken } from '../lock-token.ts';
import { checkNoErrors, MAX_ERRORS } from '../refusal.ts';
import { requireEncryption } from '../require-encryption.ts';
import { readWritableToken } from '../tokens/read-token.ts';
import { toRecipient } from './list-recipients.ts';
import { encryptChanges, recipientNotFound } from './rules.ts';

const IS_INVITED = 'has an invitation to its e-mail; revoke the invitation first';

/** Says who entries of the list and owners are. If one of them is unknown, nothing is written. */
export async function setRecipients(
  context: Context,
  caller: Caller,
  { tokenId, body }: { tokenId: string; body: SetRecipientsBody },
): Promise<number> {
  const token = await readWritableToken(context, caller, tokenId);
  const encryption = requireEncryption(context);
  return await context.transaction(async (tx) => {
    await lockWritableToken(tx, token.token_id);
    const people = await findPeople(
      context,
      tx,
      token,
      body.items.map(({ contributor }) => contributor),
    );
    const errors: RequestError[] = [];
    const changes = new Map<string, PersonalChanges & { recipientId: string }>();
    for (const [index, item] of body.items.entries()) {
      const person = people[index];
      const pointer = `/items/${index}`;
      if (person === undefined) {
        const detail = "is neither on the token's allowlist nor an owner of the token";
        errors.push({ pointer: `${pointer}/contributor`, detail });
      } else if (item.email !== undefined && person.is_invited) {
        errors.push({ pointer: `${pointer}/email`, detail: IS_INVITED });
      } else {
        const { recipient_id: recipientId, contributor_key: key } = person;
        changes.set(recipientId, { recipientId, ...encryptChanges(encryption, key, item) });
      }
    }
    checkNoErrors(errors.slice(0, MAX_ERRORS));
    await write(tx, caller, { token, action: 'setRecipients', changes: [...changes.values()] });
    return changes.size;
  });
}

/** Changes what is said about a person. Absent fields do not change. */
export async function updateRecipient(
  context: Context,
  caller: Caller,
  { tokenId, recipientId, body }: { tokenId: string; recipientId: string; body: Person },
): Promise<Recipient> {
  const token = await readWritableToken(context, caller, tokenId);
  if (!isUuid(recipientId)) throw recipientNotFound();
  const encryption = requireEncryption(context);
  const filter = { tokenId: token.token_id, communityId: token.community_id };
  const sequence = await context.transaction(async (tx) => {
    await lockWritableToken(tx, token.token_id);
    const person = await findRecipientById(tx, { tokenId: token.token_id, recipientId });
    if (person === undefined) throw recipientNotFound();
    if (body.email !== undefined && person.is_invited) {
      checkNoErrors([{ pointer: '/email', detail: IS_INVITED }]);
    }
    const change = { recipientId, ...encryptChanges(encryption, person.contributor_key, body) };
    await write(tx, caller, { token, action: 'updateRecipient', changes: [change] });
    return person.sequence;
  });
  const [row] = await findRecipients(context.database, filter, [sequence]);
  if (row === undefined) throw recipientNotFound();
  return toRecipient(context, row);
}

async function write(
  tx: DatabaseTransaction,
  caller: Caller,
  { token, ...written }: { token: TokenSummaryRow } & Omit<Parameters<typeof updateRecipients>[2], 'tokenId'>,
): Promise<void> {
  if (await updateRecipients(tx, toActor(caller), { tokenId: token.token_id, ...written })) return;
  await checkMayStillWrite(tx, caller, token.community_id);
  throw new Error(`token ${token.token_id} no longer exists`);
}

// Returns who each contributor is. The creator of a token, who is on its list, becomes a recipient.
async function findPeople(
  { ens }: Context,
  tx: DatabaseTransaction,
  { token_id: tokenId, is_allowlist_required: isAllowlisted }: TokenSummaryRow,
  contributors: string[],
): Promise<(NamedRecipient | undefined)[]> {
  const keys = contributors.map((contributor) => normaliseContributor(contributor).key);
  const names = contributors.map((text) =>
    looksLikeEnsName(text) ? (ens?.normalise(text.trim()) ?? text.trim().toLowerCase()) : null,
  );
  const named = await findContributorsByEnsName(
    tx,
    tokenId,
    names.filter((name) => name !== null),
  );
  const addressOf = new Map(named.map((entry) => [entry.ens_name, entry.contributor_key]));
  const wanted = keys.map((key, index) => addressOf.get(names[index] ?? '') ?? key);
  const found = await findNamedRecipients(tx, tokenId, wanted);
  const missing = wanted.filter((_, index) => found[index] === undefined);
  if (missing.length === 0 || !isAllowlisted) return found;
  const listed = await findListedContributors(tx, tokenId, missing);
  await writeRecipients(
    tx,
    tokenId,
    listed.map(({ contributor_key: contributorKey }) => ({
      contributorKey,
      way: 'list',
      address: contributorKey.length === 20 ? toAddress(contributorKey) : null,
      claimLinkId: null,
      invitationId: null,
      name: null,
      email: null,
      emailHash: null,
      note: null,
    })),
  );
  return await findNamedRecipients(tx, tokenId, wanted);
}
