import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { useSession } from '../session/session.ts';
import styles from './give-page.module.css';
import type { PersonLine } from './person-line.ts';
import { readWaitingPeople } from './read-known.ts';

/** Offers links for people who are on the list already. Nothing if nobody needs one. */
export function WaitingPart({ token, onRead }: { token: Token; onRead: (lines: PersonLine[]) => void }) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const waiting = useLoaded(
    `give/${token.tokenId}/waiting`,
    async (signal) => await readWaitingPeople(badge, token, signal),
  );
  if (waiting.status !== 'loaded' || waiting.value.withoutLink === 0) return null;
  const { lines, withoutLink } = waiting.value;
  return (
    <Card className={styles.part}>
      <h2>{t('give.waiting.title')}</h2>
      <p>{t('give.waiting.text', { count: withoutLink })}</p>
      <div className={styles.actions}>
        <Button onClick={() => onRead(lines)}>{t('give.waiting.submit', { count: withoutLink })}</Button>
      </div>
    </Card>
  );
}
