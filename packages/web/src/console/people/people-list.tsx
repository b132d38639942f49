import type { Recipient, RecipientFilter } from '@badge/sdk';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import { EmptyState } from '../../design/empty-state.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { TextField } from '../../design/text-field.tsx';
import { PagedSection, usePagedList } from '../../paged-list.tsx';
import { useReloadOn } from '../../use-loaded.ts';
import type { BadgePartProps } from '../badges/badge-part.ts';
import listingStyles from '../listing.module.css';
import { SaveButton } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import { MailCounts } from './mail-counts.tsx';
import { ManyPeople } from './many-people.tsx';
import styles from './people-list.module.css';
import { PeopleTable } from './people-table.tsx';
import { PersonPanel } from './person-panel.tsx';
import { savePeople } from './save-people.ts';
import { toStatusFilter } from './statuses.ts';

const STATUSES = [
  'claimed',
  'endsSoon',
  'waiting',
  'invited',
  'scheduled',
  'queued',
  'failed',
  'unsubscribed',
  'reserved',
  'listed',
  'linked',
  'expired',
  'burnt',
  'revoked',
  'moved',
] as const satisfies readonly (Recipient['status'] | 'endsSoon' | 'waiting')[];
const WAYS = [
  'list',
  'link',
  'invitation',
  'reservation',
  'room',
  'open',
  'airdrop',
  'import',
] as const satisfies readonly Recipient['way'][];
const ORDERS = ['newest', 'oldest', 'name', 'status'] as const;
const PAGE_SIZE = 50;
/** The service returns no more at once. */
const MAX_PAGE_SIZE = 1_000;
const MAX_SEARCH_CHARACTERS = 100;
/** The search waits until nothing was typed for this long. */
const TYPING_MS = 250;

/** Everybody to whom the badge was given, whichever way it was, and what the community can do about it. */
export function PeopleList({
  token,
  version,
  eventCount,
  hasFile = true,
  onChange,
}: BadgePartProps & {
  /** Whether the list is also a CSV file. */
  hasFile?: boolean;
}) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { tokenId } = token;
  const [params, setParams] = useSearchParams();
  const status = STATUSES.find((one) => one === params.get('status'));
  const way = WAYS.find((one) => one === params.get('way'));
  const order = ORDERS.find((one) => one === params.get('order')) ?? 'newest';
  // Whom somebody looks for is not in the address of the page.
  const [text, setText] = useState('');
  const search = useSettled(toSearch(text));
  const [selected, setSelected] = useState<ReadonlyMap<string, Recipient>>(new Map());
  const [openId, setOpenId] = useState<string | null>(null);
  const filter = {
    ...(search !== '' && { search }),
    ...(status !== undefined && { ...toStatusFilter(status) }),
    ...(way !== undefined && { way }),
  };
  const isFiltered = Object.keys(filter).length > 0;
  const name = `people/${tokenId}/${order}/${JSON.stringify(filter)}`;
  const pages = usePagedList({
    name,
    pageSize: PAGE_SIZE,
    parameter: 'page',
    list: (part, signal) => badge.listRecipients({ tokenId, order, ...filter, ...part }, { signal }),
  });
  const { items, total, reload } = pages;
  useReloadOn(version + eventCount, reload);

  /** Another filter is another list, which begins at its first page. */
  const setFilter = useCallback(
    (filterName: string, value: string) => {
      setParams(
        (last) => {
          const next = new URLSearchParams(last);
          next.delete('page');
          if (value === '') next.delete(filterName);
          else next.set(filterName, value);
          return next;
        },
        { replace: true },
      );
    },
    [setParams],
  );

  const open = items.find(({ recipientId }) => recipientId === openId);
  // Who has left the list, for example because of the filter, is not open any more.
  const isGone = pages.status === 'loaded' && !pages.isLoadingPage && openId !== null && open === undefined;
  useEffect(() => {
    if (isGone) setOpenId(null);
  }, [isGone]);

  return (
    <div className={listingStyles.listing}>
      <MailCounts
        token={token}
        version={version}
        eventCount={eventCount}
        onShow={(shown) => setFilter('status', shown)}
        onChange={onChange}
      />
      <div className={listingStyles.tools}>
        <div className={listingStyles.search}>
          <TextField
            type="search"
            label={t('people.search')}
            autoComplete="off"
            spellCheck={false}
            maxLength={MAX_SEARCH_CHARACTERS}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              if (params.has('page')) setFilter('page', '');
            }}
          />
        </div>
        <FilterField
          label={t('people.status')}
          all={t('people.all')}
          value={status ?? ''}
          values={STATUSES.map((one) => [one, t(`people.statuses.${one}`)])}
          onChange={(value) => setFilter('status', value)}
        />
        <FilterField
          label={t('people.way')}
          all={t('people.all')}
          value={way ?? ''}
          values={WAYS.map((one) => [one, t(`people.ways.${one}`)])}
          onChange={(value) => setFilter('way', value)}
        />
        <FilterField
          label={t('people.order')}
          value={order}
          values={ORDERS.map((one) => [one, t(`people.orders.${one}`)])}
          onChange={(value) => setFilter('order', value === 'newest' ? '' : value)}
        />
        {hasFile && <PeopleFileButton tokenId={tokenId} filter={{ ...filter, order }} />}
      </div>
      <div className={styles.list}>
        {may('issuer') && (
          <ManyPeople
            token={token}
            selected={selected}
            total={total ?? 0}
            listAll={() => badge.listRecipients({ tokenId, order, ...filter, limit: MAX_PAGE_SIZE })}
            onSelect={setSelected}
            onChange={onChange}
          />
        )}
        <PagedSection
          title={t('badge.people')}
          lead={<span role="status">{total === null ? '' : t('people.total', { count: total })}</span>}
          list={pages}
          empty={<EmptyState title={t(isFiltered ? 'people.noneSuch' : 'people.none')} />}
        >
          {(shown) => (
            <PeopleTable
              people={shown}
              isSelectable={may('issuer')}
              selected={selected}
              onSelect={setSelected}
              onOpen={setOpenId}
            />
          )}
        </PagedSection>
      </div>
      {open !== undefined && (
        <PersonPanel
          key={open.recipientId}
          token={token}
          person={open}
          version={version + eventCount}
          onChange={onChange}
          onClose={() => setOpenId(null)}
        />
      )}
    </div>
  );
}

/** Saves everybody who is found, on all pages. */
function PeopleFileButton({
  tokenId,
  filter,
}: {
  tokenId: number;
  filter: Omit<RecipientFilter, 'tokenId'>;
}) {
  const { t } = useTranslation('console');
  const { badge } = useSession();

  async function save(): Promise<void> {
    const people: Recipient[] = [];
    for await (const person of badge.listRecipients({ tokenId, ...filter, limit: MAX_PAGE_SIZE })) {
      people.push(person);
    }
    savePeople(tokenId, people, t);
  }

  return <SaveButton save={save} />;
}

interface FilterFieldProps {
  label: string;
  /** What no filter is called. */
  all?: string;
  value: string;
  values: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}

function FilterField({ label, all, value, values, onChange }: FilterFieldProps) {
  return (
    <div className={styles.filter}>
      <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {all !== undefined && <option value="">{all}</option>}
        {values.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

/** Of an address as pages shorten it, such as `0x6e45…EDFd`, the first part is searched. */
function toSearch(text: string): string {
  return text.trim().replace(/^(0x[0-9a-f]+)(?:…|\.{2,}).*$/i, '$1');
}

/** Returns the text when it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
