import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { findChainName } from '../../wallet/chains.ts';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import type { ClaimState, Step } from './claim-state.ts';
import { CodeForm } from './code-form.tsx';
import { RefusalNotice } from './refusal-notice.tsx';

interface WrongChainStepProps {
  flow: ClaimFlow;
  state: ClaimState;
  step: Extract<Step, { name: 'wrongChain' }>;
}

/**
 * Wallets sign only for the chain that they are on. If the wallet cannot switch, a code replaces the signature, unless
 * the badge always needs one.
 */
export function WrongChainStep({ flow, state, step }: WrongChainStepProps) {
  const { t } = useTranslation();
  const { environment, token, code } = state;
  const needsSignature = token?.claimabilityAttributes.isSignatureRequired === true;
  const chainId = environment?.eip712.domain.chainId ?? 0;
  const chainName = findChainName(chainId) ?? t('claim.wrongChain.unnamed', { id: chainId });
  const { refusal } = step;
  return (
    <section className={styles.step} aria-labelledby="wrong-chain">
      <h2 id="wrong-chain" tabIndex={-1}>
        {t('claim.wrongChain.title', { chain: chainName })}
      </h2>
      <p className={styles.muted}>{t('claim.wrongChain.text', { chain: chainName })}</p>
      {refusal !== null && <RefusalNotice refusal={refusal} />}
      {refusal?.name !== 'UnknownChain' && (
        <Button variant="primary" size="large" isWide onClick={() => flow.send({ type: 'chainSwitchAsked' })}>
          {t('claim.wrongChain.switch')}
        </Button>
      )}
      {refusal !== null && needsSignature && <p>{t('claim.wrongChain.signatureNeeded')}</p>}
      {refusal !== null && !needsSignature && code.status === 'none' && (
        <>
          <p>{t('claim.wrongChain.useCode')}</p>
          <CodeForm />
        </>
      )}
      {refusal !== null && environment?.environment === 'sandbox' && (
        <Notice tone="info" title={t('claim.wrongChain.sandboxTitle')}>
          {t('claim.wrongChain.sandboxText', { id: chainId })}
        </Notice>
      )}
      <div className={styles.actions}>
        <Button size="small" onClick={() => flow.send({ type: 'wentBack' })}>
          {t('claim.back')}
        </Button>
      </div>
    </section>
  );
}
