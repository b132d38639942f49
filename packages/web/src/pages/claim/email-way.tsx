import { Trans, useTranslation } from 'react-i18next';
import { shortenAddress } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { EmailSignIn } from '../../sign-in/email-sign-in.tsx';
import { clientOf, type PersonSession, signOut, useSession } from '../../sign-in/person-session.ts';
import { useLoaded } from '../../use-loaded.ts';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';

interface EmailWayProps {
  flow: ClaimFlow;
  /** Whether it is the main action of the step. */
  isMain: boolean;
}

/**
 * Claims with an e-mail: the badge is kept with it, or goes to the wallet of later badges. Who has signed in
 * already only presses a button. Says before that the organizers see the address.
 */
export function EmailWay({ flow, isMain }: EmailWayProps) {
  const { t } = useTranslation();
  const session = useSession();
  if (session === undefined) return null;
  if (session === null || session.email === null) {
    return <EmailSignIn hint={t('claim.keep.hint')} isMain={isMain} onSignedIn={claimUnlessToWallet} />;
  }
  return <SignedIn session={session} flow={flow} isMain={isMain} />;

  // Who has chosen a wallet for later badges reads that first, and presses a button.
  async function claimUnlessToWallet(signedIn: PersonSession): Promise<void> {
    const account = await clientOf(signedIn)
      .getSession()
      .catch(() => null);
    if (account?.defaultAddress === null) flow.claimWithEmail();
  }
}

function SignedIn({ session, flow, isMain }: EmailWayProps & { session: PersonSession }) {
  const { t } = useTranslation();
  // If it cannot be read, the claim goes where it should, and the page shows where that was.
  const account = useLoaded(`account/${session.key}`, (signal) => clientOf(session).getSession({ signal }));
  const wallet = account.status === 'loaded' ? account.value.defaultAddress : null;
  return (
    <div className={styles.stack}>
      {/* Somebody else may have used this device. */}
      <div className={styles.actions}>
        <p>
          <Trans i18nKey="claim.keep.signedIn" components={{ email: <bdi dir="ltr">{session.email}</bdi> }} />
        </p>
        <Button size="small" onClick={() => signOut(session)}>
          {t('claim.keep.other')}
        </Button>
      </div>
      {wallet !== null && (
        <p>
          <Trans
            i18nKey="claim.keep.toWallet"
            components={{ wallet: <bdi dir="ltr">{shortenAddress(wallet)}</bdi> }}
          />
        </p>
      )}
      <p className={styles.muted}>{t('claim.keep.seen')}</p>
      <Button
        size="large"
        isWide
        variant={isMain ? 'primary' : 'secondary'}
        isBusy={account.status === 'loading'}
        onClick={() => flow.claimWithEmail()}
      >
        {t(wallet === null ? 'claim.keep.submit' : 'claim.keep.submitWallet')}
      </Button>
    </div>
  );
}
