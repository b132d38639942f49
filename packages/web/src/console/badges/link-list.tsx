import type { ClaimLink } from '@badge/sdk';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { useFormats } from '../../formats.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { describeError } from '../describe-error.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { ProjectorLink } from '../room/projector-link.tsx';
import { useSession } from '../session/session.ts';
import styles from './badge-page.module.css';
import type { BadgePartProps } from './badge-part.ts';
import { NewLinksDialog } from './new-links-dialog.tsx';

const STATUSES = ['unused', 'used', 'revoked', 'expired', 'paused', 'notStarted'] as const;
/** With one of these, somebody can still claim with the link, or will be able to. */
const OPEN_STATUSES: readonly string[] = ['unused', 'paused', 'notStarted'];

/** The claim links of the badge, and the link for a room. */
export function LinkList({ token, version, eventCount, onChange }: BadgePartProps) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { tokenId } = token;
  const [status, setStatus] = useState<ClaimLink['status'] | ''>('');
  const [revoked, setRevoked] = useState<ClaimLink | null>(null);
  /** Whom the new links are for; undefined if none are being made. */
  const [newFor, setNewFor] = useState<string | null | undefined>();
  const [error, setError] = useState<unknown>(null);

  async function pause({ claimLinkId }: ClaimLink, isPaused: boolean): Promise<void> {
    setError(null);
    try {
      await badge.updateClaimLink({ tokenId, claimLinkId, isPaused });
      onChange();
    } catch (caught) {
      setError(caught);
    }
  }

  const filter = status === '' ? {} : { status };
  return (
    <>
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
      <Listing
        // Another status is another list, which begins at its first page.
        key={status}
        name={`links/${tokenId}/${status}/${version}`}
        refreshCount={eventCount}
        title={t('badge.links')}
        list={(part, signal) => badge.listClaimLinks({ tokenId, ...filter, ...part }, { signal })}
        csvPath={`/v1/tokens/${tokenId}/claimLinks${status === '' ? '' : `?status=${status}`}`}
        filters={
          <>
            <div className={styles.filter}>
              <SelectField
                label={t('links.status')}
                value={status}
                onChange={(event) => setStatus(event.target.value as ClaimLink['status'] | '')}
              >
                <option value="">{t('links.allStatuses')}</option>
                {STATUSES.map((value) => (
                  <option key={value} value={value}>
                    {t(`links.statuses.${value}`)}
                  </option>
                ))}
              </SelectField>
            </div>
            {may('issuer') && !token.claimabilityAttributes.isAllowlistRequired && (
              <Button onClick={() => setNewFor(null)}>{t('links.make')}</Button>
            )}
          </>
        }
        empty={t('links.none')}
      >
        {(items) => (
          <Rows>
            {items.map((link) => (
              <LinkRow
                key={link.claimLinkId}
                link={link}
                tokenId={tokenId}
                onRevoke={() => setRevoked(link)}
                onReplace={() => setNewFor(link.identifier)}
                onPause={(isPaused) => void pause(link, isPaused)}
              />
            ))}
          </Rows>
        )}
      </Listing>
      {revoked !== null && (
        <ActionDialog
          title={t('links.revokeDialog.title')}
          submitLabel={t('links.revoke')}
          isDangerous
          onSubmit={async () => {
            await badge.revokeClaimLink({ tokenId, claimLinkId: revoked.claimLinkId });
            onChange();
          }}
          onClose={() => setRevoked(null)}
        >
          <p>
            <bdi>{nameLink(revoked, t)}</bdi>
          </p>
          <p>{t('links.revokeDialog.text')}</p>
        </ActionDialog>
      )}
      {newFor !== undefined && (
        <NewLinksDialog
          token={token}
          identifier={newFor}
          onDone={onChange}
          onClose={() => setNewFor(undefined)}
        />
      )}
    </>
  );
}

interface LinkRowProps {
  link: ClaimLink;
  tokenId: number;
  onRevoke: () => void;
  onReplace: () => void;
  onPause: (isPaused: boolean) => void;
}

/** Whom a link is for. The list of people says it of an invitation. */
function nameLink({ identifier, maxClaims }: ClaimLink, t: TFunction<'console'>): string {
  return identifier ?? t(maxClaims > 1 ? 'links.room' : 'links.single');
}

function LinkRow({ link, tokenId, onRevoke, onReplace, onPause }: LinkRowProps) {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const { dateTime, end } = useFormats();
  const { claimLinkId, identifier, status, claimCount, maxClaims, expiresAtTimestamp } = link;
  const isRoom = maxClaims > 1;
  const name = nameLink(link, t);
  const details = [
    isRoom && t('links.claims', { claimed: claimCount, total: maxClaims }),
    t('links.created.on', { date: dateTime(link.createdAtTimestamp) }),
    expiresAtTimestamp !== null && t('links.until', { date: end(expiresAtTimestamp) }),
  ];
  return (
    <Row
      title={<bdi>{name}</bdi>}
      // A link for a room stays open after its first claim.
      status={t(`links.statuses.${isRoom && status === 'unused' ? 'open' : status}`)}
      tone={status === 'used' ? 'good' : status === 'revoked' || status === 'expired' ? 'bad' : 'plain'}
      detail={
        <>
          {details.filter((text) => text !== false).join(' · ')}
          {link.claimingAddress !== null && <Address value={link.claimingAddress} hasCopyButton />}
        </>
      }
      actions={
        <>
          {isRoom && <ProjectorLink size="small" tokenId={tokenId} claimLinkId={claimLinkId} />}
          {may('issuer') && isRoom && OPEN_STATUSES.includes(status) && (
            <Button size="small" onClick={() => onPause(!link.isPaused)}>
              {t(link.isPaused ? 'links.resume' : 'links.pause')}
            </Button>
          )}
          {may('issuer') && identifier !== null && status !== 'used' && (
            <Button size="small" aria-label={`${t('links.replace')}: ${name}`} onClick={onReplace}>
              {t('links.replace')}
            </Button>
          )}
          {may('issuer') && OPEN_STATUSES.includes(status) && (
            <Button size="small" aria-label={`${t('links.revoke')}: ${name}`} onClick={onRevoke}>
              {t('links.revoke')}
            </Button>
          )}
        </>
      }
    />
  );
}
