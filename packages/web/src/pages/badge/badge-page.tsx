import type { OwnerState, Token } from '@badge/sdk';
import { Trans, useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'wouter';
import { badge } from '../../api.ts';
import { ButtonLink } from '../../design/button.tsx';
import { type Fact, FactList } from '../../design/fact-list.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { ShareButton } from '../../design/share-button.tsx';
import { useFormats } from '../../formats.ts';
import { usePageTitle } from '../../page-title.ts';
import { readAvailability } from '../../token/availability.ts';
import { ClaimCount } from '../../token/claim-count.tsx';
import { useCommunityName } from '../../token/communities.ts';
import { CommunityLink } from '../../token/community-link.tsx';
import { useDateFacts } from '../../token/date-facts.ts';
import { NamedAddress } from '../../token/named-address.tsx';
import { hasToken } from '../../token/ownership.ts';
import { TokenLinks } from '../../token/token-links.tsx';
import { TokenMedia } from '../../token/token-media.tsx';
import { isAddress } from '../../urls.ts';
import type { Loaded } from '../../use-loaded.ts';
import { toChecksumAddress } from '../../wallet/address.ts';
import { TokenPage } from '../token-page.tsx';
import { AttributeList } from './attribute-list.tsx';
import styles from './badge-page.module.css';
import { OwnerList } from './owner-list.tsx';
import { OwnerNotice, VisitorNotice } from './ownership-notice.tsx';
import { ReplacedNotice } from './replaced-notice.tsx';
import { ShowBadge } from './show-badge.tsx';
import { useOwnership, useVisitorOwnership, type VisitorOwnership } from './use-ownership.ts';

export default function BadgePage() {
  return (
    <TokenPage load={(tokenId, signal) => badge.getToken({ tokenId }, { signal })}>
      {(token) => <BadgeDetails token={token} />}
    </TokenPage>
  );
}

function BadgeDetails({ token }: { token: Token }) {
  const { t } = useTranslation();
  const { tokenId, headline, description, links, communityId, customAttributes } = token;
  usePageTitle(headline);
  const owners = useOwners(token);
  const shownOwner = owners.own ?? owners.linked;
  return (
    <div className="page-parts">
      <article className={styles.badge}>
        <div className={styles.media}>
          <TokenMedia token={token} className={styles.picture} />
        </div>
        <div className={styles.details}>
          <div className={styles.heading}>
            <CommunityLink communityId={communityId} />
            <h1>
              <bdi>{headline}</bdi>
            </h1>
          </div>
          <ClaimOffer token={token} owners={owners} />
          {description !== '' && (
            <p className={styles.description}>
              <bdi>{description}</bdi>
            </p>
          )}
          <TokenLinks links={links} label={t('badge.links')} />
          <BadgeFacts token={token} />
        </div>
      </article>
      {shownOwner !== null && <ShowBadge token={token} owner={shownOwner} isOwn={owners.own !== null} />}
      {customAttributes.length > 0 && <AttributeList attributes={customAttributes} />}
      {/* Everybody has the other badge. */}
      {token.replacedByTokenId === null && <OwnerList tokenId={tokenId} />}
    </div>
  );
}

/** Whose badge the page is about. */
interface Owners {
  /** The visitor's ownership of the badge. Null if they do not have it, or while this is not known. */
  own: VisitorOwnership | null;
  /** The address in the link of this page. Null if it has none. */
  linkedOwner: string | null;
  /** What the service says about this address. */
  linkedOwnership: Loaded<OwnerState | null>;
  /** The ownership of this address. Null if it does not have the badge, or while this is not known. */
  linked: OwnerState | null;
  /** Whether `own` or `linked` is not known yet. */
  isLoading: boolean;
}

function useOwners(token: Token): Owners {
  const { tokenId } = token;
  const [search] = useSearchParams();
  const linkedOwner = findLinkedOwner(search);
  const visitorOwnership = useVisitorOwnership(token);
  const linkedOwnership = useOwnership(tokenId, linkedOwner);
  const linkedState = linkedOwnership.status === 'loaded' ? linkedOwnership.value : null;
  return {
    own: visitorOwnership.status === 'loaded' ? visitorOwnership.value : null,
    linkedOwner,
    linkedOwnership,
    linked: linkedState !== null && hasToken(linkedState) ? linkedState : null,
    isLoading: visitorOwnership.status === 'loading' || linkedOwnership.status === 'loading',
  };
}

/** Says who has the badge, and whether it can still be claimed. Contains the actions. */
function ClaimOffer({ token, owners }: { token: Token; owners: Owners }) {
  const { t } = useTranslation();
  const { tokenId, replacedByTokenId } = token;
  const { own, linkedOwner, linkedOwnership, linked, isLoading } = owners;
  if (replacedByTokenId !== null) {
    const hasOther = linkedOwnership.status === 'loaded' && linkedOwnership.value?.status === 'replaced';
    return (
      <div className={styles.offer}>
        <ReplacedNotice tokenId={replacedByTokenId} owner={linkedOwner} hasOther={hasOther} />
        {linkedOwner !== null && !hasOther && (
          <OwnerNotice address={linkedOwner} ownership={linkedOwnership} />
        )}
      </div>
    );
  }
  const availability = readAvailability(token, Date.now());
  const isClaimable = availability === 'open' || availability === 'allowlisted';
  // The actions are above the other texts if the visitor has the badge, otherwise below them.
  const actions = <Actions token={token} own={own} linked={linked} isChecking={isLoading} />;
  return (
    <div className={styles.offer}>
      {own !== null && <VisitorNotice ownership={own} />}
      {own !== null && actions}
      {linkedOwner !== null && linkedOwner !== own?.address && (
        <OwnerNotice address={linkedOwner} ownership={linkedOwnership} />
      )}
      <ClaimCount token={token} />
      {availability === 'allowlisted' && <p className={styles.muted}>{t('badge.allowlisted')}</p>}
      {availability === 'expired' && <p className={styles.muted}>{t('badge.expired')}</p>}
      {own === null && actions}
      {own !== null && isClaimable && (
        <p>
          <Link href={`/claim/${tokenId}`}>{t('badge.claimForAnother')}</Link>
        </p>
      )}
    </div>
  );
}

interface ActionsProps {
  token: Token;
  /** The visitor's ownership of the badge. Null if they do not have it, or while this is not known. */
  own: VisitorOwnership | null;
  /**
   * The ownership of the address in the link of this page. Null if it does not have the badge, or while this
   * is not known.
   */
  linked: OwnerState | null;
  /** Whether `own` or `linked` is not known yet. Then the buttons are invisible. */
  isChecking: boolean;
}

/** Buttons to claim the badge or to find others, and to share it. */
function Actions({ token, own, linked, isChecking }: ActionsProps) {
  const { t } = useTranslation();
  const { tokenId, headline, communityId } = token;
  const community = useCommunityName(communityId);
  const availability = readAvailability(token, Date.now());
  const isClaimable = availability === 'open' || availability === 'allowlisted';
  // The owner whom the shared link names: the visitor, if they have the badge, otherwise the owner in this
  // page's link.
  const sharedOwner = own?.address ?? linked?.address;
  // If the link names an owner, the page is about this person's badge, so what the visitor can get is not the
  // main action.
  const visitorVariant = linked === null ? 'primary' : 'secondary';
  return (
    <div className={joinClasses(styles.actions, isChecking && styles.isChecking)}>
      {own !== null && (
        <ButtonLink variant="primary" href={own.isKept ? '/my-badges' : `/wallet/${own.address}`}>
          {t('badge.ownBadges')}
        </ButtonLink>
      )}
      {own === null && availability === 'open' && (
        <ButtonLink variant={visitorVariant} href={`/claim/${tokenId}`}>
          {linked === null ? t('badge.claim') : t('badge.claimToo')}
        </ButtonLink>
      )}
      {own === null && availability === 'allowlisted' && (
        <ButtonLink variant={visitorVariant} href={`/claim/${tokenId}`}>
          {t('badge.claimListed')}
        </ButtonLink>
      )}
      {own === null && !isClaimable && (
        <ButtonLink variant={visitorVariant} href={`/community/${encodeURIComponent(communityId)}`}>
          <span>
            <Trans i18nKey="badge.moreOf" components={{ name: <bdi>{community}</bdi> }} />
          </span>
        </ButtonLink>
      )}
      <ShareButton
        path={sharedOwner === undefined ? `/token/${tokenId}` : `/token/${tokenId}?owner=${sharedOwner}`}
        title={headline}
      />
    </div>
  );
}

/**
 * Returns the address in the parameter `owner`, or null. Does not check whether the address has the badge.
 */
function findLinkedOwner(search: URLSearchParams): string | null {
  const owner = search.get('owner');
  return owner !== null && isAddress(owner) ? toChecksumAddress(owner) : null;
}

function BadgeFacts({ token }: { token: Token }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  const { tokenId, createdAtTimestamp, createdByAddress, importedFrom } = token;
  const facts: Fact[] = [
    ...useDateFacts(token),
    { label: t('badge.created'), value: date(createdAtTimestamp) },
    ...(importedFrom === null ? [] : [{ label: t('badge.imported'), value: <Origin from={importedFrom} /> }]),
    {
      label: importedFrom === null ? t('badge.creator') : t('badge.importer'),
      value: <NamedAddress value={createdByAddress} hasCopyButton />,
    },
    { label: t('badge.number'), value: String(tokenId) },
  ];
  return <FactList facts={facts} />;
}

/** Where an imported badge is from, and that its signature there is not ours to show. */
function Origin({ from }: { from: NonNullable<Token['importedFrom']> }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  const { service, url, importedAtTimestamp } = from;
  const name = <bdi>{service}</bdi>;
  return (
    <Trans
      t={t}
      i18nKey="badge.importedFrom"
      components={{
        date: <>{date(importedAtTimestamp)}</>,
        service:
          url === null ? (
            name
          ) : (
            <a href={url} rel="nofollow noopener noreferrer">
              {name}
            </a>
          ),
      }}
    />
  );
}
