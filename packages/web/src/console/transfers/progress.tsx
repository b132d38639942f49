import { useTranslation } from 'react-i18next';
import { Spinner } from '../../design/spinner.tsx';
import styles from '../give/give-page.module.css';

interface ProgressProps {
  done: number;
  /** Where it ends, or null if that is not known. */
  total: number | null;
  /** Says both. */
  text: string;
}

/** How far an export or an import has come. */
export function Progress({ done, total, text }: ProgressProps) {
  const { t } = useTranslation('console');
  return (
    <div className={styles.progress}>
      {total === null ? (
        <p className={styles.actions}>
          <Spinner />
          {done > 0 && <span className={styles.count}>{text}</span>}
        </p>
      ) : (
        <>
          <p className={styles.count}>{text}</p>
          <progress
            className={styles.bar}
            aria-label={t('give.job.bar')}
            value={Math.min(done, total)}
            max={Math.max(1, total)}
          />
        </>
      )}
      <p className={styles.muted}>{t('transfers.leave')}</p>
    </div>
  );
}
