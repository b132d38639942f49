import type { Page, PageOptions } from '@badge/sdk';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Notice } from '../design/notice.tsx';
import { LoadingBlock } from '../design/spinner.tsx';
import { TextField } from '../design/text-field.tsx';
import { LoadError } from '../load-error.tsx';
import { PagedSection, usePagedList } from '../paged-list.tsx';
import { saveFile } from '../save-file.ts';
import { useLoaded, useReloadOn } from '../use-loaded.ts';
import { describeError } from './describe-error.ts';
import styles from './listing.module.css';
import { useSession } from './session/session.ts';

const PAGE_SIZE = 25;
/** A search reads this many items at most: the service has no search of its own. */
const SEARCHED_PAGES = 10;
const SEARCHED_PAGE_SIZE = 1_000;
const MAX_FOUND = 100;

interface ListingProps<Item> {
  /** Names what is listed, such as `owners/7`. It is another one after each change. */
  name: string;
  title: string;
  list: (part: PageOptions, signal: AbortSignal) => PromiseLike<Page<Item>>;
  /** Whether an item is found with a text in lower case. Without it, there is no search. */
  matches?: (item: Item, text: string) => boolean;
  /** The path of the list, which is also a CSV file. */
  csvPath?: string;
  filters?: ReactNode;
  /** With another number, the page is read again. Meanwhile its items stay. */
  refreshCount?: number;
  empty: string;
  children: (items: readonly Item[]) => ReactNode;
}

/** A list with pages, a search and a CSV file. */
export function Listing<Item>(props: ListingProps<Item>) {
  const { name, title, list, matches, csvPath, filters, refreshCount = 0, empty, children } = props;
  const { t } = useTranslation('console');
  const [text, setText] = useState('');
  const searched = useDeferredValue(text.trim().toLowerCase());
  const pages = usePagedList({ name, pageSize: PAGE_SIZE, parameter: 'page', list });
  const { reload } = pages;
  useReloadOn(refreshCount, reload);
  const isEmpty = pages.status === 'loaded' && pages.items.length === 0 && pages.page === 1;
  // In an empty list, nothing can be found.
  const isSearchShown = matches !== undefined && (!isEmpty || text !== '');
  return (
    <div className={styles.listing}>
      <div className={styles.tools}>
        {isSearchShown && (
          <div className={styles.search}>
            <TextField
              type="search"
              label={t('listing.search')}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
        )}
        {filters}
        {csvPath !== undefined && <CsvButton path={csvPath} />}
      </div>
      {searched === '' || matches === undefined ? (
        <PagedSection title={title} list={pages} empty={<EmptyState title={empty} />}>
          {children}
        </PagedSection>
      ) : (
        <SearchResults {...{ name, title, list, matches, refreshCount }} text={searched}>
          {children}
        </SearchResults>
      )}
    </div>
  );
}

function SearchResults<Item>({
  name,
  title,
  list,
  matches,
  refreshCount,
  text,
  children,
}: Pick<ListingProps<Item>, 'name' | 'title' | 'list' | 'children'> & {
  refreshCount: number;
  matches: (item: Item, text: string) => boolean;
  text: string;
}) {
  const { t } = useTranslation('console');
  // All items are read once. Typing searches in them.
  const all = useLoaded(`${name}/all`, async (signal) => {
    const items: Item[] = [];
    for (let page = 0; page < SEARCHED_PAGES; page += 1) {
      const part = { limit: SEARCHED_PAGE_SIZE, offset: page * SEARCHED_PAGE_SIZE };
      const { data } = await list(part, signal);
      items.push(...data);
      if (data.length < SEARCHED_PAGE_SIZE) return { items, isComplete: true };
    }
    return { items, isComplete: false };
  });
  useReloadOn(refreshCount, all.reload);
  if (all.status === 'loading') return <LoadingBlock />;
  if (all.status === 'failed') return <LoadError error={all.error} onRetry={all.reload} />;
  const found = all.value.items.filter((item) => matches(item, text));
  return (
    <section className={styles.listing} aria-label={title}>
      <p role="status">{t('listing.found', { count: found.length })}</p>
      {!all.value.isComplete && (
        <Notice tone="info">{t('listing.incomplete', { count: all.value.items.length })}</Notice>
      )}
      {found.length > 0 && children(found.slice(0, MAX_FOUND))}
    </section>
  );
}

/** Saves a list, as the service writes it. */
function CsvButton({ path }: { path: string }) {
  const { fetchFile } = useSession();

  async function download(): Promise<void> {
    const response = await fetchFile(path, 'text/csv');
    if (!response.ok) throw new Error(response.statusText);
    const [, name] = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '') ?? [];
    saveFile(name ?? 'badge.csv', await response.blob());
  }

  return <SaveButton save={download} />;
}

/** The button that saves a list as a CSV file, which says if this fails. */
export function SaveButton({ save }: { save: () => Promise<void> }) {
  const { t } = useTranslation('console');
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function run(): Promise<void> {
    setIsBusy(true);
    setError(null);
    try {
      await save();
    } catch (caught) {
      setError(caught);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <>
      <Button isBusy={isBusy} onClick={() => void run()}>
        {t('listing.csv')}
      </Button>
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
    </>
  );
}

/** The items of a `Listing`, below each other. */
export function Rows({ children }: { children: ReactNode }) {
  return <ul className={`plain-list ${styles.rows}`}>{children}</ul>;
}

/** Whether a status is good, bad or neither. */
type Tone = 'good' | 'bad' | 'plain';

/** A word about the state of an item. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={styles.status} data-tone={tone}>
      {children}
    </span>
  );
}

interface RowProps {
  title: ReactNode;
  /** A word about the state of the item. */
  status?: ReactNode;
  tone?: Tone;
  detail?: ReactNode;
  /** Buttons for the item. */
  actions?: ReactNode;
}

export function Row({ title, status, tone = 'plain', detail, actions }: RowProps) {
  return (
    <li className={styles.row}>
      <div className={styles.text}>
        <div className={styles.title}>
          {title}
          {status !== undefined && <Status tone={tone}>{status}</Status>}
        </div>
        {detail !== undefined && detail !== false && <div className={styles.detail}>{detail}</div>}
      </div>
      {actions !== undefined && actions !== false && <div className={styles.actions}>{actions}</div>}
    </li>
  );
}
