import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { badge } from '../../api.ts';
import { AddressMark } from '../../design/address-mark.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { useFormats } from '../../formats.ts';
import { PagedSection, usePagedList } from '../../paged-list.tsx';
import { NamedAddress } from '../../token/named-address.tsx';
import styles from './owner-list.module.css';

const PAGE_SIZE = 12;

/** Who holds a badge, the oldest claim first. */
export function OwnerList({ tokenId }: { tokenId: number }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  const owners = usePagedList({
    name: `owners/${tokenId}`,
    pageSize: PAGE_SIZE,
    parameter: 'owners',
    list: (part, signal) => badge.listOwners({ tokenId, ...part }, { signal }),
  });
  return (
    <PagedSection
      title={t('badge.owners')}
      list={owners}
      empty={
        <EmptyState title={t('badge.noOwners.title')}>
          <p>{t('badge.noOwners.text')}</p>
        </EmptyState>
      }
    >
      {(items) => (
        <ul className={`plain-list ${styles.list}`}>
          {items.map(({ address, claimedAtTimestamp }) => (
            <li key={address}>
              <Link href={`/wallet/${address}`} className={styles.owner}>
                <AddressMark address={address} />
                <span className={styles.text}>
                  <NamedAddress value={address} />
                  <time dateTime={new Date(claimedAtTimestamp).toISOString()} className={styles.date}>
                    {date(claimedAtTimestamp)}
                  </time>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </PagedSection>
  );
}
