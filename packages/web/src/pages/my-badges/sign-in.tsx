import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Notice } from '../../design/notice.tsx';
import { EmailSignIn } from '../../sign-in/email-sign-in.tsx';
import { hasKeptBadges } from '../../sign-in/kept-badges.ts';
import { keepSession } from '../../sign-in/person-session.ts';
import { discoverWallets, type InstalledWallet } from '../../wallet/discover-wallets.ts';
import { nameWalletSignInProblem, signInWithWallet } from '../../wallet/sign-in-with-wallet.ts';
import styles from './my-badges.module.css';
import { WalletButtons } from './wallet-buttons.tsx';

const wallets = discoverWallets(window);

/** Signs in with an e-mail address or a wallet. */
export function SignIn() {
  const { t } = useTranslation('myBadges');
  const installed = useSyncExternalStore(wallets.subscribe, wallets.list);
  const [busyWallet, setBusyWallet] = useState<string | null>(null);
  const [problem, setProblem] = useState<ReturnType<typeof nameWalletSignInProblem> | null>(null);

  async function signIn(wallet: InstalledWallet): Promise<void> {
    setBusyWallet(wallet.walletId);
    setProblem(null);
    try {
      keepSession(await signInWithWallet(wallet));
    } catch (error) {
      setProblem(nameWalletSignInProblem(error));
    } finally {
      setBusyWallet(null);
    }
  }

  return (
    <div className={styles.signIn}>
      <h1>{t('title')}</h1>
      <p className={styles.muted}>{t('signIn.lead')}</p>
      <Card className={styles.card}>
        <h2>{t('signIn.email')}</h2>
        {hasKeptBadges() ? (
          <EmailSignIn isMain hint={t('signIn.emailHint')} onSignedIn={() => {}} />
        ) : (
          <p>{t('signIn.noEmail')}</p>
        )}
      </Card>
      <Card className={styles.card}>
        <h2>{t('signIn.wallet')}</h2>
        {installed.length === 0 ? (
          <>
            <p className={styles.muted}>{t('signIn.noWallet')}</p>
            <div>
              <ButtonLink href="/#your-badges">{t('signIn.enterAddress')}</ButtonLink>
            </div>
          </>
        ) : (
          <>
            <p className={styles.muted}>{t('signIn.walletText')}</p>
            {problem !== null && (
              <Notice tone="error" isLive>
                {t(`problems.${problem}`)}
              </Notice>
            )}
            <WalletButtons
              installed={installed}
              label={t('signIn.wallet')}
              busyWallet={busyWallet}
              nameButton={(name) => (name === null ? t('signIn.unnamed') : t('signIn.button', { name }))}
              onChoose={(wallet) => void signIn(wallet)}
            />
          </>
        )}
      </Card>
    </div>
  );
}
