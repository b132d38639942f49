import type { BadgeClient, OwnToken } from '@badge/sdk';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { BadgePicture } from '../../design/badge-picture.tsx';
import { Button } from '../../design/button.tsx';
import { useFormats } from '../../formats.ts';
import { useCommunityName } from '../../token/communities.ts';
import styles from './my-badges.module.css';
import { ProblemNotice } from './problem-notice.tsx';

interface OwnBadgeProps {
  token: OwnToken;
  client: BadgeClient;
  /** Called when the badge was hidden or is shown again. */
  onChange: (isHidden: boolean) => void;
  onDownload: () => void;
  onGiveUp: () => void;
}

/** A badge of who has signed in, with what they can do with it. Its page shows it to others. */
export function OwnBadge({ token, client, onChange, onDownload, onGiveUp }: OwnBadgeProps) {
  const { t } = useTranslation('myBadges');
  const { t: shared } = useTranslation();
  const { date, end } = useFormats();
  const { badgeTokenId, headline, assetUrl, communityId, createdAt, validUntilTimestamp, isExpired } = token;
  const { address, isHiddenByOwner } = token;
  const community = useCommunityName(communityId);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const id = useId();

  async function toggle(): Promise<void> {
    setIsBusy(true);
    setError(null);
    const tokenId = badgeTokenId;
    try {
      await (isHiddenByOwner ? client.showOwnToken({ tokenId }) : client.hideOwnToken({ tokenId }));
      onChange(!isHiddenByOwner);
    } catch (caught) {
      setError(caught);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <li className={styles.badge}>
      <Link href={`/token/${badgeTokenId}?owner=${address}`} className={styles.link}>
        <BadgePicture url={assetUrl} alt="" className={styles.picture} />
        <span className={styles.text}>
          <span id={id} className={styles.headline} dir="auto">
            {headline}
          </span>
          <span className={styles.detail}>
            <bdi>{community}</bdi>
            <time dateTime={createdAt}>{date(createdAt)}</time>
            {validUntilTimestamp !== null && (
              <span>
                {shared(isExpired ? 'wallet.expired' : 'wallet.validUntil', {
                  date: end(validUntilTimestamp),
                })}
              </span>
            )}
            {isHiddenByOwner && <strong>{t('hidden')}</strong>}
          </span>
        </span>
      </Link>
      <div className={styles.actions}>
        <Button size="small" isBusy={isBusy} aria-describedby={id} onClick={() => void toggle()}>
          {t(isHiddenByOwner ? 'show' : 'hide')}
        </Button>
        <Button size="small" aria-describedby={id} onClick={onDownload}>
          {t('download')}
        </Button>
        <Button size="small" variant="quiet" aria-describedby={id} onClick={onGiveUp}>
          {t('giveUp')}
        </Button>
      </div>
      <ProblemNotice error={error} />
    </li>
  );
}
