import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CheckIcon } from '../../design/icons.tsx';
import { Notice } from '../../design/notice.tsx';
import type { WalletDiscovery } from '../../wallet/discover-wallets.ts';
import { findLastAddress } from '../../wallet/last-address.ts';
import { AccountBox } from './account-box.tsx';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import { type ClaimState, isOnWrongChain, needsSignature, type Step } from './claim-state.ts';
import { RefusalNotice } from './refusal-notice.tsx';
import { UnusableChainStep, WrongChainNotice } from './wrong-chain.tsx';

interface ReviewStepProps {
  flow: ClaimFlow;
  state: ClaimState;
  step: Extract<Step, { name: 'review' }>;
  wallets: WalletDiscovery;
}

/** Shows which address the badge goes to, and what is signed, before the claim is signed and sent. */
export function ReviewStep({ flow, state, step, wallets }: ReviewStepProps) {
  const { t } = useTranslation();
  const { account, refusal } = step;
  const mustSign = needsSignature(state);
  const mustSwitch = mustSign && isOnWrongChain(state);
  if (mustSwitch && refusal?.name === 'UnknownChain') return <UnusableChainStep flow={flow} state={state} />;
  return (
    <section className={styles.step} aria-labelledby="review">
      <h2 id="review" tabIndex={-1}>
        {mustSign ? t('claim.review.signTitle') : t('claim.review.addressTitle')}
      </h2>
      {refusal !== null && <RefusalNotice refusal={refusal} state={state} hasTitle />}
      <AccountBox
        label={t('claim.review.to')}
        address={account.address}
        wallet={wallets.find(account.walletId)}
      />
      {mustSwitch && <WrongChainNotice state={state} />}
      {mustSign ? (
        <Points
          texts={[
            t('claim.review.message', { id: state.token?.tokenId ?? '' }),
            t('claim.review.safe'),
            t('claim.review.free'),
          ]}
        />
      ) : (
        <>
          <Notice tone="warning" title={t('claim.review.final')}>
            {account.walletId === null && <TypedAddressAdvice address={account.address} />}
          </Notice>
          <Points texts={[t('claim.review.free')]} />
        </>
      )}
      <Button variant="primary" size="large" isWide onClick={flow.confirm}>
        {nameAction()}
      </Button>
      <div className={styles.actions}>
        {account.walletId !== null && (
          <Button size="small" onClick={() => flow.send({ type: 'accountChangeAsked' })}>
            {t('claim.review.otherAccount')}
          </Button>
        )}
        <Button size="small" onClick={() => flow.send({ type: 'wentBack' })}>
          {t('claim.back')}
        </Button>
      </div>
    </section>
  );

  function nameAction(): string {
    if (!mustSign) return t('claim.review.claim');
    return mustSwitch ? t('claim.review.switchAndSign') : t('claim.review.sign');
  }
}

function TypedAddressAdvice({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.stack}>
      <p>{t('claim.review.owner')}</p>
      <p>{address === findLastAddress() ? t('claim.review.usedBefore') : t('claim.review.compare')}</p>
    </div>
  );
}

function Points({ texts }: { texts: string[] }) {
  return (
    <ul className={`plain-list ${styles.points}`}>
      {texts.map((text) => (
        <li key={text}>
          <CheckIcon />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
