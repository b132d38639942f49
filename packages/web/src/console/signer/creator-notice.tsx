import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Notice } from '../../design/notice.tsx';
import styles from './sign-buttons.module.css';
import { useInstalledWallets } from './use-installed-wallets.ts';

/**
 * Says who must sign for a badge that a wallet has made, and what to do if that wallet is not in this
 * browser.
 */
export function CreatorNotice({ creator }: { creator: string }) {
  const { t } = useTranslation('console');
  const isPossible = useInstalledWallets().length > 0;
  if (isPossible) {
    return (
      <Notice tone="info">
        {t('give.sign.wallet')} <Address value={creator} />
      </Notice>
    );
  }
  return (
    <Notice tone="warning" title={t('give.sign.elsewhere.title')}>
      <div className={styles.paragraphs}>
        <p>
          {t('give.sign.elsewhere.text')} <Address value={creator} />
        </p>
        <p>{t('give.sign.elsewhere.links')}</p>
        <p>{t('give.sign.elsewhere.nextTime')}</p>
      </div>
    </Notice>
  );
}
