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
import { PagedSection, usePagedList } from '../../paged-list.tsx';
import { useCommunity } from '../../token/communities.ts';
import { CommunityLogo } from '../../token/community-logo.tsx';
import { NotFoundPage } from '../not-found.tsx';
import styles from './community-page.module.css';

const PAGE_SIZE = 24;

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
  return (
    <div className="page-parts">
      <header className={styles.header}>
        <CommunityLogo communityId={communityId} name={name} logoUrl={logoUrl} isLarge />
        <div className={styles.title}>
          <h1>
            <bdi>{name}</bdi>
          </h1>
          {displayId !== name && (
            <p className={styles.displayId}>
              <bdi>{displayId}</bdi>
            </p>
          )}
        </div>
        <ShareButton path={`/community/${encodeURIComponent(communityId)}`} title={name} />
        {description !== '' && (
          <p className={styles.description}>
            <bdi>{description}</bdi>
          </p>
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
