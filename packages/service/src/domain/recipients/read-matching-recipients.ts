import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import {
  listMatchingSequences,
  listSearchableAfter,
  type RecipientFilter,
  type SearchableRecipient,
  sortByStatus,
} from '../../storage/recipient-listings.ts';
import type { Reader } from '../reader.ts';
import { refuseSlowRead } from '../refuse-slow-read.ts';
import { foldText } from './rules.ts';

// So many are decrypted, folded and compared in one iteration of the event loop, in a few milliseconds.
const PIECE_PEOPLE = 4_096;
// A name has up to 100 characters, an e-mail 254 and an identifier 256, of up to 4 bytes, twice in hex.
const PERSON_BYTES = 2_048;
const ID_HEX = 32;

/** Somebody who is found. */
interface Found {
  id: string;
  /** Folded; empty without a name. */
  name: string;
}

/**
 * Finds people by a part of what is known about them, or sorts them by their names. Both are encrypted, so
 * all people of the token are read and decrypted, in pieces between which other requests run. Nothing of it
 * is stored. Returns the ids of a page, and how many people match.
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
): Promise<{ total: number; ids: string[] }> {
  const refuse = refuseSlowRead('Use fewer filters');
  const wanted =
    filter.status === undefined
      ? null
      : await reader.read(0, () => listMatchingSequences(context.database, filter).catch(refuse));
  const needle = search === undefined ? null : foldText(search.trim());
  const pieces: Found[][] = [];
  let total = 0;
  let after = 0;
  let isLast = false;
  while (!isLast) {
    const page = { after, limit: PIECE_PEOPLE, isWithAll: needle !== null };
    const people = await reader.read(PIECE_PEOPLE * PERSON_BYTES, () =>
      listSearchableAfter(context.database, filter, page).catch(refuse),
    );
    after = people.at(-1)?.sequence ?? after;
    isLast = people.length < PIECE_PEOPLE;
    const candidates = wanted === null ? people : people.filter(({ sequence }) => wanted.has(sequence));
    const found = findIn(context, candidates, { needle, isByName: order === 'name' });
    total += found.length;
    pieces.push(found);
    await setImmediate();
  }
  if (order === 'name') return { total, ids: await mergeByName(pieces, offset, limit) };
  const ids = pieces.flat().map(({ id }) => id);
  if (order === 'status' && filter.status === undefined) {
    const sorted = await reader.read(0, () =>
      sortByStatus(context.database, filter, { ids, limit, offset }).catch(refuse),
    );
    return { total, ids: sorted };
  }
  return { total, ids: (order === 'oldest' ? ids : ids.reverse()).slice(offset, offset + limit) };
}

function findIn(
  { encryption }: Context,
  people: SearchableRecipient[],
  { needle, isByName }: { needle: string | null; isByName: boolean },
): Found[] {
  const decrypt = (purpose: 'personName' | 'emailAddress', encrypted: Buffer[]) =>
    (encryption?.skim(purpose, encrypted) ?? []).map(foldText);
  const names = decrypt(
    'personName',
    people.map(({ name }) => name),
  );
  const emails =
    needle === null
      ? []
      : decrypt(
          'emailAddress',
          people.map(({ email }) => email),
        );
  const found = people.flatMap(({ id, identifier, address }, index): Found[] => {
    const name = names[index] ?? '';
    const isFound =
      needle === null ||
      name.includes(needle) ||
      emails[index]?.includes(needle) === true ||
      (address.length > 0 && `0x${address.toString('hex')}`.includes(needle)) ||
      (identifier.length > 0 && foldText(identifier.toString()).includes(needle));
    return isFound ? [{ id: toUuid(id), name }] : [];
  });
  return isByName ? found.sort(compareNames) : found;
}

// Those without a name are last.
function compareNames(one: Found, other: Found): number {
  if (one.name === other.name) return 0;
  if (one.name === '' || other.name === '') return one.name === '' ? 1 : -1;
  return one.name < other.name ? -1 : 1;
}

// Merges sorted pieces, up to the end of the page, so that no sort of all of them holds up other requests.
async function mergeByName(pieces: Found[][], offset: number, limit: number): Promise<string[]> {
  const positions = pieces.map(() => 0);
  const ids: string[] = [];
  for (let count = 0; count < offset + limit; count += 1) {
    let first: Found | undefined;
    let firstPiece = 0;
    for (const [index, piece] of pieces.entries()) {
      const next = piece[positions[index] ?? 0];
      if (next === undefined || (first !== undefined && compareNames(first, next) <= 0)) continue;
      first = next;
      firstPiece = index;
    }
    if (first === undefined) break;
    positions[firstPiece] = (positions[firstPiece] ?? 0) + 1;
    if (count >= offset) ids.push(first.id);
    if (count % PIECE_PEOPLE === 0) await setImmediate();
  }
  return ids;
}

function toUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex', 0, ID_HEX / 2);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
