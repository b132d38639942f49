import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import styles from './claim-bar.module.css';

/** How many badges of a token are claimed, of how many, in words and as a bar. */
export function ClaimBar({
  token,
}: {
  token: Pick<Token, 'claimedCount' | 'contributorCount' | 'claimabilityAttributes'>;
}) {
  const { t } = useTranslation();
  const { claimedCount } = token;
  const total = token.claimabilityAttributes.totalClaimCount ?? token.contributorCount ?? 0;
  return (
    <div className={styles.count}>
      <p>{t('token.claimedOfTotal', { claimed: claimedCount, total })}</p>
      <svg className={styles.bar} aria-hidden="true" focusable="false">
        <rect className={styles.all} width="100%" height="100%" />
        <rect
          className={styles.claimed}
          width={`${total === 0 ? 0 : Math.min(100, (100 * claimedCount) / total)}%`}
          height="100%"
        />
      </svg>
    </div>
  );
}
