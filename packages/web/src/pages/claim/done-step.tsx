import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Button, ButtonLink } from '../../design/button.tsx';
import { CheckIcon } from '../../design/icons.tsx';
import { Notice } from '../../design/notice.tsx';
import { ShareButton } from '../../design/share-button.tsx';
import { rememberClaimer } from '../../token/ownership.ts';
import { toChecksumAddress } from '../../wallet/address.ts';
import { ForgetAddress } from '../../wallet/forget-address.tsx';
import { rememberAddress } from '../../wallet/last-address.ts';
import { AccountBox } from './account-box.tsx';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import type { ClaimState, Step } from './claim-state.ts';

interface DoneStepProps {
  flow: ClaimFlow;
  state: ClaimState;
  step: Extract<Step, { name: 'done' }>;
}

/** The badge is claimed: share it, or see all badges of the address. */
export function DoneStep({ flow, state: { token, code }, step }: DoneStepProps) {
  const { t } = useTranslation();
  const { address, isKept, isNew, isCodeUnused } = step;
  const tokenId = token?.tokenId;
  useEffect(() => {
    // Who keeps it with an e-mail signs in to find it again.
    if (isKept) return;
    rememberAddress(address);
    if (tokenId !== undefined) rememberClaimer(tokenId, address);
  }, [tokenId, address, isKept]);

  return (
    <section className={styles.step} aria-labelledby="done">
      <div className={styles.doneHeader}>
        <span className={styles.doneMark}>
          <CheckIcon />
        </span>
        <h2 id="done" tabIndex={-1}>
          {isNew ? t('claim.done.newTitle') : t('claim.done.oldTitle')}
        </h2>
      </div>
      <p className={styles.muted}>{describe()}</p>
      {isCodeUnused && <Notice tone="info">{t('claim.done.codeUnused')}</Notice>}
      <div className={styles.doneActions}>
        <ButtonLink variant="primary" href={isKept ? '/my-badges' : `/wallet/${address}`}>
          {t('claim.done.myBadges')}
        </ButtonLink>
        {/* The button shares the page of the badge, because the link of this page may contain a code. */}
        {token !== null && (
          <ShareButton path={`/token/${token.tokenId}?owner=${address}`} title={token.headline} />
        )}
      </div>
      {token !== null && (
        <p>
          <Link href={`/token/${token.tokenId}?owner=${address}`}>{t('claim.done.show')}</Link>
        </p>
      )}
      {!isKept && <AccountBox label={t('claim.done.address')} address={address} wallet={null} />}
      <ForgetAddress address={toChecksumAddress(address)} hasHint />
      {!isKept && (code.status === 'none' || isCodeUnused) && (
        <div className={styles.actions}>
          <Button size="small" onClick={() => flow.send({ type: 'wentBack' })}>
            {t('claim.done.another')}
          </Button>
        </div>
      )}
    </section>
  );

  function describe(): string {
    if (isKept) return isNew ? t('claim.keep.newText') : t('claim.keep.oldText');
    return isNew ? t('claim.done.newText') : t('claim.done.oldText');
  }
}
