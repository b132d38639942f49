import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { badge } from '../../api.ts';
import { BadgeCard, BadgeGrid } from '../../design/badge-card.tsx';
import { BadgeGridPlaceholder } from '../../design/badge-grid-placeholder.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { useFormats } from '../../formats.ts';
import { usePageTitle } from '../../page-title.ts';
import { PagedSection, usePagedList } from '../../paged-list.tsx';
import { useCommunityName } from '../../token/communities.ts';

const PAGE_SIZE = 24;

/** All badges that are not hidden, the newest first. */
export default function BadgesPage() {
  const { t } = useTranslation();
  usePageTitle(t('badges.title'));
  const tokens = usePagedList({
    name: 'badges',
    pageSize: PAGE_SIZE,
    parameter: 'page',
    list: (part, signal) => badge.listTokens({ order: 'desc', ...part }, { signal }),
  });
  return (
    <PagedSection
      isPage
      title={t('badges.title')}
      lead={t('badges.text')}
      list={tokens}
      placeholder={<BadgeGridPlaceholder count={8} />}
      empty={
        <EmptyState title={t('landing.none.title')}>
          <p>{t('landing.none.text')}</p>
        </EmptyState>
      }
    >
      {(items) => (
        <BadgeGrid>
          {items.map((token) => (
            <ListedBadge key={token.tokenId} token={token} />
          ))}
        </BadgeGrid>
      )}
    </PagedSection>
  );
}

function ListedBadge({ token }: { token: Token }) {
  const { date } = useFormats();
  const { tokenId, headline, imageUrl, nftTypeId, communityId, createdAtTimestamp } = token;
  const community = useCommunityName(communityId);
  return (
    <BadgeCard
      href={`/token/${tokenId}`}
      headline={headline}
      pictureUrl={imageUrl}
      design={nftTypeId}
      detail={
        <>
          <bdi>{community}</bdi>
          <span>{date(createdAtTimestamp)}</span>
        </>
      }
    />
  );
}
