import { useTranslation } from 'react-i18next';
import { AddressGroups } from '../../design/address-groups.tsx';
import { toChecksumAddress } from '../../wallet/address.ts';
import type { InstalledWallet } from '../../wallet/discover-wallets.ts';
import styles from './claim-panel.module.css';
import { WalletMark } from './wallet-mark.tsx';

interface AccountBoxProps {
  label: string;
  address: string;
  /**
   * The wallet that has the account. Null if it is not shown, for example because the person has entered the
   * address.
   */
  wallet: InstalledWallet | null;
}

/** An account: the name of its wallet, and the address in groups, which are easier to compare. */
export function AccountBox({ label, address, wallet }: AccountBoxProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.account}>
      <span className={styles.accountLabel}>{label}</span>
      {wallet !== null && (
        <span className={styles.accountName}>
          <WalletMark wallet={wallet} />
          <bdi>{wallet.name ?? t('claim.review.unnamedWallet')}</bdi>
        </span>
      )}
      <AddressGroups address={toChecksumAddress(address)} />
    </div>
  );
}
