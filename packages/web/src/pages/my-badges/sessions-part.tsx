import type { BadgeClient } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import { type PersonSession, signOutEverywhere } from '../../sign-in/person-session.ts';
import { useLoaded } from '../../use-loaded.ts';
import styles from './my-badges.module.css';
import { ProblemNotice } from './problem-notice.tsx';

interface SessionsPartProps {
  client: BadgeClient;
  session: PersonSession;
}

/** Where the person is signed in, and a button that ends all sessions. */
export function SessionsPart({ client, session }: SessionsPartProps) {
  const { t } = useTranslation('myBadges');
  const { dateTime } = useFormats();
  const sessions = useLoaded('sessions', async (signal) => (await client.listSessions({}, { signal })).data);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function leave(): Promise<void> {
    setIsBusy(true);
    setError(null);
    try {
      await signOutEverywhere(session);
    } catch (caught) {
      setError(caught);
      setIsBusy(false);
    }
  }

  return (
    <section className={styles.part} aria-labelledby="sessions">
      <h2 id="sessions">{t('sessions.title')}</h2>
      {sessions.status === 'failed' && <LoadError error={sessions.error} onRetry={sessions.reload} />}
      {sessions.status === 'loaded' && (
        <ul className={`plain-list ${styles.rows}`}>
          {sessions.value.map(({ createdAtTimestamp, expiresAtTimestamp, isCurrent }) => (
            <li key={createdAtTimestamp}>
              <p>
                <strong>{t(isCurrent ? 'sessions.current' : 'sessions.other')}</strong>
              </p>
              <p className={styles.muted}>
                {t('sessions.since', {
                  from: dateTime(createdAtTimestamp),
                  until: dateTime(expiresAtTimestamp),
                })}
              </p>
            </li>
          ))}
        </ul>
      )}
      <ProblemNotice error={error} />
      <div>
        <Button isBusy={isBusy} onClick={() => void leave()}>
          {t('sessions.everywhere')}
        </Button>
      </div>
    </section>
  );
}
