import { type FormEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { WalletIcon } from '../../design/icons.tsx';
import { Notice } from '../../design/notice.tsx';
import { TextField } from '../../design/text-field.tsx';
import { usePageTitle } from '../../page-title.ts';
import { discoverWallets, type InstalledWallet } from '../../wallet/discover-wallets.ts';
import {
  nameWalletSignInProblem,
  signInWithWallet,
  type WalletSignInProblem,
} from '../../wallet/sign-in-with-wallet.ts';
import type { SignedOutBecause } from './session.ts';
import styles from './sign-in-page.module.css';

const wallets = discoverWallets(window);

type Problem = WalletSignInProblem | 'noMember' | 'emptyKey';

/** Signs in with a wallet or with an API key. */
export function SignInPage({ because, onKey }: { because: SignedOutBecause; onKey: (key: string) => void }) {
  const { t } = useTranslation('console');
  const installed = useSyncExternalStore(wallets.subscribe, wallets.list);
  const [busyWallet, setBusyWallet] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [key, setKey] = useState('');
  const headingRef = useRef<HTMLHeadingElement>(null);
  usePageTitle(t('signIn.title'));

  // After a session has expired, the keyboard and screen readers are on a page that is hidden now.
  useEffect(() => {
    if (because !== null) headingRef.current?.focus();
  }, [because]);

  async function signIn(wallet: InstalledWallet): Promise<void> {
    setBusyWallet(wallet.walletId);
    setProblem(null);
    try {
      const { sessionToken, memberships } = await signInWithWallet(wallet);
      if (memberships.length > 0) onKey(sessionToken);
      else setProblem('noMember');
    } catch (error) {
      setProblem(nameWalletSignInProblem(error));
    } finally {
      setBusyWallet(null);
    }
  }

  function submitKey(event: FormEvent): void {
    event.preventDefault();
    const typed = key.trim();
    if (typed === '') setProblem('emptyKey');
    else onKey(typed);
  }

  return (
    <div className={styles.page}>
      <h1 ref={headingRef} tabIndex={-1} className={styles.title}>
        {t('signIn.title')}
      </h1>
      <p className={styles.lead}>{t('signIn.lead')}</p>
      {because !== null && (
        <Notice tone={because === 'signedOut' ? 'success' : 'warning'} isLive>
          {t(`signIn.because.${because}`)}
        </Notice>
      )}
      {problem !== null && problem !== 'emptyKey' && (
        <Notice tone="error" isLive>
          {t(`signIn.problems.${problem}`)}
        </Notice>
      )}
      <Card className={styles.part}>
        <h2>{t('signIn.wallet.title')}</h2>
        <p className={styles.muted}>{t('signIn.wallet.text')}</p>
        {installed.length === 0 && <p>{t('signIn.wallet.none')}</p>}
        <ul className={`plain-list ${styles.wallets}`} aria-label={t('signIn.wallet.title')}>
          {installed.map((wallet, index) => (
            <li key={wallet.walletId}>
              <Button
                isWide
                size="large"
                variant={index === 0 ? 'primary' : 'secondary'}
                isBusy={busyWallet === wallet.walletId}
                isDisabled={busyWallet !== null}
                onClick={() => void signIn(wallet)}
              >
                {wallet.iconUrl === null ? <WalletIcon /> : <img src={wallet.iconUrl} alt="" width={24} />}
                {wallet.name === null
                  ? t('signIn.wallet.unnamed')
                  : t('signIn.wallet.button', { name: wallet.name })}
              </Button>
            </li>
          ))}
        </ul>
      </Card>
      <Card className={styles.part}>
        <h2>{t('signIn.key.title')}</h2>
        <form className={styles.form} onSubmit={submitKey} noValidate>
          <TextField
            type="password"
            label={t('signIn.key.label')}
            hint={t('signIn.key.hint')}
            error={problem === 'emptyKey' ? t('signIn.problems.emptyKey') : null}
            dir="ltr"
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
          <Button
            type="submit"
            size="large"
            isWide
            variant={installed.length === 0 ? 'primary' : 'secondary'}
          >
            {t('signIn.key.submit')}
          </Button>
        </form>
      </Card>
    </div>
  );
}
