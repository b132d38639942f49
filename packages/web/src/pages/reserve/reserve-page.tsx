import { BadgeApiError, type Token } from '@badge/sdk';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { badge } from '../../api.ts';
import { AddressGroups } from '../../design/address-groups.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { CheckIcon } from '../../design/icons.tsx';
import { Notice } from '../../design/notice.tsx';
import { ShareButton } from '../../design/share-button.tsx';
import { usePageTitle } from '../../page-title.ts';
import { hasKeptBadges } from '../../sign-in/kept-badges.ts';
import { CommunityLink } from '../../token/community-link.tsx';
import { TokenMedia } from '../../token/token-media.tsx';
import pageStyles from '../claim/claim-page.module.css';
import styles from '../claim/claim-panel.module.css';
import { CommunityContact } from '../claim/community-contact.tsx';
import { type ConnectionProblem, keepTrying } from '../claim/keep-trying.ts';
import { TokenPage } from '../token-page.tsx';

type Refusal = 'ended' | 'full' | 'over' | 'paused' | 'mail' | 'failed';

const REFUSALS: Readonly<Record<string, Refusal>> = {
  InvalidRequest: 'ended',
  ConfirmationCodeInvalid: 'ended',
  ClaimCodeUsed: 'full',
  NoTokensLeft: 'full',
  ClaimLinkLimitReached: 'full',
  StorageQuotaReached: 'full',
  ClaimCodeInvalid: 'over',
  TokenClaimExpired: 'over',
  ClaimCodePaused: 'paused',
  ClaimCodeNotStarted: 'paused',
  TokenNotYetClaimable: 'paused',
  MailUnavailable: 'mail',
};

/** After one of these, another attempt can succeed. */
const RETRIED: readonly Refusal[] = ['paused', 'mail', 'failed'];

/** The two ways to get a wallet that the mail names too. */
const WALLETS = [
  { name: 'MetaMask', url: 'https://metamask.io/download', key: 'metamask' },
  { name: 'Coinbase Wallet', url: 'https://www.coinbase.com/wallet', key: 'coinbase' },
] as const;

/** What a confirmation has brought: a place, or the badge. A reloaded page still shows it. */
type Outcome = { isClaimed: false } | { isClaimed: true; address: string; isKept: boolean };

/**
 * `/reserve/:tokenId`, with the code of the mail in the fragment. A button confirms that the badge is kept,
 * or a place if it needs a wallet.
 */
export default function ReservePage() {
  return (
    <TokenPage load={(tokenId, signal) => badge.getToken({ tokenId }, { signal })}>
      {(token) => <Reservation token={token} />}
    </TokenPage>
  );
}

function Reservation({ token }: { token: Token }) {
  const hash = useSyncExternalStore(listenToHash, () => location.hash);
  usePageTitle(token.headline);
  return (
    <article className={pageStyles.page}>
      <div className={pageStyles.pictureArea}>
        <TokenMedia token={token} className={pageStyles.picture} />
      </div>
      <header className={pageStyles.headingArea}>
        <CommunityLink communityId={token.communityId} />
        <h1>
          <bdi>{token.headline}</bdi>
        </h1>
      </header>
      <div className={pageStyles.panelArea}>
        <Card className={styles.panel}>
          <Confirmation key={hash} token={token} code={readCode(hash)} />
        </Card>
      </div>
    </article>
  );
}

interface AcceptedClaim {
  tokenId: number;
  operationId: string;
  address: string;
}

/**
 * Waits for a claim, and returns whether the badge is kept with the e-mail: it can also be in the wallet of
 * later badges. Throws the error of the claim, unless the person has the badge already.
 */
async function waitForClaim(claim: AcceptedClaim, signal: AbortSignal): Promise<boolean> {
  const { tokenId, operationId, address } = claim;
  try {
    await badge.waitForOperation({ operationId, signal });
  } catch (error) {
    const hasBadge = error instanceof BadgeApiError && error.name === 'ClaimingAddressAlreadyHasToken';
    if (!hasBadge) throw error;
  }
  const { data } = await badge.listOwners({ tokenId, search: address, limit: 1 }, { signal });
  return data[0]?.isKept !== false;
}

