import { useTranslation } from 'react-i18next';
import { ChoiceField } from '../../design/choice-field.tsx';
import { Notice } from '../../design/notice.tsx';
import { TextField } from '../../design/text-field.tsx';
import { CsvColumns } from './csv-columns.tsx';
import {
  type CsvMapping,
  findDateOrder,
  guessMapping,
  namesBadge,
  namesPeople,
  saysWhoHasIt,
} from './csv-mapping.ts';
import type { CsvColumn } from './read-csv-columns.ts';

export const DATE_ORDERS = ['dmy', 'mdy'] as const;

/** What the import needs to know of a CSV file. */
export interface CsvChoices {
  columns: readonly CsvColumn[];
  mapping: CsvMapping;
  /** The headline of the badge, if no column says which badge a line is about. */
  headline: string;
  dateOrder: 'dmy' | 'mdy' | null;
  /** Whether the people have the badge, if no column says it. */
  isHeld: boolean;
}

export function startChoices(columns: readonly CsvColumn[]): CsvChoices {
  const mapping = guessMapping(columns.map(({ title }) => title));
  return { columns, mapping, headline: '', dateOrder: null, isHeld: true };
}

const isHeadlineMissing = ({ mapping, headline }: CsvChoices) =>
  !namesBadge(mapping) && headline.trim() === '';

/** Whether nobody would have the badge, because no column says it: each could claim it. */
const isHeldAsked = ({ mapping }: CsvChoices) => namesPeople(mapping) && !saysWhoHasIt(mapping);
const isOrderMissing = ({ mapping, columns, dateOrder }: CsvChoices) =>
  dateOrder === null && findDateOrder(mapping, columns).date !== null;

/** The columns and settings that the service gets, or null if something is missing. */
export function toMapping(choices: CsvChoices): Record<string, string> | null {
  const { columns, mapping, headline, isHeld } = choices;
  if (isHeadlineMissing(choices) || isOrderMissing(choices)) return null;
  const found = findDateOrder(mapping, columns);
  const dateOrder = found.date === null ? found.order : choices.dateOrder;
  return {
    ...mapping,
    ...(namesBadge(mapping) ? {} : { headline: `=${headline.trim()}` }),
    ...(isHeldAsked(choices) && isHeld ? { status: '=claimed' } : {}),
    ...(dateOrder === null ? {} : { dateOrder }),
  };
}

interface CsvFormProps {
  choices: CsvChoices;
  onChange: (choices: CsvChoices) => void;
  /** Whether what is missing is shown. */
  isChecked: boolean;
}

/** What the columns of a CSV file are, and what the file does not say. */
export function CsvForm({ choices, onChange, isChecked }: CsvFormProps) {
  const { t } = useTranslation('console');
  const { columns, mapping, headline, dateOrder, isHeld } = choices;
  const { date } = findDateOrder(mapping, columns);
  const change = (changed: Partial<CsvChoices>) => onChange({ ...choices, ...changed });
  return (
    <>
      <CsvColumns columns={columns} mapping={mapping} onMapping={(next) => change({ mapping: next })} />
      {!namesPeople(mapping) && <Notice tone="warning">{t('transfers.import.columns.nobody')}</Notice>}
      {!namesBadge(mapping) && (
        <TextField
          label={t('transfers.import.columns.headline')}
          hint={t('transfers.import.columns.headlineHint')}
          value={headline}
          error={
            isChecked && isHeadlineMissing(choices) ? t('transfers.import.columns.headlineMissing') : null
          }
          onChange={(event) => change({ headline: event.target.value })}
        />
      )}
      {isHeldAsked(choices) && (
        <ChoiceField
          legend={t('transfers.import.columns.held')}
          value={isHeld ? 'yes' : 'no'}
          onChange={(value) => change({ isHeld: value === 'yes' })}
          choices={(['yes', 'no'] as const).map((value) => ({
            value,
            label: t(`transfers.import.columns.heldChoices.${value}`),
          }))}
        />
      )}
      {date !== null && (
        <ChoiceField
          legend={t('transfers.import.columns.dateOrder', { date })}
          value={dateOrder ?? ''}
          onChange={(order) => change({ dateOrder: order === '' ? null : order })}
          choices={DATE_ORDERS.map((value) => ({
            value,
            label: t(`transfers.import.columns.dateOrders.${value}`),
          }))}
        />
      )}
      {isChecked && isOrderMissing(choices) && (
        <Notice tone="error" isLive>
          {t('transfers.import.columns.dateOrderMissing')}
        </Notice>
      )}
    </>
  );
}
