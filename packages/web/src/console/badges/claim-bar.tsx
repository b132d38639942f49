import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import styles from './claim-bar.module.css';

/** How many badges of a token are claimed, of how many, in words and as a bar. */
export function ClaimBar({
  token,
}: {
  token: Pick<Token, 'claimedCount' | 'recipientCount' | 'claimabilityAttributes'>;
}) {
  const { t } = useTranslation();
  const { claimedCount: claimed, recipientCount, claimabilityAttributes } = token;
  // Who was given the badge can be one person after several claims.
  const total = claimabilityAttributes.totalClaimCount ?? Math.max(claimed, recipientCount);
  return <CountBar claimed={claimed} total={total} text={t('token.claimedOfTotal', { claimed, total })} />;
}

/** A number of many, in words and as a bar. */
export function CountBar({ claimed, total, text }: { claimed: number; total: number; text: string }) {
  return (
    <div className={styles.count}>
      <p>{text}</p>
      <svg className={styles.bar} aria-hidden="true" focusable="false">
        <rect className={styles.all} width="100%" height="100%" />
        <rect
          className={styles.claimed}
          width={`${total === 0 ? 0 : Math.min(100, (100 * claimed) / total)}%`}
          height="100%"
        />
      </svg>
    </div>
  );
}
