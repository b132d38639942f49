import type { AuditEntry } from '@badge/sdk';
import { Fragment, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Address, shortenAddress } from '../../design/address.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { TextField } from '../../design/text-field.tsx';
import { useFormats } from '../../formats.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { toEnd } from '../make/typed-times.ts';
import { useSession } from '../session/session.ts';
import styles from './settings-page.module.css';
import { type OwnerNames, useOwnerNames } from './use-owner-names.ts';

type Action = AuditEntry['action'];

/** What happened in the community, the newest first, in words. */
export function AuditLogPart() {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const [action, setAction] = useState<Action | ''>('');
  const [from, setFrom] = useState('');
  const [until, setUntil] = useState('');
  // New entries would shift the pages, so later ones are left out.
  const [openedAt] = useState(() => Date.now());
  const fromTimestamp = toTimestamp(from);
  const untilTimestamp = toEndTimestamp(until);
  const filter = {
    communityId,
    beforeTimestamp: untilTimestamp === null ? openedAt : Math.min(openedAt, untilTimestamp),
    ...(action === '' ? {} : { action }),
    ...(fromTimestamp === null ? {} : { fromTimestamp }),
  };
  const name = `log/${JSON.stringify(filter)}`;
  return (
    <Listing
      key={name}
      name={name}
      title={t('settings.log')}
      list={(part, signal) => badge.listAuditLog({ ...filter, ...part }, { signal })}
      filters={
        <div className={styles.filters}>
          <SelectField
            label={t('log.action')}
            value={action}
            onChange={(event) => setAction(event.target.value as Action | '')}
          >
            <option value="">{t('log.allActions')}</option>
            {ACTIONS.map((one) => (
              <option key={one} value={one}>
                {t(`log.actions.${one}`)}
              </option>
            ))}
          </SelectField>
          <TextField
            type="date"
            label={t('log.from')}
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
          <TextField
            type="date"
            label={t('log.until')}
            value={until}
            onChange={(event) => setUntil(event.target.value)}
          />
        </div>
      }
      empty={t('log.none')}
    >
      {(items) => <Entries entries={items} />}
    </Listing>
  );
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  const names = useOwnerNames(entries);
  return (
    <Rows>
      {entries.map((entry) => (
        <Row
          key={entry.auditEntryId}
          title={<Entry entry={entry} names={names} />}
          detail={
            <>
              <time dateTime={new Date(entry.recordedAtTimestamp).toISOString()}>
                {dateTime(entry.recordedAtTimestamp)}
              </time>
              {' · '}
              <Actor entry={entry} />
              {entry.reason !== null && (
                <>
                  {' · '}
                  {t('log.reason')} <bdi>{entry.reason}</bdi>
                </>
              )}
            </>
          }
        />
      ))}
    </Rows>
  );
}

const ACTIONS = [
  'createToken',
  'updateToken',
  'claim',
  'airdrop',
  'communityAdminAirdrop',
  'communityAdminAirdropWithoutConsentSig',
  'addContributors',
  'removeContributors',
  'burn',
  'revoke',
  'reinstate',
  'move',
  'replace',
  'renew',
  'createClaimLinks',
  'updateClaimLink',
  'revokeClaimLink',
  'createInvitations',
  'resendInvitation',
  'updateInvitation',
  'revokeInvitation',
  'createReminders',
  'cancelMails',
  'confirmReservation',
  'setRecipients',
  'updateRecipient',
  'createNftType',
  'deleteNftType',
  'import',
  'export',
  'createCommunity',
  'updateCommunity',
  'setMember',
  'removeMember',
  'createApiKey',
  'revokeApiKey',
  'keepApiKey',
  'createWebhook',
  'updateWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'redeliverWebhook',
  'disableWebhook',
  'deleteWebhook',
  'signBadge',
  'signAllowlistedAddress',
] as const satisfies readonly Action[];

