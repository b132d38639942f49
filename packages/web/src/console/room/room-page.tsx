import type { ClaimLink, Token } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useParams } from 'wouter';
import { BadgePicture } from '../../design/badge-picture.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { QrCode } from '../../design/qr-code.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { isLocalHost, parseTokenId } from '../../urls.ts';
import { useLoaded } from '../../use-loaded.ts';
import { ConsoleNotFound } from '../console-not-found.tsx';
import { toClaimUrl } from '../give/claim-url.ts';
import { followReplacement } from '../move-kept.ts';
import { useSession } from '../session/session.ts';
import { findCreatorKey } from '../signer/creator-signer.ts';
import { SignButtons } from '../signer/sign-buttons.tsx';
import { type FoundLink, findRoomLink } from './find-room-link.ts';
import { findKeptRoom, findRoomCode, keepRoom } from './room-code.ts';
import styles from './room-page.module.css';
import { useRoomMaker } from './use-room-maker.ts';

const POLL_MS = 2_000;
/** With one of these, nobody can claim with the link any more. */
const OVER_STATUSES = ['used', 'revoked', 'expired'] as const;
const findOver = ({ status }: ClaimLink) => OVER_STATUSES.find((over) => over === status) ?? null;
const MIN_PEOPLE = 2;
const HOUR_MS = 3_600_000;
/** How long a new link is valid at least, if nobody can use the old one, or if that one does not end. */
const NEW_LINK_MS = 2 * HOUR_MS;

/**
 * A room link on a projector: the QR code as large as the screen, the short code beside it, and how many have
 * claimed. The service shows the code only when it creates the link, so the code is in the fragment, and this
 * tab keeps it.
 */
export default function RoomPage() {
  const { tokenId = '', claimLinkId = '' } = useParams();
  return (
    <LoadedRoom key={`${tokenId}/${claimLinkId}`} tokenId={parseTokenId(tokenId)} {...{ claimLinkId }} />
  );
}

function LoadedRoom({ tokenId, claimLinkId }: { tokenId: number | null; claimLinkId: string }) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const [, navigate] = useLocation();
  const [code] = useState(() => findCode(tokenId, claimLinkId));
  const found = useLoaded(`room/${tokenId}/${claimLinkId}`, async (signal) => {
    if (tokenId === null) return null;
    const token = await badge.getToken({ tokenId }, { signal });
    // The link is that of the corrected badge then, and its code stays the same.
    const replacement = await followReplacement(badge, token, signal);
    if (replacement !== null) return { correctedId: replacement.tokenId };
    const [{ external_url: publicUrl }, room] = await Promise.all([
      badge.getTokenMetadata({ tokenId }, { signal }),
      findRoomLink(badge, tokenId, claimLinkId, signal),
    ]);
    return room === null ? null : { token, url: toClaimUrl(publicUrl), ...room };
  });
  usePageTitle(t('room.title'));
  const correctedId =
    found.status === 'loaded' && found.value !== null && 'correctedId' in found.value
      ? found.value.correctedId
      : null;
  useEffect(() => {
    if (correctedId === null) return;
    navigate(`/badges/${correctedId}/room/${claimLinkId}${location.hash}`, { replace: true });
  }, [correctedId, claimLinkId, navigate]);
  if (found.status === 'loading') return <LoadingBlock />;
  if (found.status === 'failed') return <LoadError isPage error={found.error} onRetry={found.reload} />;
  if (found.value === null) return <ConsoleNotFound />;
  if ('correctedId' in found.value) return <LoadingBlock />;
  return <Projector {...found.value} code={code} onGone={found.reload} />;
}

function findCode(tokenId: number | null, claimLinkId: string): string | null {
  if (tokenId === null) return null;
  const code = findRoomCode(location.hash);
  if (code !== null) {
    keepRoom(tokenId, { claimLinkId, code });
    return code;
  }
  const kept = findKeptRoom(tokenId);
  return kept?.claimLinkId === claimLinkId ? kept.code : null;
}

interface ProjectorProps extends FoundLink {
  token: Token;
  /** The page where people claim. */
  url: string;
  code: string | null;
  /** Called when the badge has this link no more. */
  onGone: () => void;
}

