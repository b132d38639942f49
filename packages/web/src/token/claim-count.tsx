import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import styles from './claim-count.module.css';

interface ClaimCountProps {
  token: Pick<Token, 'claimabilityAttributes' | 'claimedCount' | 'recipientCount'>;
}

/**
 * How many badges of a token are claimed, in words and as a bar. The total of an open token is what its
 * creator has set, and the page also says how many are left. The total of an allowlisted token is the number
 * of people who were given it.
 */
export function ClaimCount({ token }: ClaimCountProps) {
  const { t } = useTranslation();
  const { claimabilityAttributes, claimedCount: claimed, recipientCount } = token;
  const { totalClaimCount, remainingClaimCount } = claimabilityAttributes;
  const total = totalClaimCount ?? recipientCount;
  // With the code of a room, people come who were not known before. Then a total would look like a limit.
  if (totalClaimCount === null && claimed >= total) {
    return claimed === 0 ? null : <p>{t('token.claimed', { count: claimed })}</p>;
  }
  const claimedOfTotal = t('token.claimedOfTotal', { claimed, total });
  return (
    <div className={styles.count}>
      <p className={styles.text}>
        {remainingClaimCount === null ? (
          <strong>{claimedOfTotal}</strong>
        ) : (
          <>
            <strong>
              {remainingClaimCount === 0
                ? t('token.noneLeft')
                : t('token.left', { count: remainingClaimCount })}
            </strong>
            <span>{claimedOfTotal}</span>
          </>
        )}
      </p>
      <svg className={styles.bar} aria-hidden="true" focusable="false">
        <rect className={styles.all} width="100%" height="100%" />
        <rect
          className={styles.claimed}
          width={`${total === 0 ? 0 : (100 * claimed) / total}%`}
          height="100%"
        />
      </svg>
    </div>
  );
}
