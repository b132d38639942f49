import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import styles from './give-page.module.css';

/** The next step for people who are on the list already: their links. `count` is how many people need one. */
export function WaitingPart({ count, onSubmit }: { count: number; onSubmit: () => void }) {
  const { t } = useTranslation('console');
  return (
    <Card className={styles.part}>
      <h2>{t('give.waiting.title', { count })}</h2>
      <div className={styles.actions}>
        <Button variant="primary" onClick={onSubmit}>
          {t('give.waiting.submit', { count })}
        </Button>
      </div>
    </Card>
  );
}
