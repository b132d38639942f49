import type { ClaimLink, Token } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import { Button } from '../../design/button.tsx';
import { QrCode } from '../../design/qr-code.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { parseTokenId } from '../../urls.ts';
import { useLoaded } from '../../use-loaded.ts';
import { ConsoleNotFound } from '../console-not-found.tsx';
import { useSession } from '../session/session.ts';
import { findRoomCode } from './room-code.ts';
import styles from './room-page.module.css';

const POLL_MS = 2_000;
const PAGE_SIZE = 1_000;
/** A token has at most this many pages of links that were not used, and few that were. */
const MAX_PAGES = 200;

/**
 * A room link on a projector: the QR code as large as the screen, the short code beside it, and how many have claimed. The
 * service shows the code only when it creates the link, so the code is in the fragment.
 */
export default function RoomPage() {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { tokenId: idInPath = '', claimLinkId = '' } = useParams();
  const tokenId = parseTokenId(idInPath);
  const [code] = useState(() => findRoomCode(location.hash));
  const found = useLoaded(`room/${tokenId}/${claimLinkId}`, async (signal) => {
    if (tokenId === null) return null;
    const token = await badge.getToken({ tokenId }, { signal });
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const offset = page * PAGE_SIZE;
      const { data } = await badge.listClaimLinks({ tokenId, limit: PAGE_SIZE, offset }, { signal });
      const index = data.findIndex((link) => link.claimLinkId === claimLinkId);
      const link = data[index];
      if (link !== undefined) return { token, link, offset: offset + index };
      if (data.length < PAGE_SIZE) break;
    }
    return null;
  });
  usePageTitle(t('room.title'));
  if (found.status === 'loading') return <LoadingBlock />;
  if (found.status === 'failed') return <LoadError isPage error={found.error} onRetry={found.reload} />;
  if (found.value === null) return <ConsoleNotFound />;
  return <Projector {...found.value} code={code} />;
}

interface ProjectorProps {
  token: Token;
  link: ClaimLink;
  /** The place of the link in the list. It does not change, because no link is ever removed. */
  offset: number;
  code: string | null;
}

function Projector({ token: { tokenId, headline }, link, offset, code }: ProjectorProps) {
  const { t } = useTranslation('console');
  const { claimCount, maxClaims, status } = useLiveLink(tokenId, link, offset);
  const url = `${location.origin}/claim/${tokenId}`;
  return (
    <main className={styles.screen}>
      {code === null ? (
        <p className={styles.missing}>{t('room.noCode')}</p>
      ) : (
        <QrCode className={styles.qr} text={`${url}#${code}`} label={t('room.qr', { headline })} />
      )}
      <div className={styles.words}>
        <h1>
          <bdi>{headline}</bdi>
        </h1>
        {code !== null && (
          <>
            <p className={styles.how}>
              {t('room.how')} <bdi dir="ltr">{url.replace(/^https?:\/\//, '')}</bdi>
            </p>
            <p className={styles.code} dir="ltr">
              {code}
            </p>
          </>
        )}
        <p className={styles.count} role="status">
          {t('room.count', { claimed: claimCount, total: maxClaims })}
        </p>
        {status !== 'unused' && <p className={styles.state}>{t(`room.status.${status}`)}</p>}
        {document.fullscreenEnabled && <FullScreenButton />}
      </div>
    </main>
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

function useLiveLink(tokenId: number, link: ClaimLink, offset: number): ClaimLink {
  const { badge } = useSession();
  const [current, setCurrent] = useState(link);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function poll(): Promise<void> {
      try {
        const { data } = await badge.listClaimLinks({ tokenId, limit: 1, offset }, { signal });
        const [next] = data;
        if (next?.claimLinkId === link.claimLinkId) setCurrent(next);
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
  }, [badge, tokenId, offset, link.claimLinkId]);
  return current;
}
