import { randomBytes } from 'node:crypto';
import { type Person, parseEmailAddress } from '@badge/protocol';
import type { ArrivingLink, ArrivingPerson } from '../../arrivals/arrival.ts';
import type { Context } from '../../context.ts';
import { type Address, parseAddress } from '../../signatures/address.ts';
import { findPresentPeople, type ImportedOwner, type PresentPeople } from '../../storage/imports.ts';
import type { AllowlistContributor } from '../../storage/tokens.ts';
import { hashEmail } from '../invitations/rules.ts';
import { keptAddressOf } from '../kept-addresses.ts';
import { isPersonGiven } from '../recipients/rules.ts';
import {
  addressOf,
  findLinkProblem,
  findPersonProblem,
  type Outcome,
  problem,
  toEntry,
  toImportedLink,
} from './rules.ts';

/** The token of people who arrive. */
export interface TokenOfPeople {
  /** Null: it would be new, in a dry run. */
  tokenId: number | null;
  isAllowlistRequired: boolean;
  /** Who has arrived before and is not in the database: in this chunk or, in a dry run, in the source. */
  seen: Set<string>;
}

/**
 * Somebody to import. `key` is the address of an owner, or the key of the entry. `isPresent`: only the name,
 * the e-mail and the note are new.
 */
export type NewPerson = { key: Buffer; person: Person; addedAt: Date | null; isPresent: boolean } & (
  | { kind: 'owner'; owner: ImportedOwner; emailHash: Buffer | null }
  | { kind: 'entry'; entry: AllowlistContributor }
);

/** A link to import. `key` is the hash of its code. */
export interface NewLink {
  kind: 'link';
  key: Buffer;
  link: ReturnType<typeof toImportedLink>;
  entry: AllowlistContributor;
  /** Whether the entry is that of somebody who has arrived before. */
  isEntryShared: boolean;
  person: Person | null;
}

export interface NewPeople {
  /** What happens to each item. */
  outcomes: Outcome[];
  people: NewPerson[];
  links: { item: number; added: NewLink }[];
}

type ReadingContext = Pick<Context, 'encryption' | 'keptAddresses'>;

/**
 * Decides what to import of the people and links that arrive for a token: those that have no problem, and
 * are not there already. Unless this is a dry run, the token must be locked.
 */
export async function readNewPeople(
  context: ReadingContext,
  db: Context['database'],
  {
    communityId,
    token,
    items,
  }: { communityId: string; token: TokenOfPeople; items: (ArrivingPerson | ArrivingLink)[] },
): Promise<NewPeople> {
  const nowTimestamp = Date.now();
  const planned = items.map((item) => plan(context, communityId, item, nowTimestamp));
  const wanted = planned.flatMap((one) => ('kind' in one ? one : []));
  const present = await findPresent(db, token, wanted);
  const people = new Map<string, NewPerson>();
  const links: NewPeople['links'] = [];
  const outcomes = planned.map((one, item): Outcome => {
    if (!('kind' in one)) return one;
    const obstacle = findObstacle(one, token, present);
    if (obstacle !== null) return obstacle;
    token.seen.add(nameOf(one));
    const hex = one.key.toString('hex');
    if (one.kind === 'link') links.push({ item, added: one });
    else people.set(hex, { ...join(people.get(hex), one), isPresent: isPersonPresent(one, present) });
    if (people.get(hex)?.isPresent)
      return { outcome: 'imported', detail: 'is there already; the name, e-mail or note is new' };
    return { outcome: 'imported', detail: describe(one) };
  });
  return { outcomes, people: [...people.values()], links };
}

/** Somebody who has the badge can also have come with an entry before. */
function join(earlier: NewPerson | undefined, one: NewPerson): NewPerson {
  const given = Object.entries(one.person).filter(([, value]) => (value ?? null) !== null);
  return { ...one, person: { ...earlier?.person, ...Object.fromEntries(given) } };
}

function plan(
  context: ReadingContext,
  communityId: string,
  item: ArrivingPerson | ArrivingLink,
  nowTimestamp: number,
): NewPerson | NewLink | Outcome {
  const hasEncryption = context.encryption !== null;
  if (item.kind === 'link') {
    const detail = findLinkProblem(item, { hasEncryption });
    return detail === null ? planLink(item) : problem(detail);
  }
  const detail = findPersonProblem(item, { nowTimestamp, hasEncryption });
  return detail === null ? planPerson(context, communityId, item) : problem(detail);
}

function planLink(item: ArrivingLink): NewLink {
  const link = toImportedLink(item);
  const { identifier = null, ...person } = item.person ?? {};
  const entry = identifier === null ? { key: randomBytes(32) } : toEntry({ identifier });
  const isEntryShared = identifier !== null;
  return { kind: 'link', key: link.codeHash, link, entry, isEntryShared, person: item.person && person };
}

