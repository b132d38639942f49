import { findInTab, writeInTab } from '../tab-store.ts';

/** What this tab waits for: the code that was mailed to an address. */
export interface Challenge {
  challengeId: string;
  email: string;
  expiresAtTimestamp: number;
  /** When this tab asked for the last mail. */
  askedAtTimestamp: number;
  /** The path of the page that asked, with its query and its fragment. */
  page: string;
}

const NAME = 'badge.challenge';

/**
 * The challenge of this tab, unless its time is over. It stays in the tab, so that a link in a mail signs
 * nobody in where they did not ask.
 */
export function findChallenge(): Challenge | null {
  try {
    const challenge = JSON.parse(findInTab(NAME) ?? 'null') as Challenge | null;
    return challenge !== null && challenge.expiresAtTimestamp > Date.now() ? challenge : null;
  } catch {
    return null;
  }
}

/** Keeps the challenge for a reload of the page; null forgets it. */
export function keepChallenge(challenge: Challenge | null): void {
  writeInTab(NAME, challenge === null ? null : JSON.stringify(challenge));
}
