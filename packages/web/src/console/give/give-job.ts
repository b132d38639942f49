import { makeRandomId } from '../../random-id.ts';
import type { MailLanguage } from '../mail/mail-languages.ts';
import type { PersonLine } from './person-line.ts';
import type { LinePlan, LineProblem, Told } from './plan-lines.ts';

/**
 * What has become of a person:
 * - `given`: the address has got the badge
 * - `listed`: the address is on the list
 * - `linked`: the person has got the link `url`
 * - `invited`: the service sends the e-mail a mail with a link
 * - `told`: the address is on the list, and the service sends its e-mail a mail
 * - `skipped`: nothing, because of `reason`
 * - `refused`: nothing, because the service has refused it
 */
export type Outcome =
  | { status: 'given' | 'invited' | 'told' }
  /**
   * `untold`: why no mail was sent, although one was to be: the person wants none, or the service has refused
   * it.
   */
  | { status: 'listed'; untold?: 'unsubscribed' | 'taken' }
  | { status: 'linked'; url: string }
  | {
      status: 'skipped';
      reason: 'has' | 'listed' | 'linked' | 'invited' | 'failed' | 'unsubscribed' | 'repeated';
    }
  | { status: 'refused'; error: string; detail: string };

/** Somebody who gets the badge, or has had it before. `recipient` is what is sent. */
export type Person = PersonLine & {
  /** Whether a mail tells somebody on the list; absent for others, and if the service sends no mails. */
  told?: Told;
};

/**
 * A badge that is being given to people. It is stored before the first request, and after each part, so that
 * a reloaded page continues it. The idempotency keys of its requests follow from `jobId` and the number of
 * the part or the person. So whatever is sent again has no second effect.
 */
export interface GiveJob {
  jobId: string;
  tokenId: number;
  isAllowlisted: boolean;
  /** The signature of the creator. Null if nobody has to be put on a list. */
  signature: string | null;
  /** What the mails of the service say; absent or null if the organiser sends the links. */
  invitation?: JobInvitation | null;
  people: readonly Person[];
  /** The lines that were left out, because something is wrong with them. */
  wrongLines: readonly (PersonLine & { problem: LineProblem })[];
  /** When the badge was created. After the database was made anew, another badge can have the same id. */
  tokenCreatedAtTimestamp: number;
}

/** What is the same in the mails of a job. */
export interface JobInvitation {
  /** What the organiser writes to all; empty if nothing. */
  message: string;
  /** For those whose line names no language. */
  language: MailLanguage;
  /** The time zone of the organiser's browser. Absent in jobs of an earlier release. */
  timeZone?: string;
  /** When the mails are sent. Absent or null: at once. */
  sendAtTimestamp?: number | null;
}

/** People whose requests are sent, and stored, together. */
export interface JobPart {
  jobId: string;
  index: number;
  /**
   * - `none`: nothing is sent
   * - `airdrop`: one request for each
   * - `list`: one request that puts all on the list
   * - `link`: one request that creates a link for each
   * - `nameLink`: the same for people of whom only the name is known
   * - `invite`: one request that invites each by e-mail
   * - `tell`: one request that tells each by e-mail that the address is on the list
   */
  kind: 'none' | 'airdrop' | 'list' | 'link' | 'nameLink' | 'invite' | 'tell';
  /** Their places in `people` of the job. */
  members: readonly number[];
  /**
   * Counts the idempotency keys of a part that creates links or invites. The service remembers a key for a
   * day, and for one caller.
   */
  attempt: number;
  /** When the first request with the current key was sent, and by whom; null before. */
  sentAtTimestamp: number | null;
  sentBy: string | null;
  isDone: boolean;
  /** By place in `people`. */
  outcomes: Readonly<Record<number, Outcome>>;
}

const SIZES = {
  // After an interruption, at most these are sent again.
  airdrop: 50,
  list: 1_000,
  // For the rate limit, each started 100 links count as one request.
  link: 100,
  nameLink: 100,
  // For the rate limit, each request counts as ten. The service takes up to 1,000 people.
  invite: 500,
  tell: 500,
} as const;

