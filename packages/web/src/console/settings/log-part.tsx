import type { AuditEntry } from '@badge/sdk';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Address, shortenAddress } from '../../design/address.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { useFormats } from '../../formats.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { toEnd } from '../make/times.ts';
import { useSession } from '../session/session.ts';
import { TextField } from '../text-field.tsx';
import { type LoggedBadge, useHeadline, useLogNames, useOperation } from './log-names.ts';
import styles from './settings-page.module.css';

type Action = AuditEntry['action'];

/** What happened in the community, the newest first, in words. */
export function LogPart() {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const { dateTime } = useFormats();
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
  const names = useLogNames();
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
      {(items) => (
        <Rows>
          {items.map((entry) => (
            <Row
              key={entry.auditEntryId}
              title={<Entry entry={entry} name={names.get(entry.resourceId) ?? null} />}
              detail={
                <>
                  <time dateTime={new Date(entry.recordedAtTimestamp).toISOString()}>
                    {dateTime(entry.recordedAtTimestamp)}
                  </time>
                  {' · '}
                  <Actor entry={entry} keyName={names.get(entry.apiKeyId ?? '') ?? null} />
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
      )}
    </Listing>
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
  'createClaimLinks',
  'updateClaimLink',
  'revokeClaimLink',
  'createInvitations',
  'resendInvitation',
  'revokeInvitation',
  'cancelMails',
  'confirmReservation',
  'createNftType',
  'deleteNftType',
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

/** What was done, and to which badge, member, key or design. */
function Entry({
  entry: { action, resourceType, resourceId },
  name,
}: {
  entry: AuditEntry;
  name: string | null;
}) {
  const { t } = useTranslation('console');
  // A newer service can have further actions.
  const text = t(`log.actions.${action}`, { defaultValue: action });
  if (resourceType === 'operation') return <OperationEntry text={text} operationId={resourceId} />;
  if (resourceType === 'token') return <TokenEntry text={text} tokenId={Number(resourceId)} />;
  if (resourceType === 'member') return <About text={text} about={<Address value={resourceId} />} />;
  if (name === null) return text;
  return <About text={text} about={<bdi>{name}</bdi>} />;
}

function OperationEntry({ text, operationId }: { text: string; operationId: string }) {
  const { t } = useTranslation('console');
  const operation = useOperation(operationId);
  if (operation.status !== 'loaded') return text;
  const { badge, isFailed } = operation.value;
  if (isFailed) return <About text={text} about={t('log.failed')} />;
  return badge === null ? text : <About text={text} about={<BadgeLink {...badge} />} />;
}

function TokenEntry({ text, tokenId }: { text: string; tokenId: number }) {
  const { t } = useTranslation('console');
  const headline = useHeadline(tokenId);
  const shown = headline.status === 'loaded' ? headline.value : t('log.badge', { id: tokenId });
  return <About text={text} about={<BadgeLink tokenId={tokenId} headline={shown} />} />;
}

function BadgeLink({ tokenId, headline }: LoggedBadge) {
  return (
    <Link href={`/badges/${tokenId}`}>
      <bdi>{headline}</bdi>
    </Link>
  );
}

function About({ text, about }: { text: string; about: ReactNode }) {
  return (
    <span>
      {text}: {about}
    </span>
  );
}

function Actor({ entry, keyName }: { entry: AuditEntry; keyName: string | null }) {
  const { t } = useTranslation('console');
  const { callerId } = useSession();
  const { actor, address, apiKeyId } = entry;
  if (address !== null) return <bdi dir="ltr">{shortenAddress(address)}</bdi>;
  if (apiKeyId === null) return <>{t(`log.actors.${actor}`)}</>;
  return (
    <>
      {t(apiKeyId === callerId ? 'log.actors.ownKey' : 'log.actors.apiKey')}{' '}
      {keyName === null ? <bdi dir="ltr">{apiKeyId.slice(0, 8)}</bdi> : <bdi>{keyName}</bdi>}
    </>
  );
}

/** The begin of a day, such as `2026-11-24`, in the time zone of the visitor. Null if it is no day. */
function toTimestamp(day: string): number | null {
  const timestamp = new Date(`${day}T00:00:00`).getTime();
  return Number.isNaN(timestamp) || timestamp < 0 ? null : timestamp;
}

/** The end of a day. Where clocks change, a day has 23 or 25 hours. */
function toEndTimestamp(day: string): number | null {
  return toTimestamp(day) === null ? null : toEnd({ day, time: '' });
}
