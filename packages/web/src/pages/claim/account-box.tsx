import { useTranslation } from 'react-i18next';
import { shortenAddress } from '../../design/address.tsx';
import { AddressGroups } from '../../design/address-groups.tsx';
import { toChecksumAddress } from '../../wallet/address.ts';
import type { InstalledWallet } from '../../wallet/discover-wallets.ts';
import styles from './claim-panel.module.css';
import { WalletMark } from './wallet-mark.tsx';

interface AccountBoxProps {
  label: string;
  address: string;
  /** The wallet that has the account; null if the person has typed the address. */
  wallet: InstalledWallet | null;
}

/** An account as its wallet shows it, such as `MetaMask 0xf39F…2266`, and the whole address. */
export function AccountBox({ label, address, wallet }: AccountBoxProps) {
  const { t } = useTranslation();
  const checksumAddress = toChecksumAddress(address);
  return (
    <div className={styles.account}>
      <span className={styles.accountLabel}>{label}</span>
      {wallet !== null && (
        <span className={styles.accountName}>
          <WalletMark wallet={wallet} />
          <span className={styles.nameParts}>
            <bdi>{wallet.name ?? t('claim.review.unnamedWallet')}</bdi>
            <bdi className={styles.shortAddress}>{shortenAddress(checksumAddress)}</bdi>
          </span>
        </span>
      )}
      <AddressGroups address={checksumAddress} />
    </div>
  );
}
