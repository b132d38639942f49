import { BadgeApiError, type Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import { badge } from '../../api.ts';
import { Address } from '../../design/address.tsx';
import { ButtonLink } from '../../design/button.tsx';
import { type Fact, FactList } from '../../design/fact-list.tsx';
import { PrintIcon } from '../../design/icons.tsx';
import { ShareButton } from '../../design/share-button.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { readAvailability } from '../../token/availability.ts';
import { ClaimCount } from '../../token/claim-count.tsx';
import { CommunityLink } from '../../token/community-link.tsx';
import { useDateFacts } from '../../token/date-facts.ts';
import { TokenLinks } from '../../token/token-links.tsx';
import { TokenMedia } from '../../token/token-media.tsx';
import { readTokenId } from '../../urls.ts';
import { useLoaded } from '../../use-loaded.ts';
import { MissingBadge } from '../missing-badge.tsx';
import { AttributeList } from './attribute-list.tsx';
import styles from './badge-page.module.css';
import { OwnerList } from './owner-list.tsx';

export default function BadgePage() {
  const { tokenId = '' } = useParams();
  const id = readTokenId(tokenId);
  return id === null ? <MissingBadge /> : <LoadedBadge key={id} tokenId={id} />;
}

function LoadedBadge({ tokenId }: { tokenId: number }) {
  const token = useLoaded(`token/${tokenId}`, (signal) => badge.getToken({ tokenId }, { signal }));
  if (token.status === 'loading') return <LoadingBlock />;
  if (token.status === 'loaded') return <BadgeDetails token={token.value} />;
  if (token.error instanceof BadgeApiError && token.error.status === 404) return <MissingBadge />;
  return <LoadError isPage error={token.error} onRetry={token.reload} />;
}

function BadgeDetails({ token }: { token: Token }) {
  const { t } = useTranslation();
  const { tokenId, headline, description, links, communityId, customAttributes } = token;
  usePageTitle(headline);
  return (
    <div className={styles.page}>
      <article className={styles.badge}>
        <div className={styles.media}>
          <TokenMedia token={token} className={styles.picture} />
        </div>
        <div className={styles.details}>
          <CommunityLink communityId={communityId} />
          <h1 className={styles.headline}>
            <bdi>{headline}</bdi>
          </h1>
          {description !== '' && (
            <p className={styles.description}>
              <bdi>{description}</bdi>
            </p>
          )}
          <TokenLinks links={links} label={t('badge.links')} />
          <ClaimOffer token={token} />
          <BadgeFacts token={token} />
        </div>
      </article>
      {customAttributes.length > 0 && <AttributeList attributes={customAttributes} />}
      <OwnerList tokenId={tokenId} />
    </div>
  );
}

/** Whether the badge can still be claimed, with what a visitor can do about it. */
function ClaimOffer({ token }: { token: Token }) {
  const { t } = useTranslation();
  const { tokenId, headline, claimabilityAttributes } = token;
  const availability = readAvailability(token, Date.now());
  const isClaimable = availability === 'open' || availability === 'allowlisted';
  return (
    <div className={styles.offer}>
      {availability === 'allowlisted' ? (
        <p className={styles.muted}>{t('badge.allowlisted')}</p>
      ) : (
        <ClaimCount claimability={claimabilityAttributes} />
      )}
      {availability === 'expired' && <p className={styles.muted}>{t('badge.expired')}</p>}
      <div className={styles.actions}>
        {isClaimable && (
          <ButtonLink variant="primary" size="large" href={`/claim/${tokenId}`}>
            {t('badge.claim')}
          </ButtonLink>
        )}
        <ShareButton path={`/token/${tokenId}`} title={headline} />
      </div>
    </div>
  );
}

function BadgeFacts({ token }: { token: Token }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  const { tokenId, createdAtTimestamp, createdByAddress } = token;
  const facts: Fact[] = [
    ...useDateFacts(token),
    { label: t('badge.created'), value: date(createdAtTimestamp) },
    {
      label: t('badge.creator'),
      value: <Address value={createdByAddress} hasCopyButton />,
    },
    { label: t('badge.number'), value: String(tokenId) },
    {
      label: t('badge.organizers'),
      value: (
        <Link href={`/claim/${tokenId}/print`} className={styles.print}>
          <PrintIcon /> {t('badge.print')}
        </Link>
      ),
    },
  ];
  return <FactList facts={facts} />;
}
