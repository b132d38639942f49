import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import type { InstalledWallet } from '../../wallet/discover-wallets.ts';
import { rememberWallet } from '../../wallet/last-wallet.ts';
import { WalletError } from '../../wallet/wallet-error.ts';
import { describeError } from '../describe-error.ts';
import type { CreatorKey } from './creator-signer.ts';
import styles from './sign-buttons.module.css';
import { useInstalledWallets } from './use-installed-wallets.ts';

interface SignButtonsProps {
  /** Who signs; null if nothing has to be signed. */
  creatorKey: CreatorKey | null;
  /** The address that must sign. */
  creator: string;
  label: string;
  isPrimary?: boolean;
  isDisabled?: boolean;
  /** Does it, with the chosen wallet if one is needed. */
  onSubmit: (wallet: InstalledWallet | null) => Promise<void>;
}

/**
 * The button of an action that the creator of a badge signs: one for each wallet, or only one if no wallet is
 * needed.
 */
export function SignButtons(props: SignButtonsProps) {
  const { creatorKey, creator, label, isPrimary = false, isDisabled = false, onSubmit } = props;
  const { t } = useTranslation('console');
  const installed = useInstalledWallets();
  const [busy, setBusy] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const choices = creatorKey === 'wallet' ? installed : [null];

  async function submit(wallet: InstalledWallet | null): Promise<void> {
    setBusy(wallet?.walletId ?? '');
    setError(null);
    try {
      if (wallet !== null) rememberWallet(wallet.walletId);
      await onSubmit(wallet);
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(null);
    }
  }

  function describe(): string {
    const isWrongAccount = error instanceof WalletError && error.name === 'WrongAccount';
    return isWrongAccount ? t('give.sign.wrongAccount') : describeError(error, t);
  }

  return (
    <div className={styles.sign}>
      {creatorKey === 'wallet' && (
        <div className={styles.creator}>
          <p>{t(installed.length === 0 ? 'give.sign.noWallet' : 'give.sign.wallet')}</p>
          <Address value={creator} />
        </div>
      )}
      {error !== null && (
        <Notice tone="error" isLive>
          {describe()}
        </Notice>
      )}
      <div className={styles.buttons}>
        {choices.map((wallet, index) => (
          <Button
            key={wallet?.walletId ?? ''}
            variant={isPrimary && index === 0 ? 'primary' : 'secondary'}
            size={isPrimary ? 'large' : 'normal'}
            isBusy={busy === (wallet?.walletId ?? '')}
            isDisabled={isDisabled || busy !== null}
            onClick={() => void submit(wallet)}
          >
            {wallet === null
              ? label
              : t('give.sign.with', { action: label, name: wallet.name ?? t('give.sign.unnamed') })}
          </Button>
        ))}
      </div>
    </div>
  );
}