function Confirmation({ token, code }: { token: Token; code: string }) {
  const { t } = useTranslation('reserve');
  const { t: shared } = useTranslation();
  const [outcome, setOutcome] = useState(readOutcome);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<ConnectionProblem | null>(null);
  const [refusal, setRefusal] = useState<{ name: Refusal; requestId: string | null } | null>(null);
  const controllerRef = useRef<AbortController>(undefined);
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => () => controllerRef.current?.abort(), []);

  // Confirming twice changes nothing, so a request without a response is sent again.
  async function confirm(): Promise<void> {
    const controller = new AbortController();
    controllerRef.current = controller;
    const { signal } = controller;
    setIsBusy(true);
    setRefusal(null);
    try {
      const call = () =>
        badge.confirmReservation({ tokenId: token.tokenId, confirmationCode: code }, { signal });
      const isOnline = () => navigator.onLine;
      const trying = { signal, onProblem: setProblem, wakeUps: window, isOnline };
      const { operationId, address } = await keepTrying(call, trying);
      let brought: Outcome = { isClaimed: false };
      if (operationId !== null && address !== null) {
        const claim = { tokenId: token.tokenId, operationId, address };
        const isKept = await keepTrying(() => waitForClaim(claim, signal), trying);
        brought = { isClaimed: true, address, isKept };
      }
      history.replaceState({ reservation: brought }, '');
      setOutcome(brought);
    } catch (error) {
      if (signal.aborted) return;
      const isOfService = error instanceof BadgeApiError;
      const name = (isOfService && REFUSALS[error.name]) || 'failed';
      setRefusal({ name, requestId: isOfService && name === 'failed' ? error.requestId : null });
    } finally {
      setIsBusy(false);
    }
    headingRef.current?.focus();
  }

  // Whether the code of the link needs a wallet is not known here, so the text says what happens then.
  const isWalletNeeded = !hasKeptBadges() || token.claimabilityAttributes.isSignatureRequired;
  const way = isWalletNeeded ? 'askPlace' : 'askBadge';
  const heading = (text: string): ReactNode => (
    <h2 ref={headingRef} tabIndex={-1}>
      {text}
    </h2>
  );
  if (outcome?.isClaimed === true)
    return <Claimed token={token} outcome={outcome} heading={heading(t('claimed.title'))} />;
  if (outcome !== null) return <Kept heading={heading(t('kept.title'))} />;
  if (code === '') {
    return (
      <section className={styles.step}>
        {heading(t('incomplete.title'))}
        <p>{t('incomplete.text')}</p>
      </section>
    );
  }
  if (refusal !== null) {
    return (
      <section className={styles.step}>
        {heading(t(`refusals.${refusal.name}.title`))}
        <Notice tone={refusal.name === 'failed' ? 'error' : 'info'} isLive>
          <div className={styles.stack}>
            <p>{t(`refusals.${refusal.name}.text`)}</p>
            {(refusal.name === 'full' || refusal.name === 'over') && <CommunityContact token={token} />}
            {refusal.requestId !== null && <p>{shared('claim.requestId', { id: refusal.requestId })}</p>}
          </div>
        </Notice>
        {RETRIED.includes(refusal.name) && (
          <Button variant="primary" isWide isBusy={isBusy} onClick={() => void confirm()}>
            {shared('errors.retry')}
          </Button>
        )}
      </section>
    );
  }
  return (
    <section className={styles.step}>
      {heading(t(`${way}.title`))}
      <p>{t(`${way}.text`)}</p>
      <p className={styles.muted}>{t('ask.seen')}</p>
      {problem !== null && (
        <Notice tone="warning" isLive title={shared(`claim.problems.${problem}.title`)}>
          {shared(`claim.problems.${problem}.text`)}
        </Notice>
      )}
      <Button variant="primary" size="large" isWide isBusy={isBusy} onClick={() => void confirm()}>
        {t(`${way}.submit`)}
      </Button>
      <p className={styles.muted}>{t('ask.ignore')}</p>
    </section>
  );
}

function DoneHeader({ heading }: { heading: ReactNode }) {
  return (
    <div className={styles.doneHeader}>
      <span className={styles.doneMark}>
        <CheckIcon />
      </span>
      {heading}
    </div>
  );
}

/** The badge is claimed: where it is, and where to find it again. */
function Claimed({
  token,
  outcome: { address, isKept },
  heading,
}: {
  token: Token;
  outcome: Extract<Outcome, { isClaimed: true }>;
  heading: ReactNode;
}) {
  const { t } = useTranslation('reserve');
  const { t: shared } = useTranslation();
  const path = `/token/${token.tokenId}?owner=${address}`;
  return (
    <section className={styles.step}>
      <DoneHeader heading={heading} />
      <p>{t(isKept ? 'claimed.text' : 'claimed.wallet')}</p>
      {!isKept && <AddressGroups address={address} />}
      <div className={styles.doneActions}>
        <ButtonLink variant="primary" href={isKept ? '/my-badges' : `/wallet/${address}`}>
          {shared('claim.done.myBadges')}
        </ButtonLink>
        <ShareButton path={path} title={token.headline} />
      </div>
      <p>
        <Link href={path}>{shared('claim.done.show')}</Link>
      </p>
    </section>
  );
}

/** The place is kept: what comes next. */
function Kept({ heading }: { heading: ReactNode }) {
  const { t } = useTranslation('reserve');
  return (
    <section className={styles.step}>
      <DoneHeader heading={heading} />
      <p>{t('kept.text')}</p>
      <div className={`${styles.part} ${styles.stack}`}>
        <h3>{t('kept.wallet')}</h3>
        <p className={styles.muted}>{t('kept.what')}</p>
        <ul className={styles.wallets}>
          {WALLETS.map(({ name, url, key }) => (
            <li key={key}>
              <a href={url} target="_blank" rel="noopener noreferrer">
                {name}
              </a>
              : {t(`kept.${key}`)}
            </li>
          ))}
        </ul>
        <p className={styles.muted}>{t('kept.phrase')}</p>
      </div>
      <div className={`${styles.part} ${styles.stack}`}>
        <h3>{t('kept.lost')}</h3>
        <p className={styles.muted}>{t('kept.lostText')}</p>
      </div>
    </section>
  );
}

/** The code in the fragment. Only the service knows whether it is right. */
function readCode(hash: string): string {
  const text = hash.replace(/^#/, '');
  return /^[\w-]{8,64}$/.test(text) ? text : '';
}

function readOutcome(): Outcome | null {
  return (history.state as { reservation?: Outcome } | null)?.reservation ?? null;
}

function listenToHash(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
