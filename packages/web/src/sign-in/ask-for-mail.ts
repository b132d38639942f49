import { RETURN_PATH_PATTERN } from '@badge/protocol/return-path';
import { BadgeApiError } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { badge } from '../api.ts';
import { chooseLanguage } from '../i18n/languages.ts';
import type { Challenge } from './challenge.ts';

export type MailProblem = 'email' | 'mail' | 'network' | 'busy' | 'offline' | 'failed';

const PROBLEMS: Readonly<Record<string, MailProblem>> = {
  InvalidRequest: 'email',
  MailUnavailable: 'mail',
  KeptBadgesUnavailable: 'mail',
  RateLimited: 'busy',
};

/**
 * Returns a function that asks for a mail with a code, and returns the challenge, or what went wrong. What it
 * returns says nothing about the address.
 */
export function useAskForMail(): (email: string, page: string) => Promise<Challenge | MailProblem> {
  const { i18n } = useTranslation();
  return async (email, page) => {
    try {
      const { challengeId, expiresAtTimestamp } = await badge.createEmailChallenge({
        email,
        language: chooseLanguage([i18n.language]),
        returnPath: findReturnPath(),
      });
      return { challengeId, email, expiresAtTimestamp, askedAtTimestamp: Date.now(), page };
    } catch (error) {
      return nameMailProblem(error);
    }
  };
}

// The mail can name only some pages. This tab knows its page without it.
function findReturnPath(): string | null {
  return new RegExp(RETURN_PATH_PATTERN).test(location.pathname) ? location.pathname : null;
}

/** Says why a request of a sign-in by e-mail has failed. */
export function nameMailProblem(error: unknown): MailProblem {
  if (!(error instanceof BadgeApiError)) return 'offline';
  // The limit of this network, or one for all people.
  const isOfClient = error.name === 'RateLimited' && error.detail.includes('from this client address');
  return isOfClient ? 'network' : (PROBLEMS[error.name] ?? 'failed');
}
