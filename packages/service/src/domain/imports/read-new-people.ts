import { randomBytes } from 'node:crypto';
import { type Person, parseEmailAddress } from '@badge/protocol';
import type { ArrivingLink, ArrivingPerson } from '../../arrivals/arrival.ts';
import type { Context } from '../../context.ts';
import { type Address, parseAddress } from '../../signatures/address.ts';
import { findPresentPeople, type ImportedOwner, type PresentPeople } from '../../storage/imports.ts';
import type { AllowlistContributor } from '../../storage/tokens.ts';
import { hashEmail } from '../invitations/rules.ts';
import { keptAddressOf } from '../kept-addresses.ts';
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

/** Somebody to import. `key` is the address of an owner, or the key of the entry. */
export type NewPerson = { key: Buffer; person: Person; addedAt: Date | null } & (
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
    if (one.kind === 'link') links.push({ item, added: one });
    else people.set(one.key.toString('hex'), join(people.get(one.key.toString('hex')), one));
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
    return { kind: 'entry', key: entry.key, entry, person, addedAt };
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
  return { kind: 'owner', key: address, owner, emailHash: kept?.emailHash ?? null, person, addedAt };
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
  if (isOwner || seen.has(nameOf(one))) return { outcome: 'skipped', detail: 'is in this source already' };
  if (one.kind !== 'link') {
    const isPresent = present.owners.has(hex) || (one.kind === 'entry' && present.entries.has(hex));
    return isPresent ? { outcome: 'skipped', detail: 'is there already' } : null;
  }
  const linkedId = present.links.get(hex);
  if (linkedId !== undefined && linkedId === tokenId)
    return { outcome: 'skipped', detail: 'is there already' };
  if (linkedId !== undefined) return problem(`the code is that of token ${linkedId}`);
  const { isEntryShared, entry } = one;
  const isListed =
    present.entries.has(entry.key.toString('hex')) || seen.has(nameOf({ kind: 'entry', key: entry.key }));
  return isEntryShared && !isListed ? problem('its identifier is not on the list of the badge') : null;
}

function describe(one: NewPerson | NewLink): string {
  if (one.kind === 'link') return one.link.room === null ? 'a link' : 'a code for a room';
  if (one.kind === 'entry') return 'can claim the badge';
  if (one.owner.lostAt !== null) return 'had the badge';
  return one.emailHash === null ? 'has the badge' : 'has the badge with an e-mail';
}
