import type { PageOptions, WalletToken } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'wouter';
import { badge } from '../../api.ts';
import { shortenAddress } from '../../design/address.tsx';
import { AddressGroups } from '../../design/address-groups.tsx';
import { AddressMark } from '../../design/address-mark.tsx';
import { BadgeCard, BadgeGrid } from '../../design/badge-card.tsx';
import { BadgeGridPlaceholder } from '../../design/badge-grid-placeholder.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Notice } from '../../design/notice.tsx';
import { ShareButton } from '../../design/share-button.tsx';
import { useFormats } from '../../formats.ts';
import { usePageTitle } from '../../page-title.ts';
import { type PagedList, PagedSection, usePagedList } from '../../paged-list.tsx';
import { useCommunityName } from '../../token/communities.ts';
import { useEnsName } from '../../token/named-address.tsx';
import { isAddress } from '../../urls.ts';
import { useReloadWhenShown } from '../../use-loaded.ts';
import { readTypedAddress, toChecksumAddress } from '../../wallet/address.ts';
import { ForgetAddress } from '../../wallet/forget-address.tsx';
import { NotFoundPage } from '../not-found.tsx';
import { CommunityFilter, useWalletCommunities } from './community-filter.tsx';
import styles from './wallet-page.module.css';

const CLAIMED_PAGE_SIZE = 24;
const UNCLAIMED_PAGE_SIZE = 8;

export default function WalletPage() {
  const { t } = useTranslation();
  const { address = '' } = useParams();
  if (!isAddress(address)) {
    return (
      <NotFoundPage
        title={t('wallet.badAddress.title')}
        action={
          <ButtonLink variant="primary" href="/#your-badges">
            {t('wallet.enterAddress')}
          </ButtonLink>
        }
      >
        <p>{t('wallet.badAddress.text')}</p>
      </NotFoundPage>
    );
  }
  const checksumAddress = toChecksumAddress(address);
  const read = readTypedAddress(address);
  const isMistyped = 'problem' in read && read.problem === 'checksum';
  // With this key, each wallet has a page of its own, which shows nothing of another wallet.
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
  const communities = useWalletCommunities(address);
  const listed = useClaimedTokens(address, communityId);
  // Its owner sees what is hidden among "My badges".
  const claimed = { ...listed, items: listed.items.filter(({ isHiddenByOwner }) => !isHiddenByOwner) };
  const unclaimed = useUnclaimedTokens(address, communityId);
  const name = useEnsName(address);
  const title = t('wallet.title', { address: shortenAddress(address) });
  usePageTitle(title);

  function filter(chosenId: string): void {
    setSearch(chosenId === '' ? {} : { community: chosenId });
  }

  // If both lists failed, the error is no reason to show the section of unclaimed badges too.
  const hasUnclaimedError = unclaimed.status === 'failed' && claimed.status !== 'failed';
  const isUnclaimedShown = hasUnclaimedError || unclaimed.items.length > 0 || unclaimed.page > 1;
  function reload(): void {
    communities.reload();
    claimed.reload();
    unclaimed.reload();
  }
  // A person who comes back to this page may have received a badge, or have claimed one in another tab.
  useReloadWhenShown(reload);
  // Both lists appear together, so that none moves the other one down.
  const isLoading = [communities.status, claimed.status, unclaimed.status].includes('loading');
  const mayHaveUnclaimed = unclaimed.status !== 'loaded' || isUnclaimedShown;
  const hasNoClaimed =
    communityId === '' && claimed.status === 'loaded' && claimed.page === 1 && claimed.items.length === 0;
  return (
    <div className="page-parts">
      <header className={styles.header}>
        <AddressMark address={address} isLarge />
        {/* A word joiner, so that no line ends in the middle of the address. */}
        <h1>{title.replace('…', '\u2060…\u2060')}</h1>
        <div className={styles.address}>
          {name !== null && <bdi className={styles.name}>{name}</bdi>}
          <AddressGroups address={address} />
          <CopyButton text={address} />
        </div>
        {/* Without badges there is nothing to share. */}
        {!hasNoClaimed && (
          <div className={joinClasses(styles.actions, isLoading && styles.isLoading)}>
            <ShareButton path={`/wallet/${address}`} title={title} />
          </div>
        )}
      </header>
      <ForgetAddress address={address} hasHint />
      {isMistyped && (
        <Notice tone="warning" title={t('wallet.mistyped.title')}>
          {t('wallet.mistyped.text')}
        </Notice>
      )}
      {communities.status === 'loaded' && (
        <CommunityFilter communityIds={communities.value} communityId={communityId} onChange={filter} />
      )}
      {!isLoading && isUnclaimedShown && <UnclaimedSection unclaimed={unclaimed} />}
      <PagedSection
        title={t('wallet.claimed')}
        list={{ ...claimed, reload, status: isLoading ? 'loading' : claimed.status }}
        placeholder={<BadgeGridPlaceholder count={8} />}
        empty={
          communityId === '' ? (
            <NoClaimedBadge mayHaveUnclaimed={mayHaveUnclaimed} />
          ) : (
            <EmptyState
              title={t('wallet.noneOfCommunity')}
              actions={<Button onClick={() => filter('')}>{t('wallet.allCommunities')}</Button>}
            />
          )
        }
      >
        {(tokens) => (
          <BadgeGrid>
            {tokens.map((token) => (
              <ClaimedBadge key={token.badgeTokenId} address={address} token={token} />
            ))}
          </BadgeGrid>
        )}
      </PagedSection>
    </div>
  );
}