function Projector({ token, url, link, offset, code, onGone }: ProjectorProps) {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const { end } = useFormats();
  const { tokenId, headline, imageUrl, nftTypeId } = token;
  const current = useLiveLink(tokenId, link, offset, onGone);
  const { claimCount, maxClaims, status, expiresAtTimestamp } = current;
  const over = findOver(current);
  // A code that nobody can use is not shown, so that nobody tries it.
  const shownCode = over === null ? code : null;
  return (
    <main className={styles.screen}>
      {shownCode !== null && (
        <QrCode className={styles.qr} text={`${url}#${shownCode}`} label={t('room.qr', { headline })} />
      )}
      {over !== null && (
        <div className={styles.over}>
          <p className={styles.overState} role="status">
            {t(`room.status.${over}`)}
          </p>
          {may('issuer') && <NewLink token={token} link={current} />}
        </div>
      )}
      <div className={styles.words}>
        {/* First, so that they are in view on every screen. */}
        <div className={styles.buttons}>
          {document.fullscreenEnabled && <FullScreenButton />}
          <ButtonLink className={styles.fullScreen} href={`/badges/${tokenId}/give`}>
            {t('room.back')}
          </ButtonLink>
        </div>
        <div className={styles.badge}>
          <BadgePicture url={imageUrl} alt="" design={nftTypeId} isMain className={styles.picture} />
          <h1>
            <bdi>{headline}</bdi>
          </h1>
        </div>
        {shownCode !== null && (
          <>
            <p className={styles.how}>
              {t('room.how')} <bdi dir="ltr">{url.replace(/^https?:\/\//, '')}</bdi> {t('room.enter')}
            </p>
            <p className={styles.code} dir="ltr">
              {shownCode}
            </p>
          </>
        )}
        <p className={styles.count} role="status">
          {t('room.count', { claimed: claimCount, total: maxClaims })}
        </p>
        {status === 'unused' && expiresAtTimestamp !== null && (
          <p className={styles.how}>{t('room.until', { date: end(expiresAtTimestamp) })}</p>
        )}
        {status !== 'unused' && over === null && <p className={styles.state}>{t(`room.status.${status}`)}</p>}
        {isLocalHost(new URL(url).hostname) && (
          <div className={styles.hint}>
            <Notice tone="warning">{t('room.onlyHere')}</Notice>
          </div>
        )}
        {code === null && over === null && (
          <div className={styles.missing}>
            <p>{t('room.noCode')}</p>
            {may('issuer') && <NewLink token={token} link={current} />}
          </div>
        )}
      </div>
    </main>
  );
}

/**
 * Makes another link for those who have not claimed, because the code of this one is not known or is of no
 * use.
 */
function NewLink({ token, link }: { token: Token; link: ClaimLink }) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { end } = useFormats();
  const { tokenId } = token;
  const creator = useLoaded(`room-creator/${tokenId}`, (signal) => findCreatorKey(badge, token, signal));
  const creatorKey = creator.status === 'loaded' ? creator.value : 'wallet';
  const makeRoom = useRoomMaker(token, creatorKey);
  const [, navigate] = useLocation();
  const [openedAt] = useState(() => Date.now());
  const isOver = findOver(link) !== null;
  // If all are claimed, nobody knows how many people still want one: as many as before can.
  const unclaimed = link.maxClaims - link.claimCount;
  const maxClaims = Math.max(MIN_PEOPLE, unclaimed > 0 ? unclaimed : link.maxClaims);
  const left = (link.expiresAtTimestamp ?? 0) - openedAt;
  const lifetimeMs = left > 0 && !isOver ? left : Math.max(left, NEW_LINK_MS);
  return (
    <div className={styles.missing}>
      {creator.status === 'failed' && <LoadError error={creator.error} onRetry={creator.reload} />}
      {creator.status === 'loading' && <LoadingBlock />}
      {creator.status === 'loaded' && (
        <>
          <p>
            {t(isOver ? 'room.newLink' : 'room.newLinkBeside', {
              count: maxClaims,
              date: end(openedAt + lifetimeMs),
            })}
          </p>
          <SignButtons
            creatorKey={creatorKey}
            creator={token.createdByAddress}
            label={t('room.makeNew')}
            isPrimary
            onSubmit={async (wallet) => {
              const made = await makeRoom({ maxClaims, lifetimeMs }, wallet);
              if (made === null) return;
              navigate(`/badges/${tokenId}/room/${made.claimLinkId}#${made.code}`, { replace: true });
            }}
          />
        </>
      )}
    </div>
  );
}

/** Fills the screen. Gone while it does, because a projector shows nothing else. */
function FullScreenButton() {
  const { t } = useTranslation('console');
  return (
    <Button
      className={styles.fullScreen}
      onClick={() => void document.documentElement.requestFullscreen().catch(() => {})}
    >
      {t('room.fullScreen')}
    </Button>
  );
}

function useLiveLink(tokenId: number, link: ClaimLink, offset: number, onGone: () => void): ClaimLink {
  const { badge } = useSession();
  const [current, setCurrent] = useState(link);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function poll(): Promise<void> {
      try {
        const { data } = await badge.listClaimLinks(
          { tokenId, isForRoom: true, limit: 1, offset },
          { signal },
        );
        const [next] = data;
        if (next?.claimLinkId === link.claimLinkId) setCurrent(next);
        else onGone();
      } catch {
        // The last count stays, and the next poll may succeed.
      }
      if (!signal.aborted) timer = setTimeout(() => void poll(), POLL_MS);
    }
    timer = setTimeout(() => void poll(), POLL_MS);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [badge, tokenId, offset, link.claimLinkId, onGone]);
  return current;
}
