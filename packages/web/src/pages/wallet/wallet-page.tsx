import type { WalletToken } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'wouter';
import { badge } from '../../api.ts';
import { Address, shortenAddress } from '../../design/address.tsx';
import { AddressMark } from '../../design/address-mark.tsx';
import { BadgeCard, BadgeGrid } from '../../design/badge-card.tsx';
import { BadgeGridPlaceholder } from '../../design/badge-grid-placeholder.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { Notice } from '../../design/notice.tsx';
import { ShareButton } from '../../design/share-button.tsx';
import { useFormats } from '../../formats.ts';
import { usePageTitle } from '../../page-title.ts';
import { type PagedList, PagedSection, usePagedList } from '../../paged-list.tsx';
import { useCommunityName } from '../../token/communities.ts';
import { isAddress } from '../../urls.ts';
import { readTypedAddress, toChecksumAddress } from '../../wallet/address.ts';
import { NotFoundPage } from '../not-found.tsx';
import { CommunityFilter } from './community-filter.tsx';
import styles from './wallet-page.module.css';

const CLAIMED_COUNT = 24;
const UNCLAIMED_COUNT = 8;

export default function WalletPage() {
  const { t } = useTranslation();
  const { address = '' } = useParams();
  if (!isAddress(address)) {
    return (
      <NotFoundPage title={t('wallet.badAddress')}>
        <p>{t('landing.search.invalid')}</p>
      </NotFoundPage>
    );
  }
  const checksumAddress = toChecksumAddress(address);
  const isMistyped = 'problem' in readTypedAddress(address);
  // A page per wallet, so that nothing of another wallet is shown.
  return <Wallet key={checksumAddress} address={checksumAddress} isMistyped={isMistyped} />;
}

interface WalletProps {
  /** With its checksum. */
  address: string;
  /** Whether the checksum in the path of the page is wrong. */
  isMistyped: boolean;
}

function Wallet({ address, isMistyped }: WalletProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const communityId = search.get('community') ?? '';
  const claimed = useWalletTokens(address, communityId, 'claimed', CLAIMED_COUNT);
  const unclaimed = useWalletTokens(address, communityId, 'unclaimed', UNCLAIMED_COUNT);
  const title = t('wallet.title', { address: shortenAddress(address) });
  usePageTitle(title);

  function filter(chosenId: string): void {
    setSearch(chosenId === '' ? {} : { community: chosenId });
  }

  // One error for both lists, if both failed.
  const hasUnclaimedError = unclaimed.status === 'failed' && claimed.status !== 'failed';
  const isUnclaimedShown = hasUnclaimedError || unclaimed.items.length > 0 || unclaimed.page > 1;
  function reload(): void {
    claimed.reload();
    unclaimed.reload();
  }
  const hasNothing = unclaimed.status === 'read' && !isUnclaimedShown;
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <AddressMark address={address} isLarge />
        {/* A word joiner, so that no line ends in the middle of the address. */}
        <h1>{title.replace('…', '\u2060…\u2060')}</h1>
        <div className={styles.address}>
          <Address value={address} isFull hasCopyButton />
        </div>
        <div className={styles.actions}>
          <ShareButton path={`/wallet/${address}`} title={title} />
        </div>
      </header>
      {isMistyped && (
        <Notice tone="warning" title={t('wallet.mistyped.title')}>
          {t('wallet.mistyped.text')}
        </Notice>
      )}
      <CommunityFilter address={address} communityId={communityId} onChange={filter} />
      {isUnclaimedShown && (
        <PagedSection
          title={t('wallet.unclaimed.title')}
          lead={t('wallet.unclaimed.text')}
          list={unclaimed}
          empty={null}
        >
          {(tokens) => <WalletBadges address={address} tokens={tokens} />}
        </PagedSection>
      )}
      <PagedSection
        title={t('wallet.claimed')}
        list={{ ...claimed, reload }}
        placeholder={<BadgeGridPlaceholder count={8} />}
        empty={
          communityId === '' ? (
            <EmptyState
              title={t(hasNothing ? 'wallet.none.title' : 'wallet.noneClaimed')}
              actions={hasNothing && <ButtonLink href="/">{t('wallet.none.latest')}</ButtonLink>}
            >
              {hasNothing && <p>{t('wallet.none.text')}</p>}
            </EmptyState>
          ) : (
            <EmptyState
              title={t('wallet.noneOfCommunity')}
              actions={<Button onClick={() => filter('')}>{t('wallet.allCommunities')}</Button>}
            />
          )
        }
      >
        {(tokens) => <WalletBadges address={address} tokens={tokens} />}
      </PagedSection>
    </div>
  );
}

function useWalletTokens(
  address: string,
  communityId: string,
  claimStatus: 'claimed' | 'unclaimed',
  pageSize: number,
): PagedList<WalletToken> {
  const communityFilter = communityId === '' ? {} : { communityId };
  return usePagedList({
    name: `wallet/${address}/${claimStatus}/${communityId}`,
    pageSize,
    parameter: claimStatus === 'claimed' ? 'page' : 'unclaimed',
    list: (part, signal) =>
      badge.listWalletTokens({ address, claimStatus, ...communityFilter, ...part }, { signal }),
  });
}

function WalletBadges({ address, tokens }: { address: string; tokens: readonly WalletToken[] }) {
  return (
    <BadgeGrid>
      {tokens.map((token) => (
        <WalletBadge key={token.badgeTokenId} address={address} token={token} />
      ))}
    </BadgeGrid>
  );
}

function WalletBadge({ address, token }: { address: string; token: WalletToken }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  const community = useCommunityName(token.communityId);
  const isClaimed = token.claimStatus === 'claimed';
  return (
    <BadgeCard
      href={isClaimed ? `/token/${token.badgeTokenId}?owner=${address}` : `/claim/${token.badgeTokenId}`}
      headline={token.headline}
      pictureUrl={token.assetUrl}
      detail={
        <>
          <bdi>{community}</bdi>
          {isClaimed && <time dateTime={token.createdAt}>{date(token.createdAt)}</time>}
        </>
      }
      {...(isClaimed ? {} : { callToAction: t('wallet.claim') })}
    />
  );
}