/**
 * The badges that have the wallet on their list: first those that it can claim, then those whose claims have
 * ended.
 */
function UnclaimedSection({ unclaimed }: { unclaimed: PagedList<UnclaimedToken> }) {
  const { t } = useTranslation();
  const claimable = unclaimed.items.filter((token) => !hasEnded(token));
  const ended = unclaimed.items.filter(hasEnded);
  const hasOnlyEnded = claimable.length === 0 && ended.length > 0;
  return (
    <PagedSection
      title={hasOnlyEnded ? t('wallet.ended') : t('wallet.unclaimed.title')}
      lead={hasOnlyEnded ? undefined : t('wallet.unclaimed.text')}
      list={unclaimed}
      empty={null}
    >
      {() => (
        <div className={styles.unclaimed}>
          {claimable.length > 0 && <UnclaimedGrid tokens={claimable} />}
          {claimable.length > 0 && ended.length > 0 && <h3>{t('wallet.ended')}</h3>}
          {ended.length > 0 && <UnclaimedGrid tokens={ended} />}
        </div>
      )}
    </PagedSection>
  );
}

/** Says that the wallet has claimed no badge. If it is on no list either, says what the visitor can do. */
function NoClaimedBadge({ mayHaveUnclaimed }: { mayHaveUnclaimed: boolean }) {
  const { t } = useTranslation();
  if (mayHaveUnclaimed) return <EmptyState title={t('wallet.noneClaimed')} />;
  return (
    <EmptyState
      title={t('wallet.none.title')}
      actions={
        <>
          <ButtonLink href="/#your-badges">{t('wallet.none.otherAddress')}</ButtonLink>
          <ButtonLink href="/badges">{t('wallet.none.latest')}</ButtonLink>
        </>
      }
    >
      <p>{t('wallet.none.text')}</p>
    </EmptyState>
  );
}

/** A token that has the wallet on its allowlist, but that the wallet has not claimed. */
interface UnclaimedToken extends WalletToken {
  /** Until when it can be claimed. Null if this is not limited or not known. */
  expirationTimestamp: number | null;
}

