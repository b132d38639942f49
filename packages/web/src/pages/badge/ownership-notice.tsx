import type { OwnerState } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { shortenAddress } from '../../design/address.tsx';
import { ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import type { Loaded } from '../../use-loaded.ts';
import type { VisitorOwnership } from './use-ownership.ts';

interface OwnerNoticeProps {
  /** The address in the parameter `owner` of the page. */
  address: string;
  /** What the service says about this address. Anybody can write a link with any address. */
  ownership: Loaded<OwnerState | null>;
}

/** Says whether the address in the link has the badge, and whether it has expired. */
export function OwnerNotice({ address, ownership }: OwnerNoticeProps) {
  const { t } = useTranslation();
  const { date, end } = useFormats();
  if (ownership.status === 'loading') return null;
  if (ownership.status === 'failed') return <LoadError error={ownership.error} onRetry={ownership.reload} />;
  const shortAddress = shortenAddress(address);
  if (ownership.value === null) {
    return (
      <Notice tone="warning" isLive title={t('badge.notOwned', { address: shortAddress })}>
        {t('badge.notOwnedText')}
      </Notice>
    );
  }
  const { status, claimedAtTimestamp, statusChangedAtTimestamp, validUntilTimestamp } = ownership.value;
  if (status === 'expired') {
    return (
      <Notice tone="warning" isLive title={t('badge.ownedExpired', { address: shortAddress })}>
        {t('badge.expiredOn', { date: end(statusChangedAtTimestamp) })}
      </Notice>
    );
  }
  if (status !== 'held') {
    return (
      <Notice tone="warning" isLive title={t('badge.notOwned', { address: shortAddress })}>
        {t(`badge.${status}On`, { date: date(statusChangedAtTimestamp) })}
      </Notice>
    );
  }
  return (
    <Notice
      tone="success"
      isLive
      title={t('badge.owned', { address: shortAddress })}
      actions={
        <ButtonLink size="small" href={`/wallet/${address}`}>
          {t('badge.ownerBadges')}
        </ButtonLink>
      }
    >
      {t('badge.claimedOn', { date: date(claimedAtTimestamp) })}
      {validUntilTimestamp !== null && ` ${t('badge.validUntil', { date: end(validUntilTimestamp) })}`}
    </Notice>
  );
}

/** Says that the visitor has the badge, or that it has expired. */
export function VisitorNotice({ ownership }: { ownership: VisitorOwnership }) {
  const { t } = useTranslation();
  const { date, end } = useFormats();
  const { address, isKept, status, claimedAtTimestamp, validUntilTimestamp } = ownership;
  if (status === 'expired' && validUntilTimestamp !== null) {
    return (
      <Notice tone="warning" title={t('badge.ownExpired')}>
        {t('badge.expiredOn', { date: end(validUntilTimestamp) })}
      </Notice>
    );
  }
  return (
    <Notice tone="success" title={t('badge.own')}>
      {isKept
        ? t('badge.kept', { date: date(claimedAtTimestamp) })
        : t('badge.claimedFor', { date: date(claimedAtTimestamp), address: shortenAddress(address) })}
      {validUntilTimestamp !== null && ` ${t('badge.validUntil', { date: end(validUntilTimestamp) })}`}
    </Notice>
  );
}
