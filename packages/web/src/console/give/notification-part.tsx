import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../design/copy-button.tsx';
import { useFormats } from '../../formats.ts';
import styles from './give-page.module.css';
import type { NotificationCounts } from './notification-counts.ts';

/** Those who hear nothing from the service. Whoever is on the list by a wallet gets the link below. */
const UNTOLD = ['given', 'links', 'before', 'unsubscribed', 'taken', 'failed', 'wallet'] as const;

interface NotificationPartProps {
  counts: NotificationCounts;
  /** When the mails are sent. Null: at once. */
  sendAtTimestamp: number | null;
  /** The page where people on the list claim. */
  claimUrl: string;
}

/** Says whom the service tells by e-mail and whom not, before and after the badge is given. */
export function NotificationPart({ counts, sendAtTimestamp, claimUrl }: NotificationPartProps) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  if (Object.values(counts).every((count) => count === 0)) return null;

  function describeMails(): string {
    const count = counts.mail;
    if (count === 0) return t('give.told.nobody');
    if (sendAtTimestamp === null) return t('give.told.mail', { count });
    return t('give.told.planned', { count, date: dateTime(sendAtTimestamp) });
  }

  return (
    <section className={styles.told} aria-label={t('give.told.title')}>
      <h3>{t('give.told.title')}</h3>
      <ul>
        <li>{describeMails()}</li>
        {UNTOLD.filter((name) => counts[name] > 0).map((name) => (
          <li key={name}>
            {t(`give.told.${name}`, { count: counts[name] })}
            {name === 'wallet' && (
              <span className={styles.url}>
                {' '}
                <bdi dir="ltr">{claimUrl}</bdi> <CopyButton text={claimUrl} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
