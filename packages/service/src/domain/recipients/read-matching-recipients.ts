import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { TEXT_END } from '../../encryption.ts';
import {
  listRecipientSequences,
  listSearchableAfter,
  type RecipientFilter,
  type SearchablePeople,
} from '../../storage/recipient-listings.ts';
import type { Reader } from '../reader.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { foldText } from './rules.ts';

// So many are decrypted, folded and compared in one iteration of the event loop, in a few milliseconds.
const PIECE_PEOPLE = 2_048;
// A name has up to 100 characters, an e-mail 254 and an identifier 256, of up to 4 bytes, some in hex.
const PERSON_BYTES = 2_048;
const refuse = refuseSlowRead('Use fewer filters');
/** What can be a part of an address. */
const ADDRESS_PART = /^(0?x)?[0-9a-f]*$/;

/** Somebody who is found. */
interface Found {
  sequence: number;
  /** Folded. Empty without a name, or if nothing is sorted by it. */
  name: string;
}

interface Query {
  filter: RecipientFilter;
  /** Folded. Null: all are found. */
  needle: string | null;
  isByName: boolean;
}

/**
 * Finds people by a part of what is known about them, or sorts them by their names. Both are encrypted, so
 * all people of the token are read and decrypted, in pieces between which other requests run. Nothing of it
 * is stored. Returns the sequence numbers of a page, and how many people match.
 */
export async function readMatchingRecipients(
  context: Context,
  reader: Reader,
  {
    search,
    order,
    limit,
    offset,
    ...filter
  }: RecipientFilter & {
    search: string | undefined;
    order: 'newest' | 'oldest' | 'name' | 'status';
    limit: number;
    offset: number;
  },
): Promise<{ total: number; sequences: number[] }> {
  const needle = search === undefined ? null : foldText(search.trim());
  const isByName = order === 'name';
  const found = await findSequences(context, reader, { filter, needle, isByName });
  const takePage = (sequences: number[]) => sequences.slice(offset, offset + limit);
  const isFiltered = filter.statuses !== undefined || filter.endsWithinDays !== undefined;
  if (!isFiltered && order !== 'status') {
    return { total: found.length, sequences: takePage(order === 'newest' ? found.reverse() : found) };
  }
  const page = isByName
    ? ({ order: 'oldest', limit: found.length, offset: 0 } as const)
    : { order, limit, offset };
  const { total, sequences } = await reader.read(0, () =>
    listRecipientSequences(context.database, { ...filter, sequences: found }, page).catch(refuse),
  );
  if (!isByName) return { total, sequences };
  const wanted = new Set(sequences);
  return { total, sequences: takePage(found.filter((sequence) => wanted.has(sequence))) };
}

// In the order of addition, or by name.
async function findSequences(context: Context, reader: Reader, query: Query): Promise<number[]> {
  const { filter, needle, isByName } = query;
  // One piece is searched while PostgreSQL reads the next one.
  const readAfter = (after: number) =>
    reader.read(2 * PIECE_PEOPLE * PERSON_BYTES, () =>
      listSearchableAfter(context.database, filter, {
        after,
        limit: PIECE_PEOPLE,
        hasTexts: needle !== null,
        hasAddresses: needle !== null && ADDRESS_PART.test(needle),
      }).catch(refuse),
    );
  const lists: Found[][] = [];
  let people = await readAfter(0);
  while (people !== undefined) {
    const [found, next]: [Found[], SearchablePeople | undefined] = await Promise.all([
      findIn(context, people, query),
      readAfter(people.sequences.at(-1) ?? 0),
    ]);
    lists.push(found);
    if (isByName) mergeLists(lists);
    people = next;
  }
  const all = lists.flat();
  return (isByName ? all.sort(compareNames) : all).map(({ sequence }) => sequence);
}

async function findIn({ encryption }: Context, people: SearchablePeople, query: Query): Promise<Found[]> {
  // The query for the next piece is sent first.
  await setImmediate();
  const { needle, isByName } = query;
  const { sequences, names, nameSizes, emails, emailSizes, identifiers, addresses } = people;
  // All texts of a kind are folded as one, which is much faster.
  const split = (texts = '') => foldText(texts).split(TEXT_END);
  const foldedNames = split(encryption?.skim('personName', names, nameSizes));
  const texts = [foldedNames];
  if (needle !== null) {
    texts.push(
      split(encryption?.skim('emailAddress', emails, emailSizes)),
      split(identifiers.join(TEXT_END)),
      split(addresses.join(TEXT_END)),
    );
  }
  // A copy of a name is compared faster than a part of a long text.
  const sortedBy: string[] = isByName ? JSON.parse(JSON.stringify(foldedNames)) : [];
  const found: Found[] = [];
  for (const [index, sequence] of sequences.entries()) {
    if (needle !== null && !texts.some((lines) => lines[index]?.includes(needle))) continue;
    found.push({ sequence, name: sortedBy[index] ?? '' });
  }
  return isByName ? found.sort(compareNames) : found;
}

// Merges lists at the end until each is longer than the next. So no step holds up other requests for long,
// as one sort of all of them would.
function mergeLists(lists: Found[][]): void {
  for (;;) {
    const [last, previous] = [lists.at(-1), lists.at(-2)];
    if (last === undefined || previous === undefined || previous.length > last.length) return;
    lists.splice(-2, 2, [...previous, ...last].sort(compareNames));
  }
}

// Those without a name are last.
function compareNames({ name: one }: Found, { name: other }: Found): number {
  if (one === other) return 0;
  if (one === '' || other === '') return one === '' ? 1 : -1;
  return one < other ? -1 : 1;
}
