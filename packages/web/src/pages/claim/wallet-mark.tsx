import { WalletIcon } from '../../design/icons.tsx';
import type { InstalledWallet } from '../../wallet/discover-wallets.ts';

/** The icon of a wallet, or a general wallet icon if it has none. */
export function WalletMark({ wallet: { iconUrl } }: { wallet: InstalledWallet }) {
  return iconUrl === null ? <WalletIcon /> : <img src={iconUrl} alt="" />;
}