/** Whether somebody is put on the list of the badge, which its creator must sign. */
export function changesList(plans: readonly LinePlan[], isAllowlisted: boolean): boolean {
  const isNew = (one: LinePlan) =>
    one.kind === 'list' || one.kind === 'nameLink' || (one.kind === 'link' && !one.isListed);
  return isAllowlisted && plans.some(isNew);
}

/** Splits a planned list into the parts of a job. */
export function planJob(
  lines: readonly PersonLine[],
  plans: readonly LinePlan[],
  badge: Pick<GiveJob, 'tokenId' | 'isAllowlisted' | 'signature' | 'invitation' | 'tokenCreatedAtTimestamp'>,
): { job: GiveJob; parts: JobPart[] } {
  const jobId = makeRandomId();
  const people: Person[] = [];
  const wrongLines: GiveJob['wrongLines'][number][] = [];
  const members: Record<keyof typeof SIZES, number[]> = {
    airdrop: [],
    list: [],
    link: [],
    nameLink: [],
    invite: [],
    tell: [],
  };
  const skipped: Record<number, Outcome> = {};
  for (const [index, written] of lines.entries()) {
    const plan = plans[index];
    if (plan === undefined) continue;
    if (plan.kind === 'wrong') {
      const { problem } = plan;
      // A private key is not stored.
      const recipient = problem === 'secret' ? '' : written.recipient;
      wrongLines.push({ ...written, recipient, problem });
      continue;
    }
    const { recipient } = plan;
    const { told } = { told: undefined, ...plan };
    const place = people.push({ ...written, recipient, ...(told && { told }) }) - 1;
    if (told === 'mail') members.tell.push(place);
    if (plan.kind === 'airdrop' || plan.kind === 'list' || plan.kind === 'nameLink')
      members[plan.kind].push(place);
    else if (plan.kind === 'link' && badge.invitation) {
      // The service puts an entry on the list that does not name the e-mail.
      members.invite.push(place);
    } else if (plan.kind === 'link') {
      // An e-mail must be on the list before it gets a link.
      if (badge.isAllowlisted && !plan.isListed) members.list.push(place);
      members.link.push(place);
    } else if (plan.kind !== 'tell') skipped[place] = { status: 'skipped', reason: plan.kind };
  }
  const parts: JobPart[] = [];
  const add = (kind: JobPart['kind'], places: readonly number[], outcomes: JobPart['outcomes'] = {}) => {
    const index = parts.length;
    const isDone = kind === 'none';
    const unsent = { attempt: 1, sentAtTimestamp: null, sentBy: null };
    parts.push({ jobId, index, kind, members: places, ...unsent, isDone, outcomes });
  };
  const skippedPlaces = Object.keys(skipped).map(Number);
  if (skippedPlaces.length > 0) add('none', skippedPlaces, skipped);
  // An address is on the list before it is told.
  for (const kind of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
    for (let start = 0; start < members[kind].length; start += SIZES[kind]) {
      add(kind, members[kind].slice(start, start + SIZES[kind]));
    }
  }
  return { job: { jobId, ...badge, people, wrongLines }, parts };
}

/** What has become of everybody so far, by place in `people`. */
export function collectOutcomes(parts: readonly JobPart[]): Map<number, Outcome> {
  const collected = new Map<number, Outcome>();
  for (const { outcomes } of parts) {
    for (const [place, outcome] of Object.entries(outcomes)) collected.set(Number(place), outcome);
  }
  return collected;
}

/** How many people get something by a job. For the others, nothing is sent. */
export function countPeople(parts: readonly JobPart[]): number {
  return new Set(
    parts
      .filter(({ kind }) => kind !== 'none')
      .flatMap(({ members, outcomes }) => [...members, ...Object.keys(outcomes).map(Number)]),
  ).size;
}
