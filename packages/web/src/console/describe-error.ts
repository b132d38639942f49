import { BadgeApiError, BadgeConnectionError, BadgeTimeoutError } from '@badge/sdk';
import type { TFunction } from 'i18next';
import { toWalletError, WalletError } from '../wallet/wallet-error.ts';
import type en from './i18n/en.json';

type KnownError = Exclude<keyof typeof en.problems, 'other' | 'offline' | 'slow' | 'wallet'>;

/**
 * Says in words what is wrong, and what to do. A text of the service, which is in English, is only used if
 * nothing else fits.
 */
export function describeError(error: unknown, t: TFunction<'console'>): string {
  if (error instanceof BadgeConnectionError) return t('problems.offline');
  if (error instanceof BadgeTimeoutError) return t('problems.slow');
  if (error instanceof WalletError) {
    return error.name === 'Declined' ? t('problems.Declined') : t('problems.wallet');
  }
  if (!(error instanceof BadgeApiError))
    return toWalletError(error).message || t('problems.other', { detail: '' });
  const key = `problems.${error.name as KnownError}` as const;
  const known = t(key, { defaultValue: '' });
  if (known !== '') return known;
  const [first] = error.errors;
  return t('problems.other', { detail: first?.detail ?? error.detail });
}
