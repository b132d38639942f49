import { useTranslation } from 'react-i18next';
import { shortenAddress } from '../../design/address.tsx';
import { AddressGroups } from '../../design/address-groups.tsx';
import { toChecksumAddress } from '../../wallet/address.ts';
import type { WalletDiscovery } from '../../wallet/discover-wallets.ts';
import styles from './claim-panel.module.css';
import type { Account } from './claim-state.ts';
import { WalletMark } from './wallet-mark.tsx';

interface AccountBoxProps {
  label: string;
  account: Account;
  wallets: WalletDiscovery;
}

/** The wallet of an account as the wallet shows it, such as `MetaMask · 0xf39F…2266`, and the whole address. */
export function AccountBox({ label, account, wallets }: AccountBoxProps) {
  const { t } = useTranslation();
  const address = toChecksumAddress(account.address);
  const wallet = wallets.list().find(({ walletId }) => walletId === account.walletId);
  return (
    <div className={styles.account}>
      <span className={styles.accountLabel}>{label}</span>
      {wallet !== undefined && (
        <span className={styles.accountName}>
          <WalletMark wallet={wallet} />
          <span>
            <bdi>{wallet.name ?? t('claim.review.unnamedWallet')}</bdi> ·{' '}
            <bdi className={styles.shortAddress}>{shortenAddress(address)}</bdi>
          </span>
        </span>
      )}
      <AddressGroups address={address} />
    </div>
  );
}