function planPerson(
  context: ReadingContext,
  communityId: string,
  { subject, isOwner, name, email, note, ended, ...times }: ArrivingPerson,
): NewPerson | Outcome {
  const toDate = (timestamp: number | null) => (timestamp === null ? null : new Date(timestamp));
  const addedAt = toDate(times.claimedAtTimestamp);
  const person: Person = { name, email, note };
  const kept = isOwner && 'email' in subject ? keepFor(context, communityId, subject.email) : null;
  const entry = toEntry(subject);
  const address = kept?.address ?? addressOf(entry);
  if (!isOwner || (address === null && ended === null))
    return { kind: 'entry', key: entry.key, entry, person, addedAt, isPresent: false };
  if (address === null) return { outcome: 'skipped', detail: 'has lost the badge, and has no address' };
  const owner: ImportedOwner = {
    address,
    claimedAt: addedAt,
    lostAt: toDate(ended?.atTimestamp ?? null),
    ending: ended === null || ended.how === 'burnt' ? null : ended.how,
    movedFrom: times.movedFrom == null ? null : parseAddress(times.movedFrom),
    renewedUntil: toDate(times.renewedUntilTimestamp),
  };
  if (kept !== null) person.email ??= kept.email;
  const emailHash = kept?.emailHash ?? null;
  return { kind: 'owner', key: address, owner, emailHash, person, addedAt, isPresent: false };
}

/** The kept address of somebody with an e-mail; null if this process keeps no badges. */
function keepFor(
  context: ReadingContext,
  communityId: string,
  text: string,
): { address: Address; emailHash: Buffer; email: string } | null {
  const { encryption, keptAddresses } = context;
  const parsed = parseEmailAddress(text);
  if (encryption === null || keptAddresses === null || typeof parsed === 'string') return null;
  const emailHash = hashEmail(encryption, parsed);
  return { address: keptAddressOf(context, { communityId, emailHash }), emailHash, email: parsed.address };
}

async function findPresent(
  db: Context['database'],
  { tokenId }: TokenOfPeople,
  wanted: (NewPerson | NewLink)[],
): Promise<PresentPeople> {
  const keys = wanted.map((one) => (one.kind === 'link' ? one.entry.key : one.key));
  const codeHashes = wanted.flatMap(({ kind, key }) => (kind === 'link' ? key : []));
  // No token has the id 0. A code can be that of any token.
  return await findPresentPeople(db, tokenId ?? 0, { keys, codeHashes });
}

const nameOf = ({ kind, key }: Pick<NewPerson | NewLink, 'kind' | 'key'>) => `${kind} ${key.toString('hex')}`;

function findObstacle(
  one: NewPerson | NewLink,
  { tokenId, seen }: TokenOfPeople,
  present: PresentPeople,
): Outcome | null {
  const hex = one.key.toString('hex');
  const isOwner = seen.has(nameOf({ kind: 'owner', key: one.key }));
  if (isOwner || seen.has(nameOf(one)))
    return { outcome: 'skipped', detail: 'is in this source already', isPresent: true };
  if (one.kind !== 'link') {
    // What is recorded about somebody is never replaced.
    const isNamed = isPersonGiven(one.person) && present.unnamed.has(hex);
    return isPersonPresent(one, present) && !isNamed
      ? { outcome: 'skipped', detail: 'is there already', isPresent: true }
      : null;
  }
  const linkedId = present.links.get(hex);
  if (linkedId !== undefined && linkedId === tokenId)
    return { outcome: 'skipped', detail: 'is there already', isPresent: true };
  // It can be that of another community, of which nothing is said.
  if (linkedId !== undefined) return problem('its code is in use here already');
  const { isEntryShared, entry } = one;
  const isListed =
    present.entries.has(entry.key.toString('hex')) || seen.has(nameOf({ kind: 'entry', key: entry.key }));
  return isEntryShared && !isListed ? problem('its identifier is not on the list of the badge') : null;
}

function isPersonPresent({ kind, key }: NewPerson, { owners, entries }: PresentPeople): boolean {
  const hex = key.toString('hex');
  return owners.has(hex) || (kind === 'entry' && entries.has(hex));
}

function describe(one: NewPerson | NewLink): string {
  if (one.kind === 'link') return one.link.room === null ? 'a link' : 'a code for a room';
  if (one.kind === 'entry')
    return isProvable(one.entry)
      ? 'can claim the badge'
      : 'can claim the badge with a link that an organiser makes';
  if (one.owner.lostAt !== null) return 'had the badge';
  return one.emailHash === null ? 'has the badge' : 'has the badge with an e-mail';
}

// Nobody can sign in with a handle or a name. With an e-mail, or what is hashed of one, they can.
function isProvable({ identifier }: AllowlistContributor): boolean {
  if (identifier === undefined || /^(sha256|md5)\$/.test(identifier)) return true;
  return typeof parseEmailAddress(identifier) !== 'string';
}
