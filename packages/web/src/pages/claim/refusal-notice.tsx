import { useTranslation } from 'react-i18next';
import { Notice } from '../../design/notice.tsx';
import { type ClaimState, isCodeEnough } from './claim-state.ts';
import type { Refusal, RefusalName } from './refusal.ts';

/** Not an error: the person has decided so, or has what they came for. */
const INFO_NAMES: RefusalName[] = ['Declined', 'AlreadyAsking', 'ClaimingAddressAlreadyHasToken'];

/** Says why something was refused, and what to do next. */
export function RefusalNotice({ refusal, state }: { refusal: Refusal; state: ClaimState }) {
  const { t } = useTranslation();
  const { name, requestId } = refusal;
  return (
    <Notice
      tone={INFO_NAMES.includes(name) ? 'info' : 'error'}
      isLive
      title={t(`claim.refusals.${name}.title`)}
    >
      <p>{t(`claim.refusals.${name}.text`)}</p>
      {name === 'ContractWallet' && isCodeEnough(state) && <p>{t('claim.refused.codeIsEnough')}</p>}
      {requestId !== null && <p>{t('claim.requestId', { id: requestId })}</p>}
    </Notice>
  );
}
