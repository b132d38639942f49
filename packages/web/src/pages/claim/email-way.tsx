import { Trans, useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { EmailSignIn } from '../../sign-in/email-sign-in.tsx';
import { signOut, useSession } from '../../sign-in/person-session.ts';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';

interface EmailWayProps {
  flow: ClaimFlow;
  /** Whether it is the main action of the step. */
  isMain: boolean;
}

/**
 * Claims with an e-mail: the badge is kept with it. Who has signed in already only presses a button. Says
 * before that the organizers see the address.
 */
export function EmailWay({ flow, isMain }: EmailWayProps) {
  const { t } = useTranslation();
  const session = useSession();
  if (session === undefined) return null;
  if (session === null || session.email === null) {
    return <EmailSignIn hint={t('claim.keep.hint')} isMain={isMain} onSignedIn={flow.claimWithEmail} />;
  }
  return (
    <div className={styles.stack}>
      <p>
        <Trans i18nKey="claim.keep.signedIn" components={{ email: <bdi dir="ltr">{session.email}</bdi> }} />
      </p>
      <p className={styles.muted}>{t('claim.keep.seen')}</p>
      <Button
        size="large"
        isWide
        variant={isMain ? 'primary' : 'secondary'}
        onClick={() => flow.claimWithEmail()}
      >
        {t('claim.keep.submit')}
      </Button>
      <div className={styles.actions}>
        <Button size="small" onClick={() => signOut(session)}>
          {t('claim.keep.other')}
        </Button>
      </div>
    </div>
  );
}
