import type { BadgeImport } from '@badge/sdk';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Pagination } from '../../design/pagination.tsx';
import { saveFile } from '../../save-file.ts';
import styles from '../give/give-page.module.css';
import { Status } from '../listing.tsx';
import peopleStyles from '../people/people-list.module.css';
import { toCsv } from '../to-csv.ts';
import tableStyles from './line-table.module.css';

const PAGE_SIZE = 10;
const TONES = { imported: 'good', skipped: 'plain', problem: 'bad' } as const;

interface LineTableProps {
  title: string;
  /** The title of the column with the details. */
  column: string;
  lines: readonly (BadgeImport['problems'][number] & { outcome?: keyof typeof TONES })[];
  /** How many lines there are. The service returns only the first ones. */
  total: number;
  /** If given, the lines are also a CSV file of this name. */
  fileName?: string;
}

/** Lines of a file, and what would happen to them or why they cannot be imported. */
export function LineTable({ title, column, lines, total, fileName }: LineTableProps) {
  const { t } = useTranslation('console');
  const titleId = useId();
  const [page, setPage] = useState(1);
  const start = (page - 1) * PAGE_SIZE;
  return (
    <section className={styles.part} aria-labelledby={titleId}>
      <h4 id={titleId} className={tableStyles.title}>
        {title}
      </h4>
      {lines.length < total && (
        <p className={styles.muted}>{t('transfers.import.first', { lines: lines.length, total })}</p>
      )}
      <table className={peopleStyles.table}>
        <thead>
          <tr>
            <th scope="col">{t('give.table.line')}</th>
            <th scope="col">{column}</th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(start, start + PAGE_SIZE).map(({ line, detail, outcome }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line can be there twice, and never moves.
            <tr key={start + index}>
              <td>
                <bdi>{line}</bdi>
              </td>
              <td>
                <div className={peopleStyles.status}>
                  {outcome !== undefined && (
                    <Status tone={TONES[outcome]}>{t(`transfers.import.outcomes.${outcome}`)}</Status>
                  )}
                  <bdi lang="en">{detail}</bdi>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Pagination
        title={title}
        page={page}
        hasNextPage={start + PAGE_SIZE < lines.length}
        onChange={setPage}
      />
      {fileName !== undefined && (
        <div className={styles.actions}>
          <Button
            onClick={() =>
              saveFile(
                fileName,
                toCsv([[t('give.table.line'), column], ...lines.map(({ line, detail }) => [line, detail])]),
              )
            }
          >
            {t('listing.csv')}
          </Button>
        </div>
      )}
    </section>
  );
}
