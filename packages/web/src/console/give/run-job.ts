import { BadgeApiError, type BadgeClient, type ContributorEntry, type Invitation } from '@badge/sdk';
import { readMailLanguage } from '../mail/mail-languages.ts';
import type { GiveJob, JobInvitation, JobPart, Outcome, Person } from './give-job.ts';
import { isGoodEmail, shortenName, toKey, toNameKey } from './plan-lines.ts';

interface RunOptions {
  badge: BadgeClient;
  /** Who sends the requests: the service remembers idempotency keys for each caller. */
  caller: string;
  signal: AbortSignal;
  /** Repeats a call while the service cannot be reached. */
  keepTrying<T>(call: () => Promise<T>): Promise<T>;
  /** Stores a part. Resolves when it is stored. */
  savePart(part: JobPart): Promise<void>;
}

const AIRDROPS_AT_ONCE = 10;
/** An hour less than the service remembers idempotency keys. */
const MAX_KEY_AGE_MS = 23 * 3_600_000;
/** How much the clocks of this device and of the service may differ. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * Does what is left of a job. It can be ended at any time, by the signal or by an error, and called again:
 * then it sends what was under way again, with the same bodies and keys.
 */
export async function runJob(job: GiveJob, parts: readonly JobPart[], options: RunOptions): Promise<void> {
  const { badge, caller, signal, keepTrying, savePart } = options;
  const { jobId, tokenId, people } = job;
  /** Those whom the service has refused while they were put on the list. They get no link. */
  const refused = new Set<number>();
  /** Whether the service stores who people are. Without an encryption key, it does not. */
  let isNaming = true;
  for (const { outcomes } of parts) {
    for (const [place, { status }] of Object.entries(outcomes)) {
      if (status === 'refused') refused.add(Number(place));
    }
  }
  for (const part of parts) {
    if (part.isDone) continue;
    signal.throwIfAborted();
    await runPart(part);
  }

  async function runPart(part: JobPart): Promise<void> {
    let current = part;
    /** Stores a change of the part before anything else happens. */
    const save = async (change: Partial<JobPart>) => {
      current = { ...current, ...change };
      for (const [place, { status }] of Object.entries(change.outcomes ?? {})) {
        if (status === 'refused') refused.add(Number(place));
      }
      await savePart(current);
    };
    const isStale =
      current.sentAtTimestamp !== null &&
      (current.sentBy !== caller || Date.now() - current.sentAtTimestamp > MAX_KEY_AGE_MS);
    const isMailing = current.kind === 'invite' || current.kind === 'tell';
    const isLinking = current.kind === 'link' || current.kind === 'nameLink';
    if ((isLinking || isMailing) && isStale) {
      // Whoever was invited keeps the invitation, so only links can be lost.
      if (isLinking) await revokeLostLinks(current);
      await save({ attempt: current.attempt + 1, sentAtTimestamp: null });
    }
    if (current.sentAtTimestamp === null) {
      const members = current.members.filter((place) => !refused.has(place));
      await save({ members, sentAtTimestamp: Date.now(), sentBy: caller });
    }
    if (current.kind === 'airdrop') {
      const outcomes = await airdropAll(current);
      await nameOwners(places(current).filter(({ place }) => outcomes[place]?.status === 'given'));
      await save({ isDone: true, outcomes });
    }
    if (current.kind === 'list') {
      await sendValid(current, save, async (members) => {
        await extendList(members, keyOf(current));
        return [];
      });
      const { outcomes } = current;
      const listed = places(current).filter(({ place }) => outcomes[place] === undefined);
      // E-mails are not finished: they still get their links. So are those who are told.
      const addresses = listed.filter(
        ({ person }) => !person.recipient.includes('@') && person.told !== 'mail',
      );
      const added = addresses.map(({ place }) => [place, { status: 'listed' }] as const);
      await save({ isDone: true, outcomes: { ...outcomes, ...Object.fromEntries(added) } });
    }
    if (isLinking) {
      const links = await sendValid(current, save, (members) => createLinks(members, current));
      const { outcomes } = current;
      await save({ isDone: true, outcomes: { ...outcomes, ...assignLinks(current, links) } });
    }
    if (current.kind === 'tell') {
      const invitations = await sendValid(current, save, (members) => invite(members, keyOf(current)));
      await save({ isDone: true, outcomes: readTold(current, invitations) });
    }
    if (current.kind === 'invite') {
      const invitations = await sendValid(current, save, (members) => invite(members, keyOf(current)));
      const { outcomes } = current;
      await save({ isDone: true, outcomes: { ...outcomes, ...readInvited(current, invitations) } });
    }
  }

  function keyOf({ index, attempt }: JobPart): string {
    return `give-${jobId}-${index}-${attempt}`;
  }

  function places({ members }: JobPart): { place: number; person: Person }[] {
    return members.flatMap((place) => {
      const person = people[place];
      return person === undefined ? [] : [{ place, person }];
    });
  }

  async function airdropAll(part: JobPart): Promise<Record<number, Outcome>> {
    const outcomes: Record<number, Outcome> = {};
    const waiting = places(part);
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { place, person } = next;
        outcomes[place] = await airdrop(person.recipient, `give-${jobId}-to-${place}`);
      }
    };
    const results = await Promise.allSettled(
      Array.from({ length: AIRDROPS_AT_ONCE }, async () => {
        // After an error, the others finish what they have begun.
        await work().finally(() => waiting.splice(0));
      }),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return outcomes;
  }

  async function airdrop(address: string, idempotencyKey: string): Promise<Outcome> {
    try {
      await keepTrying(async () => {
        const operation = await badge.airdrop({ tokenId, address }, { idempotencyKey, signal });
        await operation.wait({ signal });
      });
      return { status: 'given' };
    } catch (error) {
      // Other errors would be the same for everybody else.
      if (!(error instanceof BadgeApiError) || ![400, 409].includes(error.status)) throw error;
      if (error.name === 'ClaimingAddressAlreadyHasToken') return { status: 'skipped', reason: 'has' };
      return { status: 'refused', error: error.name, detail: error.detail };
    }
  }

  /** Says who has got the badge. They have it, also if the service does not take their names. */
  async function nameOwners(owners: { person: Person }[]): Promise<void> {
    const items = owners
      .map(({ person }) => ({ contributor: person.recipient, ...describe(person) }))
      .filter(({ name, email }) => name !== undefined || email !== undefined);
    if (items.length === 0) return;
    try {
      await keepTrying(() => badge.setRecipients({ tokenId, items }, { signal }));
    } catch (error) {
      if (!(error instanceof BadgeApiError) || ![400, 409].includes(error.status)) throw error;
    }
  }

  async function extendList(members: readonly Person[], idempotencyKey: string): Promise<void> {
    const signature = job.signature ?? '';
    const options = { idempotencyKey, signal };
    const operation = await naming(() =>
      badge.addContributors({ tokenId, contributors: members.map(toEntry), signature }, options),
    );
    await operation.wait({ signal });
  }

  async function createLinks(members: readonly Person[], part: JobPart) {
    const { items } = await naming(() => {
      const whom = hasIdentifiers(part)
        ? { identifiers: members.map(toEntry) }
        : {
            count: members.length,
            ...(isNaming && { people: members.map(describe) }),
            // Such links are on the list of the badge.
            ...(job.isAllowlisted && { signature: job.signature }),
          };
      return badge.createClaimLinks({ tokenId, ...whom }, { idempotencyKey: keyOf(part), signal });
    });
    return items;
  }

  /** Whether the links are for e-mails that are on the list of the badge. The others are for anybody. */
  function hasIdentifiers({ kind }: JobPart): boolean {
    return job.isAllowlisted && kind === 'link';
  }

  function toEntry(person: Person): ContributorEntry {
    const known = isNaming ? describe(person) : {};
    return Object.keys(known).length === 0 ? person.recipient : { contributor: person.recipient, ...known };
  }

  /** Sends a request without names if the service cannot store them. A refusal leaves its key free. */
  async function naming<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      const isRefused = error instanceof BadgeApiError && error.name === 'EncryptionUnavailable';
      if (!isNaming || !isRefused) throw error;
      isNaming = false;
      return await send();
    }
  }

  function assignLinks(
    part: JobPart,
    links: readonly { identifier: string | null; url: string }[],
  ): Record<number, Outcome> {
    const urls = new Map(links.map(({ identifier, url }) => [toKey(identifier ?? ''), url]));
    const waiting = places(part).filter(({ place }) => part.outcomes[place] === undefined);
    return Object.fromEntries(
      waiting.map(({ place, person }, index) => {
        // The other links are in the order of the people.
        const url = hasIdentifiers(part) ? urls.get(toKey(person.recipient)) : links[index]?.url;
        // A request that is sent again returns no link for somebody who has claimed meanwhile.
        return [place, url === undefined ? { status: 'skipped', reason: 'has' } : { status: 'linked', url }];
      }),
    );
  }

  async function invite(members: readonly Person[], idempotencyKey: string): Promise<Invitation[]> {
    const {
      message,
      language: jobLanguage,
      ...zone
    }: JobInvitation = job.invitation ?? { message: '', language: 'en' };
    const recipients = members.map(({ recipient, email, name, language, told }) => ({
      ...(told === 'mail' ? { email, address: recipient } : { email: recipient }),
      name: shortenName(name) || null,
      language: readMailLanguage(language ?? '') ?? jobLanguage,
    }));
    // An open badge has no list, and an address is on the list already, so nobody signs.
    const isAdding = job.isAllowlisted && members.some(({ told }) => told !== 'mail');
    const signature = isAdding ? job.signature : null;
    const body = { tokenId, recipients, message: message || null, signature, ...zone };
    return (await badge.createInvitations(body, { idempotencyKey, signal })).items;
  }

  /** Whoever could not be told is on the list all the same. */
  function readTold(part: JobPart, invitations: readonly Invitation[]): Record<number, Outcome> {
    const statuses = new Map(invitations.map(({ address, status }) => [toKey(address ?? ''), status]));
    return Object.fromEntries(
      places(part).map(({ place, person }): [number, Outcome] => {
        if (part.outcomes[place]?.status === 'refused') return [place, { status: 'listed', untold: 'taken' }];
        const status = statuses.get(toKey(person.recipient));
        if (status === 'claimed') return [place, { status: 'skipped', reason: 'has' }];
        if (status === 'unsubscribed') return [place, { status: 'listed', untold: 'unsubscribed' }];
        return [place, { status: 'told' }];
      }),
    );
  }

  function readInvited(part: JobPart, invitations: readonly Invitation[]): Record<number, Outcome> {
    const waiting = places(part).filter(({ place }) => part.outcomes[place] === undefined);
    const statuses = new Map(invitations.map(({ email, status }) => [toKey(email ?? ''), status]));
    return Object.fromEntries(
      waiting.map(({ place, person }, index) => {
        // The service writes a domain in another way, and returns people whom it takes for the same only
        // once.
        const status =
          invitations.length === waiting.length
            ? invitations[index]?.status
            : statuses.get(toKey(person.recipient));
        return [place, toInvitedOutcome(status)];
      }),
    );
  }

  /**
   * Sends a part. Leaves out the people whom the service rejects, stores that, and sends the others again.
   */
  async function sendValid<T>(
    part: JobPart,
    save: (change: Partial<JobPart>) => Promise<void>,
    send: (members: Person[]) => Promise<T[]>,
  ): Promise<T[]> {
    let { outcomes } = part;
    for (;;) {
      const waiting = places(part).filter(({ place }) => outcomes[place] === undefined);
      if (waiting.length === 0) return [];
      try {
        return await keepTrying(() => send(waiting.map(({ person }) => person)));
      } catch (error) {
        const rejected: Record<number, Outcome> = {};
        for (const problem of error instanceof BadgeApiError ? error.errors : []) {
          const index =
            'pointer' in problem &&
            /^\/(?:contributors|identifiers|people|recipients)\/(\d+)(?:\/|$)/.exec(problem.pointer);
          const place = index ? waiting[Number(index[1])]?.place : undefined;
          if (place === undefined) continue;
          rejected[place] = {
            status: 'refused',
            error: (error as BadgeApiError).name,
            detail: problem.detail,
          };
        }
        if (Object.keys(rejected).length === 0) throw error;
        outcomes = { ...outcomes, ...rejected };
        // A request that was rejected leaves its key free for a corrected one.
        await save({ outcomes });
      }
    }
  }

  /**
   * Revokes the links of a request whose response was lost, and that cannot be sent again, because its key is
   * too old or belongs to somebody else. Nobody knows their codes. Links for the e-mails of an open badge do
   * not say whom they are for, so they stay.
   */
  async function revokeLostLinks(part: JobPart): Promise<void> {
    const after = (part.sentAtTimestamp ?? 0) - CLOCK_TOLERANCE_MS;
    const lost: string[] = [];
    if (part.kind === 'nameLink') await keepTrying(findLostNames);
    else if (job.isAllowlisted) await keepTrying(findLostIdentifiers);
    for (const claimLinkId of lost) {
      await keepTrying(() => badge.revokeClaimLink({ tokenId, claimLinkId }, { signal }));
    }

    async function findLostNames(): Promise<void> {
      lost.length = 0;
      const keys = new Set(places(part).map(({ person }) => toNameKey(person.name)));
      for await (const { name, email, claimLinkId, addedAtTimestamp } of badge.listRecipients(
        { tokenId, way: 'link', status: 'linked', limit: 1_000 },
        { signal },
      )) {
        const isOurs = email === null && keys.has(toNameKey(name ?? '')) && addedAtTimestamp >= after;
        if (isOurs && claimLinkId !== null) lost.push(claimLinkId);
      }
    }

    async function findLostIdentifiers(): Promise<void> {
      lost.length = 0;
      const keys = new Set(places(part).map(({ person }) => toKey(person.recipient)));
      for await (const link of badge.listClaimLinks(
        { tokenId, status: 'unused', limit: 1_000 },
        { signal },
      )) {
        const isOurs = keys.has(toKey(link.identifier ?? '')) && link.createdAtTimestamp >= after;
        if (isOurs) lost.push(link.claimLinkId);
      }
    }
  }
}

/** What the list says about a person, as far as the service takes it. */
function describe({ name, recipient, email }: Person): { name?: string; email?: string } {
  const known = [recipient, email].find(isGoodEmail);
  return { ...(name !== '' && { name: shortenName(name) }), ...(known !== undefined && { email: known }) };
}

/** Somebody may have been invited before, by another list. */
function toInvitedOutcome(status: Invitation['status'] | undefined): Outcome {
  if (status === 'claimed') return { status: 'skipped', reason: 'has' };
  if (status === 'unsubscribed') return { status: 'skipped', reason: 'unsubscribed' };
  return { status: 'invited' };
}
