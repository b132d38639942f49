import { BadgeApiError, BadgeConnectionError } from '@badge/sdk';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../design/notice.tsx';
import { nameWalletSignInProblem } from '../../wallet/sign-in-with-wallet.ts';
import { toWalletError } from '../../wallet/wallet-error.ts';

/** Says what went wrong. Nothing is shown if `error` is null. */
export function ProblemNotice({ error }: { error: unknown }) {
  const { t } = useTranslation('myBadges');
  if (error === null) return null;
  return (
    <Notice tone="error" isLive>
      {describeProblem(error, t)}
    </Notice>
  );
}

/** Says in words what went wrong, between the page and a wallet or the service. */
export function describeProblem(error: unknown, t: TFunction<'myBadges'>): string {
  const isOfService = error instanceof BadgeConnectionError || error instanceof BadgeApiError;
  return t(`problems.${nameWalletSignInProblem(isOfService ? error : toWalletError(error))}`);
}
