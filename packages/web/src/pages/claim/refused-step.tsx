import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../design/button.tsx';
import { AccountBox } from './account-box.tsx';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import type { ClaimState, Step } from './claim-state.ts';
import { CodeForm, dropCode } from './code-form.tsx';
import type { RefusalName } from './refusal.ts';
import { RefusalNotice } from './refusal-notice.tsx';

interface RefusedStepProps {
  flow: ClaimFlow;
  state: ClaimState;
  step: Extract<Step, { name: 'refused' }>;
}

/** Neither another account nor a code helps against these. */
const FINAL_NAMES: RefusalName[] = ['NoTokensLeft', 'TokenClaimExpired'];
const CODE_NAMES: RefusalName[] = ['ClaimCodeUsed', 'ClaimCodeInvalid', 'Incomplete'];

/** The claim was refused: why, and what the person can do next. */
export function RefusedStep({ flow, state, step }: RefusedStepProps) {
  const { t } = useTranslation();
  const { refusal, account } = step;
  const isAboutCode = CODE_NAMES.includes(refusal.name);
  const isFinal = FINAL_NAMES.includes(refusal.name);
  return (
    <section className={styles.step} aria-labelledby="refused">
      <h2 id="refused" tabIndex={-1}>
        {t(`claim.refused.${findTitle(refusal.name)}`)}
      </h2>
      <RefusalNotice refusal={refusal} />
      {account !== null && !isFinal && (
        <AccountBox label={t('claim.refused.address')} address={account.address} />
      )}
      <div className={styles.actions}>
        {isFinal && state.token !== null && (
          <ButtonLink variant="primary" href={`/community/${encodeURIComponent(state.token.communityId)}`}>
            {t('claim.refused.otherBadges')}
          </ButtonLink>
        )}
        {refusal.name === 'Failed' && (
          <Button variant="primary" onClick={() => location.reload()}>
            {t('errors.retry')}
          </Button>
        )}
        {account !== null && !isFinal && (
          <Button variant="primary" onClick={() => flow.send({ type: 'accountChangeAsked' })}>
            {t('claim.review.otherAccount')}
          </Button>
        )}
        {isAboutCode && <Button onClick={dropCode}>{t('claim.refused.withoutCode')}</Button>}
        {refusal.name === 'ClaimCodeUsed' && (
          <ButtonLink href="/">{t('claim.refused.findBadges')}</ButtonLink>
        )}
      </div>
      {(isAboutCode || (refusal.name === 'AddressNotAllowlisted' && state.code.status === 'none')) && (
        <CodeForm />
      )}
    </section>
  );
}

function findTitle(name: RefusalName) {
  if (name === 'ClaimCodeUsed') return 'usedTitle';
  if (name === 'AddressNotAllowlisted') return 'notListedTitle';
  return CODE_NAMES.includes(name) ? 'codeTitle' : 'title';
}
