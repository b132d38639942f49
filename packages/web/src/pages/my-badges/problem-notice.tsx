import { BadgeApiError, BadgeConnectionError } from '@badge/sdk';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../design/notice.tsx';
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

/** Says in words what went wrong. */
export function describeProblem(error: unknown, t: TFunction<'myBadges'>): string {
  if (error instanceof BadgeConnectionError) return t('problems.offline');
  if (error instanceof BadgeApiError) {
    if ([429, 503].includes(error.status)) return t('problems.busy');
    const isOfContract = ['InvalidSignature', 'NotSignedByAddress'].includes(error.name);
    return t(isOfContract ? 'problems.contractWallet' : 'problems.unexpected');
  }
  switch (toWalletError(error).name) {
    case 'Declined':
      return t('problems.declined');
    case 'AlreadyAsking':
      return t('problems.alreadyAsking');
    case 'ContractWallet':
      return t('problems.contractWallet');
    default:
      return t('problems.wallet');
  }
}
