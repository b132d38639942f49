import { type BadgeClient, createBadgeClient, type Token } from '@badge/sdk';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useParams } from 'wouter';
import { FactList } from '../../design/fact-list.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { usePageTitle } from '../../page-title.ts';
import { clientOf, findSession } from '../../sign-in/person-session.ts';
import { ClaimCount } from '../../token/claim-count.tsx';
import { CommunityLink } from '../../token/community-link.tsx';
import { useDateFacts } from '../../token/date-facts.ts';
import { TokenLinks } from '../../token/token-links.tsx';
import { TokenMedia } from '../../token/token-media.tsx';
import { parseTokenId } from '../../urls.ts';
import { discoverWallets } from '../../wallet/discover-wallets.ts';
import { MissingBadge } from '../token-page.tsx';
import { findCodeInHash } from './claim-code.ts';
import { createClaimFlow } from './claim-flow.ts';
import styles from './claim-page.module.css';
import { ClaimPanel } from './claim-panel.tsx';
import type { ClaimState } from './claim-state.ts';
import { isCodeTyped } from './code-in-url.ts';
import { SignedOutError } from './refusal.ts';

// The page retries requests itself, so that it can show why it waits. So the client must not retry. The
// timeout is longer than the wait that the page requests when it reads an operation.
const REQUESTS = { maxRetries: 0, timeoutMs: 40_000 };
const client = createBadgeClient({ url: location.origin, ...REQUESTS });
const wallets = discoverWallets(window);

/** `/claim/:tokenId`, with the code of a claim link in the fragment. */
export default function ClaimPage() {
  const { tokenId = '' } = useParams();
  const hash = useSyncExternalStore(listenToHash, () => location.hash);
  const id = parseTokenId(tokenId);
  // The key starts a new claim when the code changes.
  return id === null ? <MissingBadge /> : <ClaimOfToken key={`${id}${hash}`} tokenId={id} hash={hash} />;
}

function ClaimOfToken({ tokenId, hash }: { tokenId: number; hash: string }) {
  const { t } = useTranslation();
  const [flow] = useState(() =>
    createClaimFlow({
      client,
      openPersonClient,
      wallets,
      page: window,
      tokenId,
      codeInUrl: findCodeInHash(hash),
      isCodeTyped: isCodeTyped(),
    }),
  );
  useEffect(() => flow.start(), [flow]);
  const state = useSyncExternalStore(flow.subscribe, flow.getState);
  const { token, step } = state;
  useReplacement(state);
  usePageTitle(token?.headline ?? t('claim.title'));

  if (step.name === 'missing') return <MissingBadge />;
  const isDone = step.name === 'done';
  const isNew = isDone && step.isNew;
  return (
    <article className={joinClasses(styles.page, isDone && styles.claimed)}>
      <div className={joinClasses(styles.pictureArea, isNew && styles.celebrated)}>
        {token === null ? (
          <div className={styles.placeholder} />
        ) : (
          <TokenMedia token={token} className={isDone ? styles.claimedPicture : styles.picture} />
        )}
      </div>
      <header className={styles.headingArea}>
        {token !== null && <CommunityLink communityId={token.communityId} />}
        <h1>{token === null ? t('claim.title') : <bdi>{token.headline}</bdi>}</h1>
        {token !== null && !isDone && !hasEnded(state) && <ClaimCount token={token} />}
      </header>
      <div className={styles.panelArea}>
        <ClaimPanel flow={flow} state={state} wallets={wallets} />
      </div>
      {token !== null && (
        <div className={styles.detailsArea}>
          <Details token={token} />
        </div>
      )}
    </article>
  );
}

function openPersonClient(): BadgeClient {
  const session = findSession();
  if (session === null) throw new SignedOutError();
  return clientOf(session, REQUESTS);
}

/** Continues with the badge that has replaced this one. A code that was made for this one works there. */
function useReplacement({ token, step }: ClaimState): void {
  const [, navigate] = useLocation();
  const replacedBy = token?.replacedByTokenId ?? null;
  useEffect(() => {
    if (replacedBy === null) return;
    const { search, hash } = location;
    navigate(`/claim/${replacedBy}${search}${hash}`, { replace: true, state: history.state });
  }, [replacedBy, navigate]);
  // It was replaced after the page had read it.
  const isTooLate = step.name === 'refused' && step.refusal.name === 'TokenReplaced' && replacedBy === null;
  useEffect(() => {
    if (isTooLate) location.reload();
  }, [isTooLate]);
}

/** Whether claims have ended, so that it does not matter how many badges are left. */
function hasEnded({ timeRefusal, step }: ClaimState): boolean {
  const name = step.name === 'refused' ? step.refusal.name : timeRefusal;
  return name === 'TokenClaimExpired';
}

function Details({ token }: { token: Token }) {
  const { t } = useTranslation();
  const facts = useDateFacts(token);
  const { description, links } = token;
  return (
    <>
      {description !== '' && (
        <p className={styles.description}>
          <bdi>{description}</bdi>
        </p>
      )}
      <TokenLinks links={links} label={t('badge.links')} />
      {facts.length > 0 && <FactList facts={facts} />}
    </>
  );
}

function listenToHash(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
