import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Notice } from '../../design/notice.tsx';
import { Pagination } from '../../design/pagination.tsx';
import { SelectField } from '../../design/select-field.tsx';
import type { ListTable } from '../../lists/read-list-table.ts';
import type { ListRow } from '../../lists/read-workbook.ts';
import { cleanCell } from './clean-cell.ts';
import { ColumnExamples } from './column-examples.tsx';
import { ROLES, type Role } from './column-titles.ts';
import styles from './columns-part.module.css';
import { findDoubtfulTexts } from './find-doubtful-texts.ts';
import giveStyles from './give-page.module.css';
import { type ColumnMapping, guessColumns } from './guess-columns.ts';

const EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 60;
/** Titles are near the top. */
const MAX_TITLE_CHOICES = 20;
const HIDDEN_PAGE_SIZE = 50;
const MAX_ROW_LENGTH = 300;

interface ColumnsPartProps {
  table: ListTable;
  /** The rows that are read. */
  rows: readonly ListRow[];
  hiddenCount: number;
  hasHidden: boolean;
  onHasHidden: (hasHidden: boolean) => void;
  mapping: ColumnMapping;
  onMapping: (mapping: ColumnMapping) => void;
  /** Reads another sheet of the workbook. */
  onSheet: (sheet: number) => void;
}

