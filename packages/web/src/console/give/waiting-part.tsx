import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import styles from './give-page.module.css';

interface WaitingPartProps {
  /** How many people need a link. */
  count: number;
  /** Whether the service can send the links. */
  isInviting: boolean;
  onSubmit: () => void;
}

/** The next step for people who are on the list already: their links. */
export function WaitingPart({ count, isInviting, onSubmit }: WaitingPartProps) {
  const { t } = useTranslation('console');
  return (
    <Card className={styles.part}>
      <h2>{t(isInviting ? 'give.waiting.inviteTitle' : 'give.waiting.title', { count })}</h2>
      <div className={styles.actions}>
        <Button variant="primary" onClick={onSubmit}>
          {t(isInviting ? 'give.waiting.invite' : 'give.waiting.submit', { count })}
        </Button>
      </div>
    </Card>
  );
}
