import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { AddressForm } from '../../wallet/address-form.tsx';
import type { InstalledWallet, WalletDiscovery } from '../../wallet/discover-wallets.ts';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import { type ClaimState, mayCodeHelp, needsSignature, type Step } from './claim-state.ts';
import { CodePart } from './code-form.tsx';
import { NoWallet } from './no-wallet.tsx';
import { Part } from './part.tsx';
import { RefusalNotice } from './refusal-notice.tsx';
import { WalletMark } from './wallet-mark.tsx';

interface ChooseStepProps {
  flow: ClaimFlow;
  state: ClaimState;
  step: Extract<Step, { name: 'choose' }>;
  wallets: WalletDiscovery;
}

/**
 * The person chooses a wallet, types an address, or enters a code. Many people who open an allowlisted badge
 * without a code have read its address and a short code from a screen. So there the code comes first.
 */
export function ChooseStep({ flow, state, step, wallets }: ChooseStepProps) {
  const { t } = useTranslation();
  const installed = useSyncExternalStore(wallets.subscribe, wallets.list);
  const isAddressEnough = !needsSignature(state);
  const hasNoCode = state.code.status === 'none';
  const isCodeFirst = hasNoCode && state.token?.claimabilityAttributes.isAllowlistRequired === true;
  const walletButtons = installed.length > 0 && (
    <WalletButtons
      installed={installed}
      hasMain={!isCodeFirst}
      onChoose={(walletId) => flow.send({ type: 'walletChosen', walletId })}
    />
  );
  return (
    <section className={styles.step} aria-labelledby="choose">
      <h2 id="choose" tabIndex={-1}>
        {t('claim.choose.title')}
      </h2>
      <p className={styles.muted}>{describeNeeds()}</p>
      {state.token?.claimabilityAttributes.isSignatureRequired && (
        <p>
          <strong>{t('claim.choose.signatureRequired')}</strong>
        </p>
      )}
      {step.refusal !== null && <RefusalNotice refusal={step.refusal} state={state} hasTitle />}
      {isCodeFirst && (
        <>
          <CodePart isFolded={false} isMain />
          <Part title={t('claim.choose.onList')}>
            <p className={styles.muted}>{t('claim.choose.listed')}</p>
            {walletButtons}
          </Part>
        </>
      )}
      {!isCodeFirst && walletButtons}
      {installed.length > 0 && isAddressEnough && <p className={styles.or}>{t('claim.choose.or')}</p>}
      {isAddressEnough && (
        <AddressForm
          label={t('claim.address.label')}
          submitLabel={t('claim.address.submit')}
          isMain={installed.length === 0}
          onAddress={(address) => flow.send({ type: 'accountGiven', account: { address, walletId: null } })}
        />
      )}
      {installed.length === 0 && <NoWallet state={state} />}
      {hasNoCode && !isCodeFirst && mayCodeHelp(state) && <CodePart />}
    </section>
  );

  function describeNeeds(): string {
    if (state.code.status === 'valid')
      return isAddressEnough ? t('claim.choose.withCode') : t('claim.choose.withCodeAndSignature');
    if (isCodeFirst) return t('claim.choose.codeFirst');
    return state.token?.claimabilityAttributes.isAllowlistRequired
      ? t('claim.choose.listed')
      : t('claim.choose.open');
  }
}

function WalletButtons({
  installed,
  hasMain,
  onChoose,
}: {
  installed: readonly InstalledWallet[];
  /** Whether the first wallet is the main action of the step. */
  hasMain: boolean;
  onChoose: (walletId: string) => void;
}) {
  const { t } = useTranslation();
  return (
    <ul className={`plain-list ${styles.stack}`} aria-label={t('claim.choose.wallets')}>
      {installed.map((wallet, index) => (
        <li key={wallet.walletId}>
          <Button
            isWide
            size="large"
            variant={hasMain && index === 0 ? 'primary' : 'secondary'}
            className={styles.wallet}
            onClick={() => onChoose(wallet.walletId)}
          >
            <WalletMark wallet={wallet} />
            {wallet.name === null
              ? t('claim.choose.unnamedWallet')
              : t('claim.choose.wallet', { name: wallet.name })}
          </Button>
        </li>
      ))}
    </ul>
  );
}
