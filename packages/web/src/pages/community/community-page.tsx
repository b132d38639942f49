import { BadgeApiError, type Community, type CommunityToken } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import { badge } from '../../api.ts';
import { BadgeCard, BadgeGrid } from '../../design/badge-card.tsx';
import { BadgeGridPlaceholder } from '../../design/badge-grid-placeholder.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { ShareButton } from '../../design/share-button.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { type PagedList, PagedSection, usePagedList } from '../../paged-list.tsx';
import { useCommunity } from '../../token/communities.ts';
import { CommunityLogo } from '../../token/community-logo.tsx';
import { TokenLinks } from '../../token/token-links.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { NotFoundPage } from '../not-found.tsx';
import styles from './community-page.module.css';
import { findLinks } from './find-links.ts';

const PAGE_SIZE = 24;
/**
 * Of a community with more badges than this, the page says only that it has more. The API does not count
 * them.
 */
const MAX_COUNT = 100;

export default function CommunityPage() {
  const { t } = useTranslation();
  const { communityId = '' } = useParams();
  const community = useCommunity(communityId);
  if (community.status === 'loading') return <LoadingBlock />;
  if (community.status === 'loaded') return <CommunityDetails community={community.value} />;
  if (community.error instanceof BadgeApiError && community.error.status === 404) {
    return (
      <NotFoundPage title={t('community.missing.title')}>
        <p>{t('community.missing.text')}</p>
      </NotFoundPage>
    );
  }
  return <LoadError isPage error={community.error} onRetry={community.reload} />;
}

function CommunityDetails({ community }: { community: Community }) {
  const { t } = useTranslation();
  const { uniqId: communityId, name, displayId, description, logoUrl } = community;
  const tokens = usePagedList({
    name: `community/${communityId}/tokens`,
    pageSize: PAGE_SIZE,
    parameter: 'page',
    list: (part, signal) => badge.listCommunityTokens({ communityId, order: 'desc', ...part }, { signal }),
  });
  usePageTitle(name);
  const links = findLinks(description);
  return (
    <div className="page-parts">
      <header className={styles.header}>
        <CommunityLogo communityId={communityId} name={name} logoUrl={logoUrl} isLarge />
        <div className={styles.title}>
          <h1>
            <bdi>{name}</bdi>
          </h1>
          {displayId !== name && (
            <p className={styles.muted}>
              <bdi>{displayId}</bdi>
            </p>
          )}
          <BadgeCount tokens={tokens} communityId={communityId} />
        </div>
        <ShareButton path={`/community/${encodeURIComponent(communityId)}`} title={name} />
        {description !== '' && (
          <p className={styles.description}>
            <bdi>{description}</bdi>
          </p>
        )}
        {links.length > 0 && (
          <div className={styles.links}>
            <TokenLinks links={links} label={t('community.links')} />
          </div>
        )}
      </header>
      <PagedSection
        title={t('community.badges')}
        list={tokens}
        placeholder={<BadgeGridPlaceholder count={8} />}
        empty={
          <EmptyState title={t('community.none.title')}>
            <p>{t('community.none.text')}</p>
          </EmptyState>
        }
      >
        {(items) => (
          <BadgeGrid>
            {items.map((token) => (
              <CommunityBadge key={token.tokenId} token={token} />
            ))}
          </BadgeGrid>
        )}
      </PagedSection>
    </div>
  );
}

/**
 * How many badges the community has, without the hidden ones. Takes its place from the beginning, so that
 * nothing moves.
 */
function BadgeCount({ tokens, communityId }: { tokens: PagedList<CommunityToken>; communityId: string }) {
  const { t } = useTranslation();
  // The first page is often the whole list. Then no further request is needed.
  const isWhole = tokens.page === 1 && tokens.status === 'loaded' && !tokens.hasNextPage;
  const isLong = tokens.status === 'loaded' && !isWhole;
  const counted = useLoaded(`community/${communityId}/count/${isLong}`, async (signal) => {
    if (!isLong) return 0;
    const { data } = await badge.listCommunityTokens({ communityId, limit: MAX_COUNT + 1 }, { signal });
    return data.length;
  });
  const loadedCount = counted.status === 'loaded' && isLong ? counted.value : null;
  const count = isWhole ? tokens.items.length : loadedCount;
  // Without badges, the list below says so.
  if (count === null || count === 0) return <p className={styles.muted}>{'\u00a0'}</p>;
  return (
    <p className={styles.muted}>
      {count > MAX_COUNT ? t('community.countMore', { count: MAX_COUNT }) : t('community.count', { count })}
    </p>
  );
}

function CommunityBadge({ token }: { token: CommunityToken }) {
  const { date } = useFormats();
  return (
    <BadgeCard
      href={`/token/${token.tokenId}`}
      headline={token.headline}
      pictureUrl={token.assetUrl}
      detail={<time dateTime={token.createdAtTimestamp}>{date(token.createdAtTimestamp)}</time>}
    />
  );
}
