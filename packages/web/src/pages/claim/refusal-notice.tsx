import { useTranslation } from 'react-i18next';
import { Notice } from '../../design/notice.tsx';
import { type ClaimState, isCodeEnough } from './claim-state.ts';
import type { Refusal, RefusalName } from './refusal.ts';

/**
 * The notice about these refusals does not look like an error, because nothing went wrong: the person has declined, has
 * the badge already or comes too late, or the wallet waits for them.
 */
const INFO_NAMES: RefusalName[] = [
  'Declined',
  'AlreadyAsking',
  'ClaimingAddressAlreadyHasToken',
  'ClaimCodeUsed',
  'NoTokensLeft',
  'TokenClaimExpired',
];

interface RefusalNoticeProps {
  refusal: Refusal;
  state: ClaimState;
  /** Whether the notice has a title. It has none if the heading of the step already says what was refused. */
  hasTitle: boolean;
}

/** Says why something was refused, and what to do next. */
export function RefusalNotice({ refusal, state, hasTitle }: RefusalNoticeProps) {
  const { t } = useTranslation();
  const { name, requestId } = refusal;
  return (
    <Notice
      tone={INFO_NAMES.includes(name) ? 'info' : 'error'}
      isLive
      title={hasTitle ? t(`claim.refusals.${name}.title`) : undefined}
    >
      <p>{t(`claim.refusals.${name}.text`)}</p>
      {name === 'ContractWallet' && isCodeEnough(state) && <p>{t('claim.refused.codeIsEnough')}</p>}
      {requestId !== null && <p>{t('claim.requestId', { id: requestId })}</p>}
    </Notice>
  );
}
