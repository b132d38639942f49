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
  /** `reading` until a page of the list has been read. While another page is read, it is `read`, and the items stay. */
  status: 'reading' | 'read' | 'failed';
  items: readonly Item[];
  hasNextPage: boolean;
  /** Whether the page is being read. Until it is read, `items` are those of the previous page, if there was one. */
  isReadingPage: boolean;
  error: unknown;
  reload: () => void;
}

interface PagedListOptions<Item> {
  /** Names what is listed, such as `owners/7`. */
  name: string;
  pageSize: number;
  /** The query parameter that contains the number of the page. */
  parameter: string;
  list: (part: PageOptions, signal: AbortSignal) => PromiseLike<Page<Item>>;
}

/** Reads a list page by page. The address of the page contains the number of the page, so that it can be shared. */
export function usePagedList<Item>(options: PagedListOptions<Item>): PagedList<Item> {
  const { name, pageSize, parameter, list } = options;
  const [search, setSearch] = useSearchParams();
  const page = readPageNumber(search.get(parameter));
  const loaded = useLoaded(`${name}/${page}`, async (signal) => {
    // One item more says whether there is another page.
    const part = { limit: pageSize + 1, offset: (page - 1) * pageSize };
    const { data } = await list(part, signal);
    return { name, items: data.slice(0, pageSize), hasNextPage: data.length > pageSize };
  });
  // The page of this list that was read last. It stays visible while another page is read.
  const lastRef = useRef<{ name: string; items: Item[]; hasNextPage: boolean } | null>(null);
  if (loaded.status === 'loaded') lastRef.current = loaded.value;
  const last = lastRef.current?.name === name ? lastRef.current : null;

  let status: PagedList<Item>['status'] = last === null ? 'reading' : 'read';
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
    hasNextPage: last?.hasNextPage ?? false,
    isReadingPage: loaded.status === 'loading',
    error: loaded.status === 'failed' ? loaded.error : undefined,
    reload: loaded.reload,
  };
}

interface PagedSectionProps<Item> {
  title: string;
  /** Whether it is the whole page. Then its title is the heading of the page. */
  isPage?: boolean;
  /** A line below the title. */
  lead?: ReactNode;
  list: PagedList<Item>;
  /** What is shown if the list has no items. */
  empty: ReactNode;
  /** What is shown until the first page is read. */
  placeholder?: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}

/** A part of a page with a title, a page of a list, and buttons for the other pages. */
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
  const { page, openPage, status, items, hasNextPage, isReadingPage } = list;
  const titleId = useId();
  const titleRef = useRef<HTMLHeadingElement>(null);
  const shownPageRef = useRef(page);

  // The keyboard and screen readers continue at the beginning of the new page.
  useEffect(() => {
    if (isReadingPage || shownPageRef.current === page) return;
    shownPageRef.current = page;
    titleRef.current?.focus();
  }, [page, isReadingPage]);

  return (
    <section className={styles.section} aria-labelledby={titleId} aria-busy={isReadingPage}>
      <div className={styles.heading}>
        <Heading id={titleId} ref={titleRef} tabIndex={-1} className={styles.title}>
          {title}
        </Heading>
        {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      </div>
      {status === 'reading' && placeholder}
      {status === 'failed' && <LoadError error={list.error} onRetry={list.reload} />}
      {status === 'read' && (
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