function useClaimedTokens(address: string, communityId: string): PagedList<WalletToken> {
  return usePagedList({
    name: `wallet/${address}/claimed/${communityId}`,
    pageSize: CLAIMED_PAGE_SIZE,
    parameter: 'page',
    list: (part, signal) =>
      listWalletTokens({ address, communityId, claimStatus: 'claimed', ...part }, signal),
  });
}

function useUnclaimedTokens(address: string, communityId: string): PagedList<UnclaimedToken> {
  return usePagedList({
    name: `wallet/${address}/unclaimed/${communityId}`,
    pageSize: UNCLAIMED_PAGE_SIZE,
    parameter: 'unclaimed',
    list: async (part, signal) => {
      const page = await listWalletTokens(
        { address, communityId, claimStatus: 'unclaimed', ...part },
        signal,
      );
      const tokens = page.data.map(async (token) => ({
        ...token,
        expirationTimestamp: await findExpiration(token.badgeTokenId, signal),
      }));
      return { ...page, data: await Promise.all(tokens) };
    },
  });
}

/** Lists tokens of a wallet: those of one community, or of all if `communityId` is empty. */
function listWalletTokens(
  {
    communityId,
    ...rest
  }: PageOptions & Pick<WalletToken, 'claimStatus' | 'communityId'> & { address: string },
  signal: AbortSignal,
) {
  return badge.listWalletTokens({ ...rest, ...(communityId !== '' && { communityId }) }, { signal });
}

/** Until when a token can be claimed. The lists of a wallet do not say this. */
async function findExpiration(tokenId: number, signal: AbortSignal): Promise<number | null> {
  return await badge.getToken({ tokenId }, { signal }).then(
    (token) => token.claimabilityAttributes.expirationTimestamp,
    () => null,
  );
}

function ClaimedBadge({ address, token }: { address: string; token: WalletToken }) {
  const { t } = useTranslation();
  const { date, end } = useFormats();
  const { badgeTokenId, headline, assetUrl, createdAt, communityId, validUntilTimestamp, isExpired } = token;
  const community = useCommunityName(communityId);
  return (
    <BadgeCard
      href={`/token/${badgeTokenId}?owner=${address}`}
      headline={headline}
      pictureUrl={assetUrl}
      detail={
        <>
          <bdi>{community}</bdi>
          <time dateTime={createdAt}>{date(createdAt)}</time>
          {validUntilTimestamp !== null && (
            <span>
              {t(isExpired ? 'wallet.expired' : 'wallet.validUntil', { date: end(validUntilTimestamp) })}
            </span>
          )}
        </>
      }
    />
  );
}

/** Whether the token can no longer be claimed. */
function hasEnded({ expirationTimestamp }: UnclaimedToken): boolean {
  return expirationTimestamp !== null && expirationTimestamp <= Date.now();
}

function UnclaimedGrid({ tokens }: { tokens: readonly UnclaimedToken[] }) {
  return (
    <BadgeGrid>
      {tokens.map((token) => (
        <UnclaimedBadge key={token.badgeTokenId} token={token} />
      ))}
    </BadgeGrid>
  );
}

function UnclaimedBadge({ token }: { token: UnclaimedToken }) {
  const { t } = useTranslation();
  const { end } = useFormats();
  const { badgeTokenId, headline, assetUrl, communityId, expirationTimestamp } = token;
  const community = useCommunityName(communityId);
  const isOver = hasEnded(token);
  return (
    <BadgeCard
      href={isOver ? `/token/${badgeTokenId}` : `/claim/${badgeTokenId}`}
      headline={headline}
      pictureUrl={assetUrl}
      detail={
        <>
          <bdi>{community}</bdi>
          {expirationTimestamp !== null && (
            <span>
              {t(isOver ? 'wallet.claimsEnded' : 'wallet.claimUntil', {
                date: end(expirationTimestamp),
              })}
            </span>
          )}
        </>
      }
      {...(isOver ? {} : { callToAction: t('wallet.claim') })}
    />
  );
}
