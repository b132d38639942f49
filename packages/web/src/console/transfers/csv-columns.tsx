import type { CsvField } from '@badge/protocol/csv-fields';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { SelectField } from '../../design/select-field.tsx';
import { ColumnExamples } from '../give/column-examples.tsx';
import columnStyles from '../give/columns-part.module.css';
import styles from '../give/give-page.module.css';
import { type CsvMapping, chooseField, FIELD_GROUPS, FIELDS } from './csv-mapping.ts';
import type { CsvColumn } from './read-csv-columns.ts';

const EXAMPLES = 3;
const GROUPS = ['badge', 'person'] as const;

interface CsvColumnsProps {
  columns: readonly CsvColumn[];
  mapping: CsvMapping;
  onMapping: (mapping: CsvMapping) => void;
}

/** Which column of a CSV file is what. */
export function CsvColumns({ columns, mapping, onMapping }: CsvColumnsProps) {
  const { t } = useTranslation('console');
  const titleId = useId();
  return (
    <section className={styles.part} aria-labelledby={titleId}>
      <h3 id={titleId}>{t('transfers.import.columns.title')}</h3>
      <ul className={`plain-list ${columnStyles.columns}`}>
        {columns.map(({ title, texts }) => (
          <li key={title} className={columnStyles.column}>
            <SelectField
              label={<bdi>{title}</bdi>}
              value={FIELDS.find((field) => mapping[field] === title) ?? 'none'}
              onChange={(event) =>
                onMapping(chooseField(mapping, title, event.target.value as CsvField | 'none'))
              }
            >
              <option value="none">{t('give.columns.roles.none')}</option>
              {GROUPS.map((group) => (
                <optgroup key={group} label={t(`transfers.import.columns.groups.${group}`)}>
                  {FIELD_GROUPS[group].map((field) => (
                    <option key={field} value={field}>
                      {t(`transfers.import.columns.fields.${field}`)}
                    </option>
                  ))}
                </optgroup>
              ))}
            </SelectField>
            <ColumnExamples examples={texts.slice(0, EXAMPLES)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
