import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import { Notice } from '../../design/notice.tsx';
import { findChainName } from '../../wallet/chains.ts';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import { type ClaimState, isCodeEnough } from './claim-state.ts';
import { CodeForm } from './code-form.tsx';
import { More } from './more.tsx';

const START_ON_ETHEREUM = 'BADGE_CHAIN_ID=1 BADGE_DATA_DIR=./data-chain-1 npm start';

/** The wallet is on another chain than the service. It must switch before it signs. */
export function WrongChainNotice({ state }: { state: ClaimState }) {
  const { t } = useTranslation();
  const chain = useChainName(state);
  return (
    <Notice tone="warning" title={t('claim.wrongChain.title')}>
      {t('claim.wrongChain.text', { chain })}
    </Notice>
  );
}

/** The wallet cannot switch to the chain of the service. If the badge allows it, a code replaces the signature. */
export function UnusableChainStep({ flow, state }: { flow: ClaimFlow; state: ClaimState }) {
  const { t } = useTranslation();
  const chain = useChainName(state);
  return (
    <section className={styles.step} aria-labelledby="unusable-chain">
      <h2 id="unusable-chain" tabIndex={-1}>
        {t('claim.unusableChain.title')}
      </h2>
      <p>{t('claim.unusableChain.text', { chain })}</p>
      <p>{isCodeEnough(state) ? t('claim.unusableChain.useCode') : t('claim.unusableChain.otherWallet')}</p>
      <OperatorNotice state={state} />
      <Button isWide onClick={() => flow.send({ type: 'wentBack' })}>
        {t('claim.unusableChain.back')}
      </Button>
      {isCodeEnough(state) && (
        <More title={t('claim.code.have')}>
          <CodeForm />
        </More>
      )}
    </section>
  );
}

/** How to run a sandbox on a chain that wallets know. Shows nothing if its chain is such a chain. */
export function OperatorNotice({ state: { environment } }: { state: ClaimState }) {
  const { t } = useTranslation();
  if (environment?.environment !== 'sandbox') return null;
  const { chainId } = environment.eip712.domain;
  if (findChainName(chainId) !== null) return null;
  return (
    <Notice tone="info" title={t('claim.operator.title')}>
      <div className={`${styles.stack} ${styles.command}`}>
        <p>{t('claim.operator.text', { id: chainId })}</p>
        <CodeBlock title={t('claim.operator.command')} code={START_ON_ETHEREUM} />
      </div>
    </Notice>
  );
}

function useChainName({ environment }: ClaimState): string {
  const { t } = useTranslation();
  const chainId = environment?.eip712.domain.chainId ?? 0;
  return findChainName(chainId) ?? t('claim.wrongChain.unnamed', { id: chainId });
}
