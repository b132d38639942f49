import { Button } from '../../design/button.tsx';
import { WalletIcon } from '../../design/icons.tsx';
import type { InstalledWallet } from '../../wallet/discover-wallets.ts';
import styles from './my-badges.module.css';

interface WalletButtonsProps {
  installed: readonly InstalledWallet[];
  label: string;
  /** The id of the wallet that is asked for something; null if none is. */
  busyWallet: string | null;
  /** Null: a wallet that has not announced its name. */
  nameButton: (name: string | null) => string;
  onChoose: (wallet: InstalledWallet) => void;
}

/** A button for each wallet of this browser. */
export function WalletButtons({ installed, label, busyWallet, nameButton, onChoose }: WalletButtonsProps) {
  return (
    <ul className={`plain-list ${styles.wallets}`} aria-label={label}>
      {installed.map((wallet) => (
        <li key={wallet.walletId}>
          <Button
            isWide
            size="large"
            isBusy={busyWallet === wallet.walletId}
            isDisabled={busyWallet !== null}
            onClick={() => onChoose(wallet)}
          >
            {wallet.iconUrl === null ? <WalletIcon /> : <img src={wallet.iconUrl} alt="" width={24} />}
            {nameButton(wallet.name)}
          </Button>
        </li>
      ))}
    </ul>
  );
}
