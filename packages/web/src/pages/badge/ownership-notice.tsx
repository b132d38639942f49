import { Trans, useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { shortenAddress } from '../../design/address.tsx';
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
  const components = { address: <WalletLink address={address} /> };
  if (ownership.value === null) {
    return (
      <Notice tone="warning" isLive>
        <Trans t={t} i18nKey="badge.notOwned" components={components} />
      </Notice>
    );
  }
  const values = { date: date(ownership.value.claimedAt) };
  return (
    <Notice tone="success" isLive>
      <Trans t={t} i18nKey="badge.owned" components={components} values={values} />
    </Notice>
  );
}

/** Says that the visitor has the badge. */
export function VisitorNotice({ ownership: { address, claimedAt } }: { ownership: Ownership }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  return (
    <Notice tone="success" title={t('badge.own')}>
      <Trans
        t={t}
        i18nKey="badge.ownDetails"
        components={{ address: <WalletLink address={address} /> }}
        values={{ date: date(claimedAt) }}
      />
    </Notice>
  );
}

function WalletLink({ address }: { address: string }) {
  return (
    <Link href={`/wallet/${address}`}>
      <bdi dir="ltr">{shortenAddress(address)}</bdi>
    </Link>
  );
}
