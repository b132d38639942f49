import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import styles from './pagination.module.css';

interface PaginationProps {
  /** What has these pages, if there is something else with pages beside it. */
  title?: string;
  /** From 1. */
  page: number;
  hasNextPage: boolean;
  onChange: (page: number) => void;
}

/** Buttons for the previous and the next page. Nothing is shown if there is only one page. */
export function Pagination({ title, page, hasNextPage, onChange }: PaginationProps) {
  const { t } = useTranslation();
  if (page === 1 && !hasNextPage) return null;
  return (
    <nav
      className={styles.pagination}
      aria-label={title === undefined ? t('shell.pages') : `${t('shell.pages')}: ${title}`}
    >
      <Button isDisabled={page === 1} onClick={() => onChange(page - 1)}>
        {t('shell.previousPage')}
      </Button>
      <span className={styles.page} aria-current="page">
        {t('shell.page', { page })}
      </span>
      <Button isDisabled={!hasNextPage} onClick={() => onChange(page + 1)}>
        {t('shell.nextPage')}
      </Button>
    </nav>
  );
}
