import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { type Fact, FactList } from '../../design/fact-list.tsx';
import { Notice } from '../../design/notice.tsx';
import { findAddChainParameter, findChainName, isPublicChain } from '../../wallet/chains.ts';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import { type ClaimState, mayCodeReplaceSignature } from './claim-state.ts';
import { CodePart } from './code-form.tsx';
import { CommunityContact } from './community-contact.tsx';
import { Part } from './part.tsx';

/**
 * The node that the page tells a developer to start, if the chain of a sandbox has no node that the page
 * knows.
 */
const LOCAL_NODE = {
  chainName: 'Badge sandbox',
  rpcUrls: ['http://localhost:8545'],
  nativeCurrency: { symbol: 'ETH' },
};
const START_ON_ETHEREUM = 'BADGE_CHAIN_ID=1 BADGE_DATA_DIR=./data-chain-1 npm start';

/** The wallet is on another chain than the service. It must switch before it signs. */
export function WrongChainNotice({ state }: { state: ClaimState }) {
  const { t } = useTranslation();
  const chain = useChainName(state);
  const mayBeAdded = findAddChainParameter(readChainId(state)) !== null;
  return (
    <Notice tone="warning" title={t('claim.wrongChain.title')}>
      {t('claim.wrongChain.text', { chain })}
      {isSandboxChain(state) && mayBeAdded && ` ${t('claim.wrongChain.sandboxText')}`}
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
      <AddChainHelp state={state} />
      <Button isWide variant="primary" onClick={flow.confirm}>
        {t('claim.unusableChain.retry')}
      </Button>
      <Button isWide onClick={() => flow.send({ type: 'wentBack' })}>
        {t('claim.unusableChain.back')}
      </Button>
      <OtherWays state={state} />
      {isSandboxChain(state) && <OperatorHelp state={state} />}
    </section>
  );
}

/** Says how the person can claim without the signature of this wallet. */
function OtherWays({ state }: { state: ClaimState }) {
  const { t } = useTranslation();
  return (
    <>
      <div>
        <p>{mayCodeReplaceSignature(state) ? t('claim.otherWays.code') : t('claim.otherWays.wallet')}</p>
        <CommunityContact token={state.token} />
      </div>
      {mayCodeReplaceSignature(state) && <CodePart isFolded={false} />}
    </>
  );
}

/** Whether the service is a sandbox whose chain is not one of the public chains that the page knows. */
function isSandboxChain(state: ClaimState): boolean {
  return state.environment?.environment === 'sandbox' && !isPublicChain(readChainId(state));
}

/** Shows the values that a person enters in the wallet to add the chain by hand. */
function AddChainHelp({ state }: { state: ClaimState }) {
  const { t } = useTranslation();
  const chainId = readChainId(state);
  const knownChain = findAddChainParameter(chainId);
  const needsLocalNode = knownChain === null && isSandboxChain(state);
  const chain = needsLocalNode ? LOCAL_NODE : knownChain;
  // Of a chain that the page does not know, and that is not a sandbox's, it shows only the id.
  const facts: Fact[] = [
    { label: t('claim.addChain.name'), value: chain?.chainName },
    { label: t('claim.addChain.id'), value: String(chainId) },
    { label: t('claim.addChain.node'), value: chain?.rpcUrls[0] },
    { label: t('claim.addChain.symbol'), value: chain?.nativeCurrency.symbol },
  ]
    .filter(({ value }) => value !== undefined)
    .map(({ label, value = '' }) => ({
      label,
      value: (
        <span className={styles.copied}>
          <bdi dir="ltr">{value}</bdi>
          <CopyButton text={value} />
        </span>
      ),
    }));
  return (
    <Part title={t('claim.addChain.title')}>
      <p>{t('claim.addChain.text')}</p>
      <FactList facts={facts} />
      {needsLocalNode && (
        <>
          <p>{t('claim.addChain.ownNode')}</p>
          <CodeBlock title={t('claim.addChain.command')} code={`anvil --chain-id ${chainId}`} />
        </>
      )}
    </Part>
  );
}

/** How to run the sandbox on a chain that wallets know. */
function OperatorHelp({ state }: { state: ClaimState }) {
  const { t } = useTranslation();
  return (
    <Part title={t('claim.operator.title')} isFolded>
      <p>{t('claim.operator.text', { id: readChainId(state) })}</p>
      <div className={styles.command}>
        <CodeBlock title={t('claim.operator.command')} code={START_ON_ETHEREUM} />
      </div>
    </Part>
  );
}

function useChainName(state: ClaimState): string {
  const { t } = useTranslation();
  const chainId = readChainId(state);
  return findChainName(chainId) ?? t('claim.wrongChain.unnamed', { id: chainId });
}

/** The chain that signatures are for. It is known in every step that asks for a signature. */
function readChainId({ environment }: ClaimState): number {
  return environment?.eip712.domain.chainId ?? 0;
}
