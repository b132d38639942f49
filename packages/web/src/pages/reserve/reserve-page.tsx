import { BadgeApiError, type Token } from '@badge/sdk';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { badge } from '../../api.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { CheckIcon } from '../../design/icons.tsx';
import { Notice } from '../../design/notice.tsx';
import { usePageTitle } from '../../page-title.ts';
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

/** `/reserve/:tokenId`, with the code of the mail in the fragment. A button confirms that a place is kept. */
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

/** Waits for a claim. Throws its error, unless the person has the badge already. */
async function waitForClaim(operationId: string, signal: AbortSignal): Promise<void> {
  try {
    await badge.waitForOperation({ operationId, signal });
  } catch (error) {
    const hasBadge = error instanceof BadgeApiError && error.name === 'ClaimingAddressAlreadyHasToken';
    if (!hasBadge) throw error;
  }
}

function Confirmation({ token, code }: { token: Token; code: string }) {
  const { t } = useTranslation('reserve');
  const { t: shared } = useTranslation();
  const [, navigate] = useLocation();
  // A reloaded page still says that the place is kept.
  const [isKept, setIsKept] = useState(() => readIsKept());
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<ConnectionProblem | null>(null);
  const [refusal, setRefusal] = useState<{ name: Refusal; requestId: string | null } | null>(null);
  const controllerRef = useRef<AbortController>(undefined);
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => () => controllerRef.current?.abort(), []);

  // Confirming twice changes nothing, so a request without a response is sent again. If the badge is claimed
  // at once, the page of the badge follows; otherwise a mail does.
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
      if (operationId !== null && address !== null) {
        await keepTrying(() => waitForClaim(operationId, signal), trying);
        navigate(`/token/${token.tokenId}?owner=${address}`, { replace: true });
        return;
      }
      history.replaceState({ isPlaceKept: true }, '');
      setIsKept(true);
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

  const heading = (text: string): ReactNode => (
    <h2 ref={headingRef} tabIndex={-1}>
      {text}
    </h2>
  );
  if (isKept) return <Kept heading={heading(t('kept.title'))} />;
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
      {heading(t('ask.title'))}
      <p className={styles.muted}>{t('ask.text')}</p>
      {problem !== null && (
        <Notice tone="warning" isLive title={shared(`claim.problems.${problem}.title`)}>
          {shared(`claim.problems.${problem}.text`)}
        </Notice>
      )}
      <Button variant="primary" size="large" isWide isBusy={isBusy} onClick={() => void confirm()}>
        {t('ask.submit')}
      </Button>
      <p className={styles.muted}>{t('ask.ignore')}</p>
    </section>
  );
}

/** The place is kept: what comes next. */
function Kept({ heading }: { heading: ReactNode }) {
  const { t } = useTranslation('reserve');
  return (
    <section className={styles.step}>
      <div className={styles.doneHeader}>
        <span className={styles.doneMark}>
          <CheckIcon />
        </span>
        {heading}
      </div>
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

function readIsKept(): boolean {
  return (history.state as { isPlaceKept?: boolean } | null)?.isPlaceKept === true;
}

function listenToHash(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
