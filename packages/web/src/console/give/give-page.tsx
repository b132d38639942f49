import { BadgeApiError, type Environment, type Token } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import { EmptyState } from '../../design/empty-state.tsx';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { readAvailability } from '../../token/availability.ts';
import { isLocalHost, parseTokenId } from '../../urls.ts';
import { useLoaded } from '../../use-loaded.ts';
import { ConsoleNotFound } from '../console-not-found.tsx';
import { Corrected } from '../corrected.tsx';
import { followReplacement } from '../move-kept.ts';
import { useSession } from '../session/session.ts';
import { CreatorNotice } from '../signer/creator-notice.tsx';
import { type CreatorKey, findCreatorKey } from '../signer/creator-signer.ts';
import { toClaimUrl } from './claim-url.ts';
import styles from './give-page.module.css';
import { openJobStore, type StoredJob } from './job-store.ts';
import { JobView } from './job-view.tsx';
import { ListPart } from './list-part.tsx';
import type { PersonLine } from './person-line.ts';
import { RoomPart } from './room-part.tsx';

interface Loaded {
  token: Token;
  publicUrl: string;
  /** Who signs for the list; null for an open badge, which has none. */
  creatorKey: CreatorKey | null;
  /** What the service does with mails. */
  mail: Environment['mail'];
  /** The badge that has replaced this one; null if there is none. */
  correctedId: number | null;
}

/** Gives a badge to people on a list, or to everybody in a room. */
export default function GivePage() {
  const { t } = useTranslation('console');
  const { badge, communityId, communities, openCommunity, may } = useSession();
  const { tokenId: idInPath = '' } = useParams();
  const tokenId = parseTokenId(idInPath);
  const loaded = useLoaded(`give/${tokenId}`, async (signal): Promise<Loaded | null> => {
    if (tokenId === null) return null;
    const [token, { external_url: publicUrl }, { mail }] = await Promise.all([
      badge.getToken({ tokenId }, { signal }),
      badge.getTokenMetadata({ tokenId }, { signal }),
      badge.getEnvironment({ signal }),
    ]);
    const { isAllowlistRequired } = token.claimabilityAttributes;
    const isMember = communities.some((one) => one.communityId === token.communityId);
    const creatorKey = isAllowlistRequired && isMember ? await findCreatorKey(badge, token, signal) : null;
    const corrected = await followReplacement(badge, token, signal);
    return { token, publicUrl, creatorKey, mail, correctedId: corrected?.tokenId ?? null };
  });

  // A link to a badge of another community of this person opens that community.
  const owner = loaded.status === 'loaded' ? loaded.value?.token.communityId : undefined;
  const isOther = owner !== undefined && owner !== communityId;
  const mayOpen = communities.some((one) => one.communityId === owner);
  useEffect(() => {
    if (isOther && mayOpen) openCommunity(owner);
  }, [isOther, mayOpen, owner, openCommunity]);

  if (loaded.status === 'loading' || (isOther && mayOpen)) return <LoadingBlock />;
  if (loaded.status === 'failed') {
    const isMissing = loaded.error instanceof BadgeApiError && loaded.error.status === 404;
    return isMissing ? (
      <ConsoleNotFound />
    ) : (
      <LoadError isPage error={loaded.error} onRetry={loaded.reload} />
    );
  }
  if (loaded.value === null || !mayOpen) return <ConsoleNotFound />;
  if (!may('issuer')) {
    return (
      <EmptyState isPage title={t('give.notAllowed.title')}>
        <p>{t('give.notAllowed.text')}</p>
      </EmptyState>
    );
  }
  const { correctedId } = loaded.value;
  if (correctedId !== null) return <Corrected to={`/badges/${correctedId}/give`} />;
  return <GiveParts {...loaded.value} />;
}

function GiveParts({ token, publicUrl, creatorKey, mail }: Loaded) {
  const { t } = useTranslation('console');
  const { tokenId, headline, createdAtTimestamp } = token;
  usePageTitle(t('give.title', { headline }));
  /** The job that this page shows. Undefined until the stored one is read. */
  const [shown, setShown] = useState<{ stored: StoredJob; isNew: boolean } | null>();
  const [firstLines, setFirstLines] = useState<PersonLine[]>([]);
  const opened = useLoaded(`give/${tokenId}/store`, async () => {
    const store = await openJobStore();
    const stored = await store.find(tokenId);
    const isOld = stored !== null && stored.job.tokenCreatedAtTimestamp !== createdAtTimestamp;
    if (isOld) await store.remove(stored.job);
    return { store, stored: isOld ? null : stored };
  });
  if (opened.status === 'loading') return <LoadingBlock />;

  const job =
    opened.status === 'loaded' && shown === undefined && opened.value.stored !== null
      ? { stored: opened.value.stored, isNew: false }
      : (shown ?? null);
  const availability = readAvailability(token, Date.now());
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <p>
          <Link href={`/badges/${tokenId}`}>
            <bdi>{headline}</bdi>
          </Link>
        </p>
        <h1>{t('give.heading')}</h1>
        <p className={styles.muted}>{t(creatorKey === null ? 'give.leadOpen' : 'give.lead')}</p>
      </header>
      {isLocalHost(new URL(publicUrl).hostname) && (
        <Notice tone="warning">{t('give.onlyHere', { address: new URL(publicUrl).host })}</Notice>
      )}
      {creatorKey === 'wallet' && <CreatorNotice creator={token.createdByAddress} />}
      {availability === 'expired' && <Notice tone="warning">{t('give.expired')}</Notice>}
      {availability === 'exhausted' && <Notice tone="warning">{t('give.exhausted')}</Notice>}
      {opened.status === 'failed' && <Notice tone="error">{t('give.noStore')}</Notice>}
      {opened.status === 'loaded' && job !== null && (
        <JobView
          key={job.stored.job.jobId}
          token={token}
          publicUrl={publicUrl}
          store={opened.value.store}
          stored={job.stored}
          isNew={job.isNew}
          onEnd={(lines) => {
            void opened.value.store.remove(job.stored.job);
            setFirstLines(lines);
            setShown(null);
          }}
        />
      )}
      {opened.status === 'loaded' && job === null && (
        <ListPart
          token={token}
          creatorKey={creatorKey}
          mail={mail}
          claimUrl={toClaimUrl(publicUrl)}
          store={opened.value.store}
          firstLines={firstLines}
          onJob={(stored, isNew) => setShown({ stored, isNew })}
        />
      )}
      <RoomPart token={token} claimUrl={toClaimUrl(publicUrl)} creatorKey={creatorKey} />
    </div>
  );
}
