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
      {isSandboxChain(state)
        ? t('claim.wrongChain.sandboxText', { chain })
        : t('claim.wrongChain.text', { chain })}
    </Notice>
  );
}

/** The wallet cannot switch to the chain of the service. */
export function UnusableChainStep({ flow, state }: { flow: ClaimFlow; state: ClaimState }) {
  const { t } = useTranslation();
  const chain = useChainName(state);
  return (
    <section className={styles.step} aria-labelledby="unusable-chain">
      <h2 id="unusable-chain" tabIndex={-1}>
        {t('claim.unusableChain.title')}
      </h2>
      <p>{t('claim.unusableChain.text', { chain })}</p>
      <Button isWide onClick={() => flow.send({ type: 'wentBack' })}>
        {t('claim.unusableChain.back')}
      </Button>
      <OtherWays state={state} />
      {isSandboxChain(state) && <OperatorHelp state={state} />}
    </section>
  );
}

/** How to claim without the signature of this wallet. */
export function OtherWays({ state }: { state: ClaimState }) {
  const { t } = useTranslation();
  if (!isCodeEnough(state)) return <p>{t('claim.otherWays.wallet')}</p>;
  return (
    <>
      <p>{t('claim.otherWays.code')}</p>
      <More title={t('claim.code.have')}>
        <CodeForm />
      </More>
    </>
  );
}

/** Whether the service is a sandbox on a chain that has no public network. Most wallets cannot switch to it. */
export function isSandboxChain({ environment }: ClaimState): boolean {
  return environment?.environment === 'sandbox' && findChainName(environment.eip712.domain.chainId) === null;
}

/** How to run the sandbox on a chain that wallets know. */
function OperatorHelp({ state: { environment } }: { state: ClaimState }) {
  const { t } = useTranslation();
  return (
    <More title={t('claim.operator.title')}>
      <p>{t('claim.operator.text', { id: environment?.eip712.domain.chainId })}</p>
      <div className={styles.command}>
        <CodeBlock title={t('claim.operator.command')} code={START_ON_ETHEREUM} />
      </div>
    </More>
  );
}

function useChainName({ environment }: ClaimState): string {
  const { t } = useTranslation();
  const chainId = environment?.eip712.domain.chainId ?? 0;
  return findChainName(chainId) ?? t('claim.wrongChain.unnamed', { id: chainId });
}
