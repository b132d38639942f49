import type { RecipientHistoryEntry } from '@badge/sdk';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { shortenAddress } from '../../design/address.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import { isAddress } from '../../urls.ts';
import { useLoaded, useReloadOn } from '../../use-loaded.ts';
import { Details } from '../badges/details.tsx';
import type en from '../i18n/en.json';
import { useSession } from '../session/session.ts';
import styles from './people-list.module.css';

/** The service knows no more of one person. */
const MAX_ENTRIES = 1_000;

interface PersonHistoryProps {
  tokenId: number;
  recipientId: string;
  version: number;
}

/** What happened to a person, the newest first. */
export function PersonHistory({ tokenId, recipientId, version }: PersonHistoryProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { dateTime, end } = useFormats();
  const history = useLoaded(`history/${recipientId}`, async (signal) => {
    const part = { tokenId, recipientId, limit: MAX_ENTRIES };
    return (await badge.listRecipientHistory(part, { signal })).data.toReversed();
  });
  useReloadOn(version, history.reload);
  return (
    <section className={styles.history} aria-label={t('people.history.title')}>
      <h3>{t('people.history.title')}</h3>
      {history.status === 'loading' && <LoadingBlock />}
      {history.status === 'failed' && <LoadError error={history.error} onRetry={history.reload} />}
      {history.status === 'loaded' && (
        <ol className={`plain-list ${styles.history}`}>
          {history.value.map((entry) => (
            <li key={`${entry.type} ${entry.createdAtTimestamp}`}>
              <div>{describe(entry, t, end)}</div>
              <div className={styles.detail}>
                <Details of={[dateTime(entry.createdAtTimestamp), ...describeActor(entry, t)]} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

type Way = keyof typeof en.people.ways;

function describe(
  { type, detail }: RecipientHistoryEntry,
  t: TFunction<'console'>,
  end: (timestamp: number) => string,
): string {
  // A newer service can have further types and ways.
  const text = t(`people.history.types.${type}`, { defaultValue: type, tokenId: detail });
  if (detail === null || type === 'replaced') return text;
  if (type === 'reminded')
    return t(`people.history.reminded.${detail as 'claim' | 'expiry'}`, { defaultValue: text });
  if (type === 'renewed') return `${text}: ${t('people.validUntil', { date: end(Number(detail)) })}`;
  if (type === 'added') return `${text}: ${t(`people.ways.${detail as Way}`, { defaultValue: detail })}`;
  return `${text}: ${isAddress(detail) ? shortenAddress(detail) : detail}`;
}

function describeActor({ actor }: RecipientHistoryEntry, t: TFunction<'console'>): string[] {
  // The person did it.
  if (actor === null || actor === 'claimCode' || actor === 'signature') return [];
  if (isAddress(actor)) return [shortenAddress(actor)];
  return [t(`log.actors.${actor as keyof typeof en.log.actors}`, { defaultValue: actor })];
}
