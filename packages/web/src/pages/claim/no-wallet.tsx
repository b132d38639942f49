import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { listWalletAppLinks } from '../../wallet/wallet-app-links.ts';
import styles from './claim-panel.module.css';
import { type ClaimState, mayCodeReplaceSignature, needsSignature } from './claim-state.ts';
import { KeepLinkButton } from './keep-link-button.tsx';
import { Part } from './part.tsx';

/** What to do without a wallet in this browser. It is folded if an address is enough. */
export function NoWallet({ state }: { state: ClaimState }) {
  const { t } = useTranslation();
  const isAddressEnough = !needsSignature(state);
  const isPhone = matchMedia('(pointer: coarse)').matches;
  return (
    <>
      {!isAddressEnough && (
        <p>
          {mayCodeReplaceSignature(state)
            ? t('claim.noWallet.addressNeedsCode')
            : t('claim.noWallet.addressNotEnough')}
        </p>
      )}
      <Part
        title={isPhone ? t('claim.noWallet.openApp') : t('claim.noWallet.connect')}
        isFolded={isAddressEnough}
      >
        {isAddressEnough && <p className={styles.muted}>{t('claim.noWallet.noTyping')}</p>}
        {isPhone && <WalletAppLinks />}
        <p className={styles.muted}>
          {isPhone ? t('claim.noWallet.otherApp') : t('claim.noWallet.computer')}
        </p>
        <p>
          <CopyButton text={location.href} label={t('claim.noWallet.copyLink')} />
        </p>
      </Part>
      <Part title={t('claim.noWallet.none')} isFolded={isAddressEnough}>
        <p className={styles.muted}>{t('claim.noWallet.what')}</p>
        <p>
          <a href={t('claim.noWallet.findUrl')} target="_blank" rel="noopener noreferrer">
            {t('claim.noWallet.find')}
          </a>
        </p>
        <p className={styles.muted}>
          {state.code.status === 'valid' ? t('claim.noWallet.laterCode') : t('claim.noWallet.later')}
        </p>
        <KeepLinkButton title={state.token?.headline ?? ''} />
      </Part>
    </>
  );
}

/**
 * Links that open this page in the browsers of wallet apps. No link is the main action, because the page does
 * not know which app the person has.
 */
function WalletAppLinks() {
  const { t } = useTranslation();
  return (
    <ul className={`plain-list ${styles.stack}`}>
      {listWalletAppLinks(location.href).map(({ name, url }) => (
        <li key={name}>
          <ButtonLink href={url} isExternal isWide rel="noreferrer">
            {t('claim.noWallet.openIn', { name })}
          </ButtonLink>
        </li>
      ))}
    </ul>
  );
}