/** What was done, and to which badge of whom, link, member, key, webhook or design. */
function Entry({ entry, names }: { entry: AuditEntry; names: OwnerNames }) {
  const { t } = useTranslation('console');
  const { action, resourceType, resourceId, operationStatus } = entry;
  // A newer service can have further actions.
  const text = t(`log.actions.${action}`, { defaultValue: action });
  const parts: [string, ReactNode][] = [];
  if (operationStatus === 'error') parts.push(['failed', t('log.failed')]);
  if (NAMED.includes(resourceType)) parts.push(['name', <ResourceName key="name" entry={entry} />]);
  if (resourceType === 'member') parts.push(['member', <Address key="member" value={resourceId} />]);
  if (entry.tokenId !== null) parts.push(['badge', <BadgeLink key="badge" entry={entry} />]);
  if (entry.ownerAddress !== null) {
    parts.push(['owner', <Owner key="owner" entry={entry} names={names} />]);
  }
  return (
    <span>
      {text}
      {parts.map(([key, part], index) => (
        <Fragment key={key}>
          {index === 0 ? ': ' : ' · '}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

/** What has a name of its own, or else an id. */
const NAMED: readonly string[] = [
  'apiKey',
  'webhook',
  'nftType',
  'claimLink',
  'invitation',
] satisfies AuditEntry['resourceType'][];

function ResourceName({ entry: { resourceName, resourceId } }: { entry: AuditEntry }) {
  if (resourceName !== null) return <bdi>{resourceName}</bdi>;
  return (
    <bdi dir="ltr" title={resourceId}>
      {shortenId(resourceId)}
    </bdi>
  );
}

function BadgeLink({ entry: { tokenId, headline } }: { entry: AuditEntry }) {
  const { t } = useTranslation('console');
  return (
    <Link href={`/badges/${tokenId}`}>
      <bdi>{headline ?? t('log.badge', { id: tokenId })}</bdi>
    </Link>
  );
}

/** Whose badge it is, and who has it after a move. */
function Owner({
  entry: { tokenId, ownerAddress, toAddress },
  names,
}: {
  entry: AuditEntry;
  names: OwnerNames;
}) {
  const { t } = useTranslation('console');
  const nameOf = (address: string) => names.get(`${tokenId}/${address}`);
  return (
    <>
      {ownerAddress !== null && <Address value={ownerAddress} name={nameOf(ownerAddress)} />}
      {toAddress !== null && (
        <>
          {' '}
          {t('log.to')} <Address value={toAddress} name={nameOf(toAddress)} />
        </>
      )}
    </>
  );
}

function Actor({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('console');
  const { callerId } = useSession();
  const { actor, address, apiKeyId, apiKeyName } = entry;
  if (address !== null) return <bdi dir="ltr">{shortenAddress(address)}</bdi>;
  if (apiKeyId === null) return <>{t(`log.actors.${actor}`)}</>;
  return (
    <>
      {t(apiKeyId === callerId ? 'log.actors.ownKey' : 'log.actors.apiKey')}{' '}
      {apiKeyName === null ? <bdi dir="ltr">{shortenId(apiKeyId)}</bdi> : <bdi>{apiKeyName}</bdi>}
    </>
  );
}

/** The begin of a UUID is enough to tell a few apart. The id of a design is its name. */
const shortenId = (id: string) => (id.length === 36 ? id.slice(0, 8) : id);

/** The begin of a day, such as `2026-11-24`, in the time zone of the visitor. Null if it is no day. */
function toTimestamp(day: string): number | null {
  const timestamp = new Date(`${day}T00:00:00`).getTime();
  return Number.isNaN(timestamp) || timestamp < 0 ? null : timestamp;
}

/** The end of a day. Where clocks change, a day has 23 or 25 hours. */
function toEndTimestamp(day: string): number | null {
  return toTimestamp(day) === null ? null : toEnd({ day, time: '' });
}
