import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../design/button.tsx';
import { hasKeptBadges } from '../../sign-in/kept-badges.ts';
import type { WalletDiscovery } from '../../wallet/discover-wallets.ts';
import { AccountBox } from './account-box.tsx';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import { type ClaimState, mayCodeHelp, mayCodeReplaceSignature, type Step } from './claim-state.ts';
import { CodeForm, CodePart } from './code-form.tsx';
import { dropCode, nameOfText } from './code-in-url.ts';
import { Countdown } from './countdown.tsx';
import { isLoss, type RefusalName } from './refusal.ts';
import { RefusalNotice } from './refusal-notice.tsx';

interface RefusedStepProps {
  flow: ClaimFlow;
  state: ClaimState;
  step: Extract<Step, { name: 'refused' }>;
  wallets: WalletDiscovery;
}

/**
 * What a refusal is about. It decides what the person can do next. `attempt`: another attempt may succeed.
 */
type Subject = 'badge' | 'code' | 'account' | 'email' | 'wallet' | 'attempt';

const SUBJECTS: Partial<Record<RefusalName, Subject>> = {
  NoTokensLeft: 'badge',
  TokenClaimExpired: 'badge',
  ClaimCodeUsed: 'code',
  ClaimCodeInvalid: 'code',
  TypedCodeInvalid: 'code',
  Incomplete: 'code',
  AddressNotAllowlisted: 'account',
  EmailNotListed: 'email',
  Revoked: 'account',
  Moved: 'account',
  Burnt: 'account',
  ContractWallet: 'account',
  Unsupported: 'wallet',
};

/** The claim was refused: why, and what the person can do next. */
export function RefusedStep({ flow, state, step, wallets }: RefusedStepProps) {
  const { t } = useTranslation();
  const { refusal, account } = step;
  const { name } = refusal;
  const subject = SUBJECTS[name] ?? 'attempt';
  /** Whether the code may have been typed or copied with a mistake. */
  const mayHaveMistake = name === 'TypedCodeInvalid' || name === 'Incomplete';
  // A code replaces an entry on the allowlist. It replaces a signature only if the badge does not require
  // one.
  const isCodeHelpful =
    ((name === 'AddressNotAllowlisted' || name === 'EmailNotListed') && state.code.status === 'none') ||
    ((name === 'ContractWallet' || name === 'Unsupported') && mayCodeReplaceSignature(state));
  // The code was not checked if this browser has claimed with it before. Then no other account can claim with
  // it here.
  const isOtherAccountOffered =
    (subject === 'account' || subject === 'attempt') &&
    account !== null &&
    !(isLoss(refusal) && state.code.status === 'checking');
  const isAccountShown = account !== null && (subject === 'account' || name === 'NotSignedByClaimer');
  return (
    <section className={styles.step} aria-labelledby="refused">
      <h2 id="refused" tabIndex={-1}>
        {t(`claim.refusals.${nameOfText(name)}.title`)}
      </h2>
      <RefusalNotice refusal={refusal} state={state} hasTitle={false} />
      {name === 'TokenNotYetClaimable' && state.token?.claimableFromTimestamp != null && (
        <Countdown until={state.token.claimableFromTimestamp} />
      )}
      {isAccountShown && (
        <AccountBox
          label={t('claim.refused.address')}
          address={account.address}
          wallet={wallets.find(account.walletId)}
        />
      )}
      {subject === 'badge' && state.token !== null && (
        <ButtonLink
          isWide
          variant="primary"
          href={`/community/${encodeURIComponent(state.token.communityId)}`}
        >
          {t('claim.refused.otherBadges')}
        </ButtonLink>
      )}
      {subject === 'attempt' && (
        <Button isWide variant="primary" onClick={() => location.reload()}>
          {t('errors.retry')}
        </Button>
      )}
      {subject === 'wallet' && (
        <Button isWide variant="primary" onClick={() => flow.send({ type: 'wentBack' })}>
          {t('claim.refused.otherWallet')}
        </Button>
      )}
      {subject === 'email' && (
        <Button isWide variant="primary" onClick={() => flow.send({ type: 'wentBack' })}>
          {t('claim.refused.otherWay')}
        </Button>
      )}
      {isLoss(refusal) && account !== null && (
        <ButtonLink isWide href={`/wallet/${account.address}`}>
          {t('claim.done.myBadges')}
        </ButtonLink>
      )}
      {isOtherAccountOffered && (
        <Button
          isWide
          variant={subject === 'account' ? 'primary' : 'secondary'}
          onClick={() => flow.send({ type: 'accountChangeAsked' })}
        >
          {t('claim.review.otherAccount')}
        </Button>
      )}
      {name === 'ClaimCodeUsed' && (
        <ButtonLink isWide variant="primary" href="/#your-badges">
          {t('claim.refused.findBadges')}
        </ButtonLink>
      )}
      {(name === 'ClaimCodeUsed' || name === 'ClaimCodeInvalid') && hasKeptBadges() && (
        // Perhaps the person has used the code, and keeps the badge with their e-mail.
        <ButtonLink isWide href="/my-badges">
          {t('claim.refused.signIn')}
        </ButtonLink>
      )}
      {mayHaveMistake && <CodeForm isMain />}
      {subject === 'code' && (
        // Few of the people whose link does not work have a wallet. What helps them is in the notice.
        <Button isWide onClick={dropCode}>
          {t('claim.refused.withoutCode')}
        </Button>
      )}
      {subject === 'code' && !mayHaveMistake && mayCodeHelp(state) && <CodePart isOther />}
      {isCodeHelpful && <CodePart />}
    </section>
  );
}
