import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../design/notice.tsx';
import { useCommunity } from '../../token/communities.ts';
import styles from './claim-panel.module.css';
import { type ClaimState, mayCodeReplaceSignature } from './claim-state.ts';
import { WrongLength } from './code-form.tsx';
import { nameOfText } from './code-in-url.ts';
import { CommunityContact } from './community-contact.tsx';
import type { Refusal, RefusalName } from './refusal.ts';

/**
 * The notice about these refusals does not look like an error, because nothing went wrong. For example, the
 * person has declined, already has the badge, or comes too late.
 */
const INFO_NAMES: RefusalName[] = [
  'Declined',
  'SignedOut',
  'AlreadyAsking',
  'ClaimingAddressAlreadyHasToken',
  'Revoked',
  'Moved',
  'Burnt',
  'ClaimCodeUsed',
  'ClaimCodePaused',
  'ClaimCodeNotStarted',
  'TokenNotYetClaimable',
  'NoTokensLeft',
  'TokenClaimExpired',
];

/**
 * The texts about these refusals advise the person to ask the community, so the notice also says how to reach
 * it.
 */
const NAMES_WITH_CONTACT: RefusalName[] = [
  'AddressNotAllowlisted',
  'EmailNotListed',
  'NoTokensLeft',
  'TokenClaimExpired',
  'Revoked',
  'Moved',
  'Burnt',
  'ClaimCodeUsed',
  'ClaimCodeInvalid',
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
  const isCodeAnAlternative =
    (name === 'ContractWallet' || name === 'Unsupported') && mayCodeReplaceSignature(state);
  return (
    <Notice
      tone={INFO_NAMES.includes(name) ? 'info' : 'error'}
      isLive
      title={hasTitle ? t(`claim.refusals.${nameOfText(name)}.title`) : undefined}
    >
      <div className={styles.stack}>
        <p>
          {name === 'Incomplete' && <WrongLength text={location.hash} />}{' '}
          <RefusalText name={nameOfText(name)} token={state.token} />
        </p>
        {name === 'AddressNotAllowlisted' && <p>{t('claim.refusals.AddressNotAllowlisted.mail')}</p>}
        {isCodeAnAlternative && <p>{t('claim.refused.codeIsEnough')}</p>}
        {(isCodeAnAlternative || NAMES_WITH_CONTACT.includes(name)) && (
          <CommunityContact token={state.token} />
        )}
        {requestId !== null && <p>{t('claim.requestId', { id: requestId })}</p>}
      </div>
    </Notice>
  );
}

interface RefusalTextProps {
  name: ReturnType<typeof nameOfText>;
  token: Token | null;
}

/**
 * The text about a refusal. Some texts advise the person to ask the organizers, and name the community if it
 * is known.
 */
function RefusalText({ name, token }: RefusalTextProps) {
  const { t } = useTranslation();
  if (token !== null) return <RefusalTextOfToken name={name} token={token} />;
  return t(`claim.refusals.${name}.text`, { who: t('claim.refused.organizers') });
}

function RefusalTextOfToken({ name, token }: { name: RefusalTextProps['name']; token: Token }) {
  const { t } = useTranslation();
  const community = useCommunity(token.communityId);
  const who =
    community.status === 'loaded'
      ? t('claim.refused.organizersOf', { community: community.value.name })
      : t('claim.refused.organizers');
  return t(`claim.refusals.${name}.text`, { who });
}
