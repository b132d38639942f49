import type { Recipient, RecipientHistoryEntry, RecipientsQuery } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { isAddress, parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import {
  findRecipients,
  listRecipientEvents,
  listRecipientSequences,
  listRecipientsAfter,
  type RecipientEventRow,
  type RecipientFilter,
  type RecipientRow,
} from '../../storage/recipient-listings.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { isUuid } from '../ids.ts';
import { mapPieces, type Piece, type Reader, readWholeList } from '../reader.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { readMatchingRecipients } from './read-matching-recipients.ts';
import { decryptPerson, foldText, recipientNotFound } from './rules.ts';

// A name has up to 100 characters, an e-mail 254, a note 500 and an identifier 256, of up to 6 bytes in JSON.
const RECIPIENT_BYTES = 8 * 1024;
const EVENT_BYTES = 1024;
const MAX_EVENTS = 1_000;

type RecipientsPage = Omit<RecipientsQuery, 'limit' | 'offset'> & { limit: number; offset: number };

/** Lists the people of a token, and how many there are. */
export async function listRecipients(
  context: Context,
  reader: Reader,
  caller: Caller,
  { tokenId, search, order = 'newest', limit, offset, ...rest }: RecipientsPage & { tokenId: string },
): Promise<{ total: number; data: Recipient[] }> {
  const searched = search?.trim() ?? '';
  // An index has whole addresses, so nothing needs to be decrypted.
  const address = isAddress(searched) ? parseAddress(searched) : undefined;
  const filter = { ...(await readFilter(context, caller, tokenId, rest)), address };
  const wanted = searched === '' || address !== undefined ? undefined : searched;
  const isByName = order === 'name' && address === undefined;
  const { total, sequences } =
    wanted !== undefined || isByName
      ? await readMatchingRecipients(context, reader, { ...filter, search: wanted, order, limit, offset })
      : await reader.read(0, () =>
          listRecipientSequences(context.database, filter, {
            order: order === 'name' ? 'newest' : order,
            limit,
            offset,
          }).catch(refuseSlowRead('Use fewer filters')),
        );
  const rows = await reader.read(sequences.length * RECIPIENT_BYTES, () =>
    findRecipients(context.database, filter, sequences),
  );
  return { total, data: rows.map((row) => toRecipient(context, row)) };
}

/** Reads all people of a token that match, in the order in which they were added. */
export async function* readAllRecipients(
  context: Context,
  reader: Reader,
  caller: Caller,
  { tokenId, search = '', ...rest }: Omit<RecipientsPage, 'limit' | 'offset' | 'order'> & { tokenId: string },
): AsyncGenerator<Piece<Recipient>> {
  const filter = await readFilter(context, caller, tokenId, rest);
  const needle = foldText(search.trim());
  const pieces = readWholeList<RecipientRow>(reader, RECIPIENT_BYTES, (last, limit) =>
    listRecipientsAfter(context.database, filter, last?.sequence ?? 0, limit),
  );
  for await (const { items, isLast } of mapPieces(pieces, (row) => toRecipient(context, row))) {
    const found = items.splice(0).filter((one) => {
      const texts = [one.name, one.email, one.identifier, one.address];
      return (
        (filter.statuses === undefined || filter.statuses.includes(one.status)) &&
        (filter.ways === undefined || filter.ways.includes(one.way)) &&
        (filter.endsWithinDays === undefined || isEndingWithin(one, filter.endsWithinDays)) &&
        (filter.claimLinkIds === undefined || filter.claimLinkIds.includes(one.claimLinkId ?? '')) &&
        texts.some((text) => foldText(text ?? '').includes(needle))
      );
    });
    yield { items: found, isLast };
  }
}

/** Reads what is known to have happened to a person, the oldest first. */
export async function readRecipientHistory(
  context: Context,
  reader: Reader,
  caller: Caller,
  {
    tokenId,
    recipientId,
    limit,
    offset,
  }: { tokenId: string; recipientId: string; limit: number; offset: number },
): Promise<RecipientHistoryEntry[]> {
  const { tokenId: id } = await readFilter(context, caller, tokenId, {});
  if (!isUuid(recipientId)) throw recipientNotFound();
  const rows = await reader.read(MAX_EVENTS * EVENT_BYTES, () =>
    listRecipientEvents(context.database, { tokenId: id, recipientId, max: MAX_EVENTS }),
  );
  if (rows.length === 0) throw recipientNotFound();
  return rows.slice(offset, offset + limit).map(toEvent);
}

async function readFilter(
  context: Context,
  caller: Caller,
  tokenId: string,
  query: Pick<RecipientsQuery, 'status' | 'way' | 'claimLinkId' | 'endsWithinDays'>,
): Promise<RecipientFilter> {
  const { token_id, community_id } = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, community_id);
  // The schema of the query has checked each word.
  const split = <T extends string>(words: string | undefined) => words?.split(',') as T[] | undefined;
  return {
    tokenId: token_id,
    communityId: community_id,
    statuses: split(query.status),
    ways: split(query.way),
    claimLinkIds: split(query.claimLinkId?.toLowerCase()),
    endsWithinDays: query.endsWithinDays,
  };
}

function isEndingWithin({ status, validUntilTimestamp }: Recipient, days: number): boolean {
  if (status !== 'claimed' || validUntilTimestamp === null) return false;
  return validUntilTimestamp <= Date.now() + days * 86_400_000;
}

/** Returns a recipient as the API shows it. Without the encryption key, nobody has a name. */
export function toRecipient({ encryption }: Pick<Context, 'encryption'>, row: RecipientRow): Recipient {
  const { name, email, note } = decryptPerson(encryption, row.contributor_key, row);
  return {
    recipientId: row.recipient_id,
    name,
    email,
    identifier: row.identifier,
    address: row.address && toChecksumAddress(row.address),
    note,
    way: row.way,
    status: row.status,
    claimLinkId: row.claim_link_id,
    invitationId: row.invitation_id,
    addedAtTimestamp: row.added_at.getTime(),
    sendAtTimestamp: row.status === 'scheduled' ? (row.send_at?.getTime() ?? null) : null,
    sentAtTimestamp: row.sent_at?.getTime() ?? null,
    remindedAtTimestamp: row.reminded_at?.getTime() ?? null,
    claimedAtTimestamp: row.claimed_at?.getTime() ?? null,
    statusChangedAtTimestamp: row.status_changed_at.getTime(),
    validUntilTimestamp: row.valid_until?.getTime() ?? null,
    isKept: row.is_kept,
  };
}

function toEvent({
  type,
  happened_at,
  actor,
  actor_address,
  detail,
}: RecipientEventRow): RecipientHistoryEntry {
  return {
    type,
    createdAtTimestamp: happened_at.getTime(),
    actor: actor_address === null ? actor : toChecksumAddress(actor_address),
    detail: type === 'moved' && detail !== null ? toChecksumAddress(parseAddress(detail)) : detail,
  };
}
