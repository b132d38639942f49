import { Trans, useTranslation } from 'react-i18next';
import { badge } from '../../api.ts';
import { shortenAddress } from '../../design/address.tsx';
import { ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { useLoaded } from '../../use-loaded.ts';

interface ReplacedNoticeProps {
  /** The badge that everybody has instead. */
  tokenId: number;
  /** The address in the link of the page, which the link to the other badge keeps. Null if it has none. */
  owner: string | null;
  /** Whether this address had the badge when it was replaced. */
  hasOther: boolean;
}

/** Says by which badge this one was replaced. */
export function ReplacedNotice({ tokenId, owner, hasOther }: ReplacedNoticeProps) {
  const { t } = useTranslation();
  const replacement = useLoaded(`token/${tokenId}`, (signal) => badge.getToken({ tokenId }, { signal }));
  // Until its headline is known, or if it cannot be read, the number names it.
  const name = replacement.status === 'loaded' ? replacement.value.headline : String(tokenId);
  const href = owner === null ? `/token/${tokenId}` : `/token/${tokenId}?owner=${owner}`;
  return (
    <Notice
      tone="info"
      title={<Trans i18nKey="badge.replaced.by" components={{ name: <bdi>{name}</bdi> }} />}
      actions={
        <ButtonLink variant="primary" size="small" href={href}>
          {t('badge.replaced.show')}
        </ButtonLink>
      }
    >
      {owner !== null && hasOther
        ? t('badge.replaced.owner', { address: shortenAddress(owner) })
        : t('badge.replaced.text')}
    </Notice>
  );
}
