import type { GiveJob, Outcome } from './give-job.ts';
import type { LinePlan, Told } from './plan-lines.ts';

/**
 * How many people a mail of the service tells, and how many none: `given` get the badge at once; `links` get
 * their link from the organiser; `failed`: their mail has failed before. The others are as in `Told`.
 */
export type NotificationCounts = Record<Told | 'given' | 'links' | 'failed', number>;

const NOBODY: NotificationCounts = {
  mail: 0,
  given: 0,
  links: 0,
  wallet: 0,
  before: 0,
  unsubscribed: 0,
  taken: 0,
  failed: 0,
};

/** Counts who will be told. Lines that are wrong, are there twice or have the badge are left out. */
export function countPlanned(plans: readonly LinePlan[], isInviting: boolean): NotificationCounts {
  const counts = { ...NOBODY };
  for (const plan of plans) {
    const told = readPlanned(plan, isInviting);
    if (told !== null) counts[told] += 1;
  }
  return counts;
}

function readPlanned(plan: LinePlan, isInviting: boolean): keyof NotificationCounts | null {
  switch (plan.kind) {
    case 'airdrop':
      return 'given';
    case 'link':
      return isInviting ? 'mail' : 'links';
    case 'nameLink':
      return 'links';
    case 'list':
    case 'listed':
    case 'tell':
      // Without mails of the service, the link is in the file.
      return plan.told ?? 'links';
    case 'invited':
    case 'linked':
      return 'before';
    case 'failed':
    case 'unsubscribed':
      return plan.kind;
    default:
      return null;
  }
}

/** Counts who was told by a job. */
export function countTold(
  people: GiveJob['people'],
  outcomes: ReadonlyMap<number, Outcome>,
): NotificationCounts {
  const counts = { ...NOBODY };
  for (const [place, outcome] of outcomes) {
    const told = readOutcome(outcome, people[place]?.told);
    if (told !== null) counts[told] += 1;
  }
  return counts;
}

function readOutcome(outcome: Outcome, told: Told | undefined): keyof NotificationCounts | null {
  switch (outcome.status) {
    case 'given':
      return 'given';
    case 'linked':
      return 'links';
    case 'invited':
    case 'told':
      return 'mail';
    case 'listed':
      return outcome.untold ?? told ?? 'links';
    case 'refused':
      return null;
    case 'skipped':
      switch (outcome.reason) {
        case 'listed':
          return told ?? 'links';
        case 'invited':
        case 'linked':
          return 'before';
        case 'failed':
        case 'unsubscribed':
          return outcome.reason;
        default:
          return null;
      }
  }
}
