import type { ClaimLink, Recipient, Token } from '@badge/sdk';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { useFormats } from '../../formats.ts';
import { useLoaded } from '../../use-loaded.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { describeError } from '../describe-error.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { listTexts } from '../people/person-name.tsx';
import { ProjectorLink } from '../room/projector-link.tsx';
import { useSession } from '../session/session.ts';
import styles from './badge-page.module.css';
import type { BadgePartProps } from './badge-part.ts';
import { NewLinksDialog } from './new-links-dialog.tsx';

const STATUSES = ['unused', 'used', 'revoked', 'expired', 'paused', 'notStarted'] as const;
/** With one of these, somebody can still claim with the link, or will be able to. */
const OPEN_STATUSES: readonly string[] = ['unused', 'paused', 'notStarted'];

export const isOpenLink = ({ status }: ClaimLink) => OPEN_STATUSES.includes(status);

/** The claim links of the badge, and those for rooms. */
export function LinkList({ token, version, eventCount, onChange }: BadgePartProps) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { tokenId } = token;
  const [status, setStatus] = useState<ClaimLink['status'] | ''>('');
  const [isMaking, setIsMaking] = useState(false);
  const filter = { order: 'desc', ...(status !== '' && { status }) } as const;
  return (
    <>
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
              <Button onClick={() => setIsMaking(true)}>{t('links.make')}</Button>
            )}
          </>
        }
        empty={t('links.none')}
      >
        {(items) => <LinkRows token={token} links={items} onChange={onChange} />}
      </Listing>
      {isMaking && (
        <NewLinksDialog
          token={token}
          identifier={null}
          onDone={onChange}
          onClose={() => setIsMaking(false)}
        />
      )}
    </>
  );
}

interface LinkRowsProps {
  token: Token;
  links: readonly ClaimLink[];
  onChange: () => void;
}

/** Links, with whose they are, and what can be done about them. */
export function LinkRows({ token, links, onChange }: LinkRowsProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { tokenId } = token;
  const [revoked, setRevoked] = useState<ClaimLink | null>(null);
  /** Whom a new link is for; null if none is being made. */
  const [newFor, setNewFor] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const claimLinkId = links
    .filter(({ maxClaims }) => maxClaims === 1)
    .map((link) => link.claimLinkId)
    .join(',');
  const people = useLoaded(`link-people/${claimLinkId}`, async (signal) => {
    const found = new Map<string, Recipient>();
    if (claimLinkId === '') return found;
    const { data } = await badge.listRecipients({ tokenId, claimLinkId, limit: 1_000 }, { signal });
    for (const person of data) if (person.claimLinkId !== null) found.set(person.claimLinkId, person);
    return found;
  });
  const nameOf = (link: ClaimLink) =>
    nameLink(link, people.status === 'loaded' ? people.value.get(link.claimLinkId) : undefined, t);

  async function pause({ claimLinkId: id }: ClaimLink, isPaused: boolean): Promise<void> {
    setError(null);
    try {
      await badge.updateClaimLink({ tokenId, claimLinkId: id, isPaused });
      onChange();
    } catch (caught) {
      setError(caught);
    }
  }

  return (
    <>
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
      <Rows>
        {links.map((link) => (
          <LinkRow
            key={link.claimLinkId}
            link={link}
            name={nameOf(link)}
            tokenId={tokenId}
            onRevoke={() => setRevoked(link)}
            onReplace={() => setNewFor(link.identifier)}
            onPause={(isPaused) => void pause(link, isPaused)}
          />
        ))}
      </Rows>
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
            <bdi>{nameOf(revoked)}</bdi>
          </p>
          <p>{t('links.revokeDialog.text')}</p>
        </ActionDialog>
      )}
      {newFor !== null && (
        <NewLinksDialog token={token} identifier={newFor} onDone={onChange} onClose={() => setNewFor(null)} />
      )}
    </>
  );
}

interface LinkRowProps {
  link: ClaimLink;
  /** Whom it is for. */
  name: string;
  tokenId: number;
  onRevoke: () => void;
  onReplace: () => void;
  onPause: (isPaused: boolean) => void;
}

/** Whom a link is for, with the e-mail of whoever has a name. */
function nameLink(
  { identifier, maxClaims }: ClaimLink,
  person: Recipient | undefined,
  t: TFunction<'console'>,
): string {
  const texts = person === undefined ? [] : listTexts(person);
  const known = texts.length > 0 ? texts.join(' · ') : identifier;
  return known ?? t(maxClaims > 1 ? 'links.room' : 'links.single');
}

function LinkRow({ link, name, tokenId, onRevoke, onReplace, onPause }: LinkRowProps) {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const { dateTime, end } = useFormats();
  const { claimLinkId, identifier, status, claimCount, maxClaims, expiresAtTimestamp } = link;
  const isRoom = maxClaims > 1;
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
