import { BadgeApiError, type Token } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import { BadgePicture } from '../../design/badge-picture.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { isWebLink, parseTokenId } from '../../urls.ts';
import { useLoaded, useReloadOn } from '../../use-loaded.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { ConsoleNotFound } from '../console-not-found.tsx';
import { followReplacement } from '../move-kept.ts';
import { PeopleList } from '../people/people-list.tsx';
import { useSession } from '../session/session.ts';
import styles from './badge-page.module.css';
import type { BadgePartProps } from './badge-part.ts';
import { ClaimChart } from './claim-chart.tsx';
import { EndPart } from './end-part.tsx';
import { ExpiredCount, HaveCount } from './have-count.tsx';
import { LinkList } from './link-list.tsx';
import { RunningRooms } from './running-rooms.tsx';
import { useBadgeEvents } from './use-badge-events.ts';

const LISTS = ['people', 'links'] as const;

/** One badge: how many have it, the people whom it was given, and its links. */
export default function BadgePage() {
  const { badge, communityId, communities, openCommunity } = useSession();
  const { tokenId: idInPath = '', list = 'people' } = useParams();
  const tokenId = parseTokenId(idInPath);
  const shownList = LISTS.find((name) => name === list);
  // Each change makes another version, so that everything on the page is read again.
  const [version, setVersion] = useState(0);
  const loaded = useLoaded(`token/${tokenId}/${version}`, async (signal) => {
    if (tokenId === null) return null;
    return await badge.getToken({ tokenId }, { signal });
  });

  const eventCount = useBadgeEvents(tokenId);
  useReloadOn(eventCount, loaded.reload);

  // The last version stays while the next one is read.
  const [shown, setShown] = useState<Token | null>(null);
  const current = loaded.status === 'loaded' ? loaded.value : null;
  useEffect(() => {
    if (current !== null) setShown(current);
  }, [current]);
  const token = current ?? (shown?.tokenId === tokenId ? shown : null);

  // A link to a badge of another community of this person opens that community.
  const owner = token?.communityId ?? communityId;
  const isOther = owner !== communityId;
  const mayOpen = communities.some((one) => one.communityId === owner);
  useEffect(() => {
    if (isOther && mayOpen) openCommunity(owner);
  }, [isOther, mayOpen, owner, openCommunity]);

  if (tokenId === null || shownList === undefined) return <ConsoleNotFound />;
  if (token === null) {
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
  return <BadgeDetails token={token} list={shownList} {...parts} />;
}

function BadgeDetails({
  token,
  list,
  version,
  eventCount,
  onChange,
}: BadgePartProps & { list: (typeof LISTS)[number] }) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { tokenId, headline, description, imageUrl, nftTypeId, isHidden, claimabilityAttributes } = token;
  const isAllowlisted = claimabilityAttributes.isAllowlistRequired;
  const isCurrent = token.replacedByTokenId === null;
  const parts = { token, version, eventCount, onChange };
  usePageTitle(headline);
  useEffect(() => {
    const controller = new AbortController();
    // What cannot be moved now is moved the next time.
    void followReplacement(badge, token, controller.signal).catch(() => {});
    return () => controller.abort();
  }, [badge, token]);
  return (
    <div className={styles.page}>
      {!isCurrent && (
        <Notice
          tone="info"
          actions={
            <ButtonLink size="small" href={`/badges/${token.replacedByTokenId}`}>
              {t('badge.toReplacement')}
            </ButtonLink>
          }
        >
          {t('badge.replaced')}
        </Notice>
      )}
      <header className={styles.header}>
        <BadgePicture url={imageUrl} alt="" design={nftTypeId} isMain className={styles.picture} />
        <div className={styles.about}>
          <h1>
            <bdi>{headline}</bdi>
          </h1>
          {isHidden && <p className={styles.hidden}>{t('badge.isHidden')}</p>}
          <ImportedFrom token={token} />
          {description !== '' && (
            <p className={styles.description}>
              <bdi>{description}</bdi>
            </p>
          )}
          {isCurrent && <p>{t(isAllowlisted ? 'badge.allowlisted' : 'badge.open')}</p>}
          {isCurrent && <EndPart token={token} onChange={onChange} />}
          <HaveCount token={token} refreshCount={version + eventCount} />
          {isCurrent && <ExpiredCount tokenId={tokenId} refreshCount={version + eventCount} />}
          <div className={styles.actions}>
            {isCurrent && may('issuer') && (
              <ButtonLink variant="primary" href={`/badges/${tokenId}/give`}>
                {t('badges.give')}
              </ButtonLink>
            )}
            {isCurrent && (
              <ButtonLink isExternal href={`/claim/${tokenId}/print`}>
                {t('badge.print')}
              </ButtonLink>
            )}
            <ButtonLink isExternal href={`/token/${tokenId}`}>
              {t('badge.publicPage')}
            </ButtonLink>
            {isCurrent && may('editor') && (
              <ButtonLink href={`/make?corrects=${tokenId}`}>{t('make.correct.action')}</ButtonLink>
            )}
            {may('editor') && <HideButton tokenId={tokenId} isHidden={isHidden} onChange={onChange} />}
          </div>
        </div>
      </header>
      {isCurrent && (
        <>
          <ClaimChart tokenId={tokenId} version={version} eventCount={eventCount} />
          <nav aria-label={t('badge.lists')}>
            <ul className={`plain-list ${styles.tabs}`}>
              {LISTS.map((name) => (
                <li key={name}>
                  <Link
                    href={name === 'people' ? `/badges/${tokenId}` : `/badges/${tokenId}/${name}`}
                    className={styles.tab}
                    aria-current={name === list ? 'page' : undefined}
                  >
                    {t(`badge.${name}`)}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          {list === 'people' && <RunningRooms {...parts} />}
          {list === 'people' && <PeopleList {...parts} />}
          {list === 'links' && <LinkList {...parts} />}
        </>
      )}
    </div>
  );
}

/** Where an imported badge comes from. */
function ImportedFrom({ token: { importedFrom } }: { token: Token }) {
  const { t } = useTranslation('console');
  const { date } = useFormats();
  if (importedFrom === null) return null;
  const { service, url, importedAtTimestamp } = importedFrom;
  return (
    <p>
      {t('badge.imported', { service, date: date(importedAtTimestamp) })}{' '}
      {url !== null && isWebLink(url) && (
        <a href={url} rel="nofollow noopener">
          {t('badge.importedPage')}
        </a>
      )}
    </p>
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
