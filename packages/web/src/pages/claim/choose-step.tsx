import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { hasKeptBadges } from '../../sign-in/kept-badges.ts';
import { AddressForm } from '../../wallet/address-form.tsx';
import type { InstalledWallet, WalletDiscovery } from '../../wallet/discover-wallets.ts';
import { findLastAddress } from '../../wallet/last-address.ts';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import { type ClaimState, isWalletNeeded, mayCodeHelp, needsSignature, type Step } from './claim-state.ts';
import { CodePart } from './code-form.tsx';
import { EmailWay } from './email-way.tsx';
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
 * The person chooses how to have the badge, with an e-mail or a wallet, or enters a code. Many people who
 * open an allowlisted badge without a code have read its address and a short code from a screen. So there the
 * code comes first.
 */
export function ChooseStep({ flow, state, step, wallets }: ChooseStepProps) {
  const { t } = useTranslation();
  const hasNoCode = state.code.status === 'none';
  const isListed = state.token?.claimabilityAttributes.isAllowlistRequired === true;
  const isCodeFirst = hasNoCode && isListed;
  const isEmailOffered = hasKeptBadges() && !isWalletNeeded(state);
  const ways = (
    <Ways flow={flow} state={state} wallets={wallets} isEmailOffered={isEmailOffered} isMain={!isCodeFirst} />
  );
  return (
    <section className={styles.step} aria-labelledby="choose">
      <h2 id="choose" tabIndex={-1}>
        {t('claim.choose.title')}
      </h2>
      <p className={styles.muted}>{describeNeeds()}</p>
      {isWalletNeeded(state) && (
        <p>
          <strong>{t('claim.choose.signatureRequired')}</strong>
        </p>
      )}
      {step.refusal !== null && <RefusalNotice refusal={step.refusal} state={state} hasTitle />}
      {isCodeFirst ? (
        <>
          <CodePart isFolded={false} isMain />
          <Part title={t('claim.choose.onList')}>{ways}</Part>
        </>
      ) : (
        ways
      )}
      {hasNoCode && !isCodeFirst && mayCodeHelp(state) && <CodePart />}
    </section>
  );

  function describeNeeds(): string {
    if (state.code.status === 'valid')
      return needsSignature(state) ? t('claim.choose.withCodeAndSignature') : t('claim.choose.withCode');
    if (isCodeFirst) return t('claim.choose.codeFirst');
    return isEmailOffered ? t('claim.choose.free') : t('claim.choose.open');
  }
}

interface WaysProps extends Pick<ChooseStepProps, 'flow' | 'state' | 'wallets'> {
  isEmailOffered: boolean;
  /** Whether they are the main action of the step. */
  isMain: boolean;
}

/** The two ways to have the badge. Who has used a wallet in this browser sees this way first. */
function Ways({ flow, state, wallets, isEmailOffered, isMain }: WaysProps) {
  const { t } = useTranslation();
  const installed = useSyncExternalStore(wallets.subscribe, wallets.list);
  // It stays if the person makes the browser forget the address here.
  const [chosen, setChosen] = useState<'email' | 'wallet' | null>(() =>
    findLastAddress() === null ? null : 'wallet',
  );
  const way = isEmailOffered ? (chosen ?? (installed.length > 0 ? 'wallet' : 'email')) : 'wallet';
  return (
    <>
      {isEmailOffered && (
        <ChoiceField
          legend={t('claim.keep.legend')}
          value={way}
          onChange={setChosen}
          isCompact
          choices={[
            { value: 'email', label: t('claim.keep.email') },
            { value: 'wallet', label: t('claim.keep.wallet') },
          ]}
        />
      )}
      {way === 'email' ? (
        <EmailWay flow={flow} isMain={isMain} />
      ) : (
        <WalletWay
          flow={flow}
          state={state}
          installed={installed}
          isEmailOffered={isEmailOffered}
          isMain={isMain}
        />
      )}
    </>
  );
}

interface WalletWayProps extends Omit<WaysProps, 'wallets'> {
  installed: readonly InstalledWallet[];
}

/** The wallets of this browser, a field for an address, and what to do without a wallet. */
function WalletWay({ flow, state, installed, isEmailOffered, isMain }: WalletWayProps) {
  const { t } = useTranslation();
  const isAddressEnough = !needsSignature(state);
  const isListed = state.token?.claimabilityAttributes.isAllowlistRequired === true;
  const hasNoCode = state.code.status === 'none';
  return (
    <>
      {hasNoCode && isListed && <p className={styles.muted}>{t('claim.choose.listed')}</p>}
      {hasNoCode && !isListed && isEmailOffered && <p className={styles.muted}>{t('claim.choose.open')}</p>}
      {installed.length > 0 && (
        <WalletButtons
          installed={installed}
          hasMain={isMain}
          onChoose={(walletId) => flow.send({ type: 'walletChosen', walletId })}
        />
      )}
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
    </>
  );
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
