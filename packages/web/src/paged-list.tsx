import type { Page, PageOptions } from '@badge/sdk';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import { Button } from './design/button.tsx';
import { EmptyState } from './design/empty-state.tsx';
import { Pagination } from './design/pagination.tsx';
import { LoadingBlock } from './design/spinner.tsx';
import { LoadError } from './load-error.tsx';
import styles from './paged-list.module.css';
import { useLoaded } from './use-loaded.ts';

export interface PagedList<Item> {
  page: number;
  openPage: (page: number) => void;
  /**
   * `loading` until a page of the list is loaded. While another page is loading, the status is still
   * `loaded`.
   */
  status: 'loading' | 'loaded' | 'failed';
  items: readonly Item[];
  /** How many items all pages have; null until it is known, and for lists that do not say it. */
  total: number | null;
  hasNextPage: boolean;
  /**
   * Whether `page` is still loading. Meanwhile, `items` are those of the page that was shown before, if any.
   */
  isLoadingPage: boolean;
  error: unknown;
  reload: () => void;
}

interface PagedListOptions<Item> {
  /** Names what is listed, such as `owners/7`. */
  name: string;
  pageSize: number;
  /** The query parameter that contains the number of the page. */
  parameter: string;
  list: (part: PageOptions, signal: AbortSignal) => PromiseLike<Page<Item> & { total?: number }>;
}

/** Reads a list page by page. The URL contains the number of the page, so that people can share it. */
export function usePagedList<Item>(options: PagedListOptions<Item>): PagedList<Item> {
  const { name, pageSize, parameter, list } = options;
  const [search, setSearch] = useSearchParams();
  const page = readPageNumber(search.get(parameter));
  const loaded = useLoaded(`${name}/${page}`, async (signal) => {
    // One more item shows whether there is another page.
    const part = { limit: pageSize + 1, offset: (page - 1) * pageSize };
    const { data, total = null } = await list(part, signal);
    return { name, items: data.slice(0, pageSize), total, hasNextPage: data.length > pageSize };
  });
  // The page that was loaded last. It stays visible while another page of the same list is loading.
  const lastRef = useRef<
    (Pick<PagedList<Item>, 'items' | 'total' | 'hasNextPage'> & { name: string }) | null
  >(null);
  if (loaded.status === 'loaded') lastRef.current = loaded.value;
  const last = lastRef.current?.name === name ? lastRef.current : null;

  let status: PagedList<Item>['status'] = last === null ? 'loading' : 'loaded';
  if (loaded.status === 'failed') status = 'failed';

  function openPage(number: number): void {
    setSearch((current) => {
      const next = new URLSearchParams(current);
      if (number === 1) next.delete(parameter);
      else next.set(parameter, String(number));
      return next;
    });
  }

  return {
    page,
    openPage,
    status,
    items: last?.items ?? [],
    total: last?.total ?? null,
    hasNextPage: last?.hasNextPage ?? false,
    isLoadingPage: loaded.status === 'loading',
    error: loaded.status === 'failed' ? loaded.error : undefined,
    reload: loaded.reload,
  };
}

interface PagedSectionProps<Item> {
  title: string;
  /** Whether the section is the whole web page. Then its title is the heading of the web page. */
  isPage?: boolean;
  /** A line below the title. */
  lead?: ReactNode;
  list: PagedList<Item>;
  /** What is shown if the list has no items. */
  empty: ReactNode;
  /** What is shown until a page is loaded. */
  placeholder?: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}

/** A section with a title, one page of a list, and buttons for the previous and the next page. */
export function PagedSection<Item>({
  title,
  isPage = false,
  lead,
  list,
  empty,
  placeholder = <LoadingBlock />,
  children,
}: PagedSectionProps<Item>) {
  const { t } = useTranslation();
  const Heading = isPage ? 'h1' : 'h2';
  const { page, openPage, status, items, hasNextPage, isLoadingPage } = list;
  const titleId = useId();
  const titleRef = useRef<HTMLHeadingElement>(null);
  const shownPageRef = useRef(page);

  // After another page of the list is opened, the keyboard and screen readers continue at its beginning.
  useEffect(() => {
    if (isLoadingPage || shownPageRef.current === page) return;
    shownPageRef.current = page;
    titleRef.current?.focus();
  }, [page, isLoadingPage]);

  return (
    <section className={styles.section} aria-labelledby={titleId} aria-busy={isLoadingPage}>
      <div className={styles.heading}>
        <Heading id={titleId} ref={titleRef} tabIndex={-1} className={styles.title}>
          {title}
        </Heading>
        {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      </div>
      {status === 'loading' && placeholder}
      {status === 'failed' && <LoadError error={list.error} onRetry={list.reload} />}
      {status === 'loaded' && (
        <>
          {items.length > 0 && <div className={styles.items}>{children(items)}</div>}
          {items.length === 0 && page === 1 && empty}
          {items.length === 0 && page > 1 && (
            <EmptyState
              title={t('shell.pastEnd')}
              actions={<Button onClick={() => openPage(1)}>{t('shell.firstPage')}</Button>}
            />
          )}
          {items.length > 0 && <Pagination page={page} hasNextPage={hasNextPage} onChange={openPage} />}
        </>
      )}
    </section>
  );
}

function readPageNumber(text: string | null): number {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}
