import { BadgeApiError, type Token } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import { BadgePicture } from '../../design/badge-picture.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { parseTokenId } from '../../urls.ts';
import { useLoaded, useReloadOn } from '../../use-loaded.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { ConsoleNotFound } from '../console-not-found.tsx';
import { InvitationList } from '../invitations/invitation-list.tsx';
import { useSession } from '../session/session.ts';
import styles from './badge-page.module.css';
import type { BadgePartProps } from './badge-part.ts';
import { ClaimBar } from './claim-bar.tsx';
import { ClaimChart } from './claim-chart.tsx';
import { ContributorList } from './contributor-list.tsx';
import { LinkList } from './link-list.tsx';
import { OwnerList } from './owner-list.tsx';
import { useBadgeEvents } from './use-badge-events.ts';

const LISTS = ['owners', 'contributors', 'invitations', 'links'] as const;

/** One badge: how many are claimed, and its owners, contributors, invitations and links. */
export default function BadgePage() {
  const { badge, communityId, communities, openCommunity } = useSession();
  const { tokenId: idInPath = '', list = 'owners' } = useParams();
  const tokenId = parseTokenId(idInPath);
  const shownList = LISTS.find((name) => name === list);
  // Each change makes another version, so that everything on the page is read again.
  const [version, setVersion] = useState(0);
  const loaded = useLoaded(`token/${tokenId}/${version}`, async (signal) => {
    if (tokenId === null) return null;
    const token = await badge.getToken({ tokenId }, { signal });
    return { token, isHidden: await readIsHidden(token, signal) };
  });

  /** A token does not say whether it is hidden, but the list of hidden tokens does. */
  async function readIsHidden(
    { communityId: owner, headline }: Token,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (!communities.some((one) => one.communityId === owner)) return false;
    const hidden = badge.listCommunityTokens(
      { communityId: owner, headline, isHidden: true, limit: 1_000 },
      { signal },
    );
    return (await hidden).data.some((token) => token.tokenId === tokenId);
  }

  const eventCount = useBadgeEvents(tokenId);
  useReloadOn(eventCount, loaded.reload);

  // The last version stays while the next one is read.
  const [shown, setShown] = useState<{ token: Token; isHidden: boolean } | null>(null);
  const current = loaded.status === 'loaded' ? loaded.value : null;
  useEffect(() => {
    if (current !== null) setShown(current);
  }, [current]);
  const value = current ?? (shown?.token.tokenId === tokenId ? shown : null);

  // A link to a badge of another community of this person opens that community.
  const owner = value?.token.communityId ?? communityId;
  const isOther = owner !== communityId;
  const mayOpen = communities.some((one) => one.communityId === owner);
  useEffect(() => {
    if (isOther && mayOpen) openCommunity(owner);
  }, [isOther, mayOpen, owner, openCommunity]);

  if (tokenId === null || shownList === undefined) return <ConsoleNotFound />;
  if (value === null) {
    if (loaded.status !== 'failed') return <LoadingBlock />;
    const isMissing = loaded.error instanceof BadgeApiError && loaded.error.status === 404;
    return isMissing ? (
      <ConsoleNotFound />
    ) : (
      <LoadError isPage error={loaded.error} onRetry={loaded.reload} />
    );
  }
  if (isOther) return mayOpen ? <LoadingBlock /> : <ConsoleNotFound />;
  const onChange = () => setVersion((last) => last + 1);
  const parts = { version, eventCount, onChange };
  return <BadgeDetails {...value} list={shownList} {...parts} />;
}

function BadgeDetails({
  token,
  isHidden,
  list,
  version,
  eventCount,
  onChange,
}: BadgePartProps & { isHidden: boolean; list: (typeof LISTS)[number] }) {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const { tokenId, headline, description, imageUrl, nftTypeId, claimabilityAttributes } = token;
  const isAllowlisted = claimabilityAttributes.isAllowlistRequired;
  const parts = { token, version, eventCount, onChange };
  usePageTitle(headline);
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <BadgePicture url={imageUrl} alt="" design={nftTypeId} isMain className={styles.picture} />
        <div className={styles.about}>
          <h1>
            <bdi>{headline}</bdi>
          </h1>
          {isHidden && <p className={styles.hidden}>{t('badge.isHidden')}</p>}
          {description !== '' && (
            <p className={styles.description}>
              <bdi>{description}</bdi>
            </p>
          )}
          <p>{t(isAllowlisted ? 'badge.allowlisted' : 'badge.open')}</p>
          <ClaimBar token={token} />
          <div className={styles.actions}>
            {may('issuer') && (
              <ButtonLink variant="primary" href={`/badges/${tokenId}/give`}>
                {t('badges.give')}
              </ButtonLink>
            )}
            <ButtonLink isExternal href={`/claim/${tokenId}/print`}>
              {t('badge.print')}
            </ButtonLink>
            <ButtonLink isExternal href={`/token/${tokenId}`}>
              {t('badge.publicPage')}
            </ButtonLink>
            {may('editor') && (
              <ButtonLink href={`/make?copyOf=${tokenId}`}>{t('make.copy.action')}</ButtonLink>
            )}
            {may('editor') && <HideButton tokenId={tokenId} isHidden={isHidden} onChange={onChange} />}
          </div>
        </div>
      </header>
      <ClaimChart tokenId={tokenId} version={version} eventCount={eventCount} />
      <nav aria-label={t('badge.lists')}>
        <ul className={`plain-list ${styles.tabs}`}>
          {LISTS.filter((name) => isAllowlisted || name !== 'contributors').map((name) => (
            <li key={name}>
              <Link
                href={name === 'owners' ? `/badges/${tokenId}` : `/badges/${tokenId}/${name}`}
                className={styles.tab}
                aria-current={name === list ? 'page' : undefined}
              >
                {t(`badge.${name}`)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {list === 'owners' && isHidden && token.claimedCount > 0 && may('issuer') && (
        <Notice tone="info">{t('badge.copied')}</Notice>
      )}
      {list === 'owners' && <OwnerList {...parts} />}
      {list === 'contributors' && <ContributorList {...parts} />}
      {list === 'invitations' && <InvitationList {...parts} />}
      {list === 'links' && <LinkList {...parts} />}
    </div>
  );
}

function HideButton({
  tokenId,
  isHidden,
  onChange,
}: {
  tokenId: number;
  isHidden: boolean;
  onChange: () => void;
}) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>{t(isHidden ? 'badge.show' : 'badge.hide')}</Button>
      {isAsking && (
        <ActionDialog
          title={t(isHidden ? 'badge.showDialog.title' : 'badge.hideDialog.title')}
          submitLabel={t(isHidden ? 'badge.show' : 'badge.hide')}
          onSubmit={async () => {
            await badge.updateToken({ tokenId, isHidden: !isHidden });
            onChange();
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>{t(isHidden ? 'badge.showDialog.text' : 'badge.hideDialog.text')}</p>
        </ActionDialog>
      )}
    </>
  );
}
