import type { CommunityToken } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'wouter';
import { BadgePicture } from '../../design/badge-picture.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { useFormats } from '../../formats.ts';
import { usePageTitle } from '../../page-title.ts';
import { PagedSection, usePagedList } from '../../paged-list.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { useSession } from '../session/session.ts';
import styles from './badges-page.module.css';
import { HaveCount } from './have-count.tsx';

const PAGE_SIZE = 20;

/** The badges of the community, the newest first, or those that are hidden. */
export default function BadgesPage() {
  const { t } = useTranslation('console');
  const { badge, communityId, may } = useSession();
  const [search, setSearch] = useSearchParams();
  const isHidden = search.has('hidden');
  usePageTitle(t('badges.title'));
  const tokens = usePagedList({
    name: `${communityId}/tokens/${isHidden}`,
    pageSize: PAGE_SIZE,
    parameter: 'page',
    list: (part, signal) =>
      badge.listCommunityTokens({ communityId, order: 'desc', isHidden, ...part }, { signal }),
  });
  return (
    <PagedSection
      isPage
      title={t('badges.title')}
      lead={
        <span className={styles.filters}>
          {[false, true].map((value) => (
            <Button
              key={String(value)}
              size="small"
              variant={value === isHidden ? 'secondary' : 'quiet'}
              aria-pressed={value === isHidden}
              onClick={() => setSearch(value ? { hidden: '' } : {})}
            >
              {t(value ? 'badges.hidden' : 'badges.visible')}
            </Button>
          ))}
        </span>
      }
      list={tokens}
      empty={
        <EmptyState
          title={t(isHidden ? 'badges.noneHidden' : 'badges.none.title')}
          actions={
            !isHidden &&
            may('editor') && (
              <>
                <ButtonLink variant="primary" size="large" href="/make">
                  {t('frame.make')}
                </ButtonLink>
                {may('owner') && (
                  <ButtonLink size="large" href="/settings/transfers">
                    {t('badges.none.bring')}
                  </ButtonLink>
                )}
              </>
            )
          }
        >
          {!isHidden && <p>{t('badges.none.text')}</p>}
        </EmptyState>
      }
    >
      {(items) => (
        <ul className={`plain-list ${styles.list}`}>
          {items.map((token) => (
            <BadgeRow key={token.tokenId} token={token} />
          ))}
        </ul>
      )}
    </PagedSection>
  );
}

function BadgeRow({ token }: { token: CommunityToken }) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { date } = useFormats();
  const { tokenId, headline, assetUrl, createdAtTimestamp } = token;
  // The list of a community does not say how many badges are claimed.
  const counts = useLoaded(`token/${tokenId}`, (signal) => badge.getToken({ tokenId }, { signal }));
  const correctedId = counts.status === 'loaded' ? counts.value.replacedByTokenId : null;
  return (
    <li className={styles.row}>
      <Link href={`/badges/${tokenId}`} className={styles.badge}>
        <BadgePicture url={assetUrl} alt="" className={styles.picture} />
        <span className={styles.text}>
          <bdi className={styles.headline}>{headline}</bdi>
          <time className={styles.date} dateTime={createdAtTimestamp}>
            {date(createdAtTimestamp)}
          </time>
        </span>
      </Link>
      <div className={styles.count}>
        {counts.status === 'loaded' && <HaveCount token={counts.value} isShort />}
      </div>
      {correctedId !== null && (
        <ButtonLink href={`/badges/${correctedId}`}>{t('badge.toReplacement')}</ButtonLink>
      )}
      {counts.status === 'loaded' && correctedId === null && may('issuer') && (
        <ButtonLink href={`/badges/${tokenId}/give`} aria-label={`${t('badges.give')}: ${headline}`}>
          {t('badges.give')}
        </ButtonLink>
      )}
    </li>
  );
}
