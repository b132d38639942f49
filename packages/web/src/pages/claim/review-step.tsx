import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CheckIcon } from '../../design/icons.tsx';
import { AccountBox } from './account-box.tsx';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import { type ClaimState, needsSignature, type Step } from './claim-state.ts';
import { RefusalNotice } from './refusal-notice.tsx';

interface ReviewStepProps {
  flow: ClaimFlow;
  state: ClaimState;
  step: Extract<Step, { name: 'review' }>;
}

/** Shows which address the badge goes to, and what is signed, before anything is sent. */
export function ReviewStep({ flow, state, step }: ReviewStepProps) {
  const { t } = useTranslation();
  const { account, refusal } = step;
  const isSigned = needsSignature(state);
  const facts = isSigned
    ? [
        t('claim.review.message', { id: state.token?.tokenId ?? '' }),
        t('claim.review.free'),
        t('claim.review.safe'),
      ]
    : [t('claim.review.free'), t('claim.review.final')];
  return (
    <section className={styles.step} aria-labelledby="review">
      <h2 id="review" tabIndex={-1}>
        {isSigned ? t('claim.review.signTitle') : t('claim.review.addressTitle')}
      </h2>
      {refusal !== null && <RefusalNotice refusal={refusal} />}
      <AccountBox label={t('claim.review.to')} address={account.address} />
      <ul className={`plain-list ${styles.points}`}>
        {facts.map((fact) => (
          <li key={fact}>
            <CheckIcon />
            <span>{fact}</span>
          </li>
        ))}
      </ul>
      <Button variant="primary" size="large" isWide onClick={flow.confirm}>
        {isSigned ? t('claim.review.sign') : t('claim.review.claim')}
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
}
