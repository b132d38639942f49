import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import styles from './claim-count.module.css';

/** How many badges of an open token are left and claimed, in words and as a bar. Shows nothing for an allowlisted token. */
export function ClaimCount({ claimability }: { claimability: Token['claimabilityAttributes'] }) {
  const { t } = useTranslation();
  const { totalClaimCount, remainingClaimCount } = claimability;
  if (totalClaimCount === null || remainingClaimCount === null) return null;
  const claimedCount = totalClaimCount - remainingClaimCount;
  const left =
    remainingClaimCount === 0 ? t('token.noneLeft') : t('token.left', { count: remainingClaimCount });
  return (
    <div className={styles.count}>
      <p className={styles.text}>
        <strong>{left}</strong>
        <span>{t('token.claimedOfTotal', { claimed: claimedCount, total: totalClaimCount })}</span>
      </p>
      <svg className={styles.bar} aria-hidden="true" focusable="false">
        <rect className={styles.all} width="100%" height="100%" />
        <rect className={styles.claimed} width={`${(100 * claimedCount) / totalClaimCount}%`} height="100%" />
      </svg>
    </div>
  );
}
