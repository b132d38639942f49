import type { AuditEntry } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Address, shortenAddress } from '../../design/address.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { useFormats } from '../../formats.ts';
import type en from '../i18n/en.json';
import { Listing, Row, Rows } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import { TextField } from '../text-field.tsx';
import styles from './settings-page.module.css';

type Action = keyof typeof en.log.actions;
const DAY_MS = 86_400_000;

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
  const untilTimestamp = toTimestamp(until);
  const filter = {
    communityId,
    beforeTimestamp: untilTimestamp === null ? openedAt : Math.min(openedAt, untilTimestamp + DAY_MS),
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
      {(items) => (
        <Rows>
          {items.map((entry) => (
            <Row
              key={entry.auditEntryId}
              title={<Entry entry={entry} />}
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
  'createNftType',
  'deleteNftType',
  'createCommunity',
  'updateCommunity',
  'setMember',
  'removeMember',
  'createApiKey',
  'revokeApiKey',
] as const satisfies readonly Action[];

/** What was done, with a link to the badge if the entry names one. */
function Entry({ entry: { action, resourceType, resourceId } }: { entry: AuditEntry }) {
  const { t } = useTranslation('console');
  const text = t(`log.actions.${action as Action}`, { defaultValue: action });
  const tokenId = resourceType === 'token' || action === 'createClaimLinks' ? resourceId : null;
  if (tokenId !== null) {
    return (
      <>
        {text} <Link href={`/badges/${tokenId}`}>{t('log.badge', { id: tokenId })}</Link>
      </>
    );
  }
  return (
    <>
      {text} {resourceType === 'member' && <Address value={resourceId} />}
    </>
  );
}

function Actor({ entry: { actor, address, apiKeyId } }: { entry: AuditEntry }) {
  const { t } = useTranslation('console');
  if (address !== null) return <bdi dir="ltr">{shortenAddress(address)}</bdi>;
  return (
    <>
      {t(`log.actors.${actor}`)}
      {apiKeyId !== null && <bdi dir="ltr"> {apiKeyId.slice(0, 8)}</bdi>}
    </>
  );
}

/** The begin of a day, such as `2026-11-24`, in the time zone of the visitor. Null if it is no day. */
function toTimestamp(day: string): number | null {
  const timestamp = new Date(`${day}T00:00:00`).getTime();
  return Number.isNaN(timestamp) || timestamp < 0 ? null : timestamp;
}
