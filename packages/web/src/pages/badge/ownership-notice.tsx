import { useTranslation } from 'react-i18next';
import { shortenAddress } from '../../design/address.tsx';
import { ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import type { Ownership } from '../../token/ownership.ts';
import type { Loaded } from '../../use-loaded.ts';

interface OwnerNoticeProps {
  /** The address in the parameter `owner` of the page. */
  address: string;
  /** What the service says about this address. Anybody can write a link with any address. */
  ownership: Loaded<Ownership | null>;
}

/** Says whether the address in the link has the badge. */
export function OwnerNotice({ address, ownership }: OwnerNoticeProps) {
  const { t } = useTranslation();
  const { date } = useFormats();
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
      {t('badge.claimedOn', { date: date(ownership.value.claimedAt) })}
    </Notice>
  );
}

/** Says that the visitor has the badge. */
export function VisitorNotice({ ownership: { address, claimedAt } }: { ownership: Ownership }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  return (
    <Notice tone="success" title={t('badge.own')}>
      {t('badge.claimedFor', { date: date(claimedAt), address: shortenAddress(address) })}
    </Notice>
  );
}