/** What was read of a list: the sheet, which column is what, and what was left out. People change it here. */
export function ColumnsPart(props: ColumnsPartProps) {
  const { table, rows, hiddenCount, hasHidden, onHasHidden, mapping, onMapping, onSheet } = props;
  const { t } = useTranslation('console');
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => headingRef.current?.focus(), []);

  const { titleLine, roles, asked, isNameAsked } = mapping;
  const labels = labelColumns(rows, mapping);
  const listOf = (indexes: readonly number[]) => indexes.map((index) => labels[index] ?? '').join(', ');
  const below = rows.filter(({ line }) => titleLine === null || line > titleLine);
  const above = rows.filter(({ line }) => titleLine !== null && line < titleLine);
  const doubtful = findDoubtfulTexts(table);
  const sheets = table.workbook?.sheets ?? [];
  const choose = (index: number, role: Role) =>
    onMapping({ ...mapping, roles: roles.map((old, place) => (place === index ? role : old)), asked: [] });
  const examplesOf = (index: number) =>
    below
      .map(({ cells }) => cleanCell(cells[index] ?? '').slice(0, MAX_EXAMPLE_LENGTH))
      .filter((cell) => cell !== '')
      .slice(0, EXAMPLES);
  return (
    <Card className={giveStyles.part}>
      <h2 ref={headingRef} tabIndex={-1} className={giveStyles.heading}>
        {t('give.columns.title')}
      </h2>
      <div className={giveStyles.fields}>
        {sheets.length > 1 && (
          <SelectField
            label={t('give.columns.sheet')}
            value={table.workbook?.sheet}
            onChange={(event) => onSheet(Number(event.target.value))}
          >
            {sheets.map(({ name, isHidden }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: sheets have no other key, and never move.
              <option key={place} value={place}>
                {isHidden ? t('give.columns.hiddenSheet', { name }) : name}
              </option>
            ))}
          </SelectField>
        )}
        {roles.length > 1 && titleLine !== 0 && (
          <SelectField
            label={t('give.columns.titles')}
            value={titleLine ?? ''}
            onChange={(event) => {
              const { value } = event.target;
              onMapping(guessColumns(rows, value === '' ? null : Number(value)));
            }}
          >
            <option value="">{t('give.columns.noTitles')}</option>
            {rows.slice(0, MAX_TITLE_CHOICES).map(({ line, cells }) => (
              <option key={line} value={line}>
                {`${line}: ${cells.map(cleanCell).filter(Boolean).join(', ').slice(0, MAX_EXAMPLE_LENGTH)}`}
              </option>
            ))}
          </SelectField>
        )}
      </div>
      {hiddenCount > 0 && (
        <Notice
          tone="warning"
          actions={
            <Button size="small" onClick={() => onHasHidden(!hasHidden)}>
              {t(hasHidden ? 'give.columns.leaveOut' : 'give.columns.include')}
            </Button>
          }
        >
          {t(hasHidden ? 'give.columns.hiddenRead' : 'give.columns.hidden', { count: hiddenCount })}
        </Notice>
      )}
      {hiddenCount > 0 && <HiddenRows rows={table.rows.filter(({ isHidden }) => isHidden)} />}
      {above.length > 0 && (
        <p className={giveStyles.muted}>
          {t('give.columns.above', {
            texts: above
              .slice(0, EXAMPLES)
              .map(
                ({ cells }) =>
                  `“${cells.map(cleanCell).filter(Boolean).join(' ').slice(0, MAX_EXAMPLE_LENGTH)}”`,
              )
              .join(', '),
          })}
        </p>
      )}
      {doubtful.length > 0 && (
        <Notice tone="warning">{t('give.columns.letters', { texts: doubtful.join(', ') })}</Notice>
      )}
      {asked.length > 0 && (
        <Notice
          tone="warning"
          actions={
            <Button
              size="small"
              onClick={() =>
                onMapping({
                  ...mapping,
                  roles: roles.map((role, index) => (asked.includes(index) ? 'recipient' : role)),
                  asked: [],
                })
              }
            >
              {t('give.columns.allPeople')}
            </Button>
          }
        >
          {t('give.columns.asked', { columns: listOf(asked) })}
        </Notice>
      )}
      {isNameAsked && !roles.some((role) => /name$/i.test(role)) && (
        <Notice tone="info">{t('give.columns.nameAsked')}</Notice>
      )}
      {roles.length > 1 && (
        <ul className={`plain-list ${styles.columns}`}>
          {roles.map((role, index) => {
            const examples = examplesOf(index);
            if (examples.length === 0) return null;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other key, and never move.
              <li key={index} className={styles.column}>
                <SelectField
                  label={<bdi>{labels[index]}</bdi>}
                  value={role}
                  onChange={(event) => choose(index, event.target.value as Role)}
                >
                  {ROLES.map((one) => (
                    <option key={one} value={one}>
                      {t(`give.columns.roles.${one}`)}
                    </option>
                  ))}
                </SelectField>
                <ColumnExamples examples={examples} />
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}

/** The rows that a spreadsheet program hides, so that people see whom they leave out. */
function HiddenRows({ rows }: { rows: readonly ListRow[] }) {
  const { t } = useTranslation('console');
  const [page, setPage] = useState(1);
  const start = (page - 1) * HIDDEN_PAGE_SIZE;
  return (
    <details>
      <summary>{t('give.columns.showHidden')}</summary>
      <ul>
        {rows.slice(start, start + HIDDEN_PAGE_SIZE).map(({ line, cells }) => (
          <li key={line}>
            {`${line}: `}
            <bdi>{cells.map(cleanCell).filter(Boolean).join(', ').slice(0, MAX_ROW_LENGTH)}</bdi>
          </li>
        ))}
      </ul>
      <Pagination page={page} hasNextPage={start + HIDDEN_PAGE_SIZE < rows.length} onChange={setPage} />
    </details>
  );
}

/** The titles of the columns, at most their begin; the letters of a spreadsheet for those without. */
export function labelColumns(rows: readonly ListRow[], { titleLine, roles }: ColumnMapping): string[] {
  const titles = rows.find(({ line }) => line === titleLine)?.cells.map(cleanCell) ?? [];
  return roles.map((_, index) => titles[index]?.slice(0, MAX_EXAMPLE_LENGTH) || toLetters(index));
}

function toLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : `${toLetters(Math.floor(index / 26) - 1)}${last}`;
}
