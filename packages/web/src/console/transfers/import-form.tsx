import { LIMITS } from '@badge/protocol/limits';
import type { NewImport } from '@badge/sdk';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { FileButton } from '../../design/file-button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Notice } from '../../design/notice.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { TextField } from '../../design/text-field.tsx';
import { useFileDrop } from '../../design/use-file-drop.ts';
import { describeError } from '../describe-error.ts';
import styles from '../give/give-page.module.css';
import { type CsvChoices, CsvForm, DATE_ORDERS, startChoices, toMapping } from './csv-form.tsx';
import { readCsvColumns } from './read-csv-columns.ts';

type Format = NewImport['format'];

/** What this tab sends. A reloaded page does not have the file any more. */
export type ImportSource = Pick<NewImport, 'file' | 'format' | 'mapping'>;

// What most organisers bring comes first.
const FORMATS = ['poap', 'openbadges', 'csv', 'badge', 'listings'] as const satisfies readonly Format[];
const FILE_TYPES: Record<Format, string> = {
  poap: '.json,.zip',
  openbadges: '.png,.svg,.json,.jsonld,.jwt,.zip',
  csv: '.csv,.txt,.tsv',
  badge: '.tar',
  listings: '.json,.zip',
};
const FACTS = ['first', 'mails', 'again', 'public'] as const;

type Problem = 'noFile' | 'empty' | 'tooLarge' | 'noColumns';

interface ImportFormProps {
  format: Format;
  onFormat: (format: Format) => void;
  isSending: boolean;
  /** Why the file could not be sent, or null. */
  error: unknown;
  /** Starts the dry run. */
  onCheck: (source: ImportSource) => void;
}

/** Where a file of another service is chosen and, if it is a table, what its columns are. */
export function ImportForm({ format, onFormat, isSending, error, onCheck }: ImportFormProps) {
  const { t } = useTranslation('console');
  const [file, setFile] = useState<File | null>(null);
  const [csv, setCsv] = useState<CsvChoices | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  /** Of the CSV files of POAP Gallery, which writes dates as the language of a browser has them. */
  const [dateOrder, setDateOrder] = useState('');
  const [service, setService] = useState('');
  const [community, setCommunity] = useState('');
  // Other files say it.
  const isServiceAsked = format === 'listings' || (format === 'csv' && csv !== null);
  const [isChecked, setIsChecked] = useState(false);
  // A file that was chosen meanwhile is another one.
  const latestRef = useRef<File>(null);
  const { isDragging, place } = useFileDrop((dropped) => void open(dropped, format));

  async function open(chosen: File, as: Format): Promise<void> {
    latestRef.current = chosen;
    setFile(chosen);
    setCsv(null);
    setIsChecked(false);
    const wrong = chosen.size > LIMITS.importBytes ? 'tooLarge' : chosen.size === 0 ? 'empty' : null;
    setProblem(wrong);
    if (as !== 'csv' || wrong !== null) return;
    const columns = await readCsvColumns(chosen).catch(() => []);
    if (latestRef.current !== chosen) return;
    if (columns.length === 0) setProblem('noColumns');
    else setCsv(startChoices(columns));
  }

  function check(): void {
    setIsChecked(true);
    if (file === null) setProblem('noFile');
    if (file === null || problem !== null) return;
    const mapping = readMapping();
    if (mapping !== null) onCheck({ file, format, ...(Object.keys(mapping).length > 0 && { mapping }) });
  }

  /** What the service needs to know of the file; null if something is missing. */
  function readMapping(): Record<string, string> | null {
    if (format === 'poap') return dateOrder === '' ? {} : { dateOrder };
    if (!isServiceAsked) return {};
    if (service.trim() === '') return null;
    const origin = { service: service.trim() };
    if (format === 'listings') {
      return community.trim() === '' ? origin : { ...origin, communityId: community.trim() };
    }
    const columns = csv === null ? null : toMapping(csv);
    return columns === null ? null : { ...columns, ...origin };
  }

  return (
    <div {...place} className={joinClasses(styles.part, isDragging && styles.dragging)}>
      <p>{t('transfers.import.lead')}</p>
      <ul>
        {FACTS.map((fact) => (
          <li key={fact}>{t(`transfers.import.facts.${fact}`)}</li>
        ))}
      </ul>
      <ChoiceField
        legend={t('transfers.import.format')}
        value={format}
        onChange={(chosen) => {
          onFormat(chosen);
          if (file !== null) void open(file, chosen);
        }}
        choices={FORMATS.map((value) => ({
          value,
          label: t(`transfers.import.formats.${value}`),
          hint: t(`transfers.import.formatHints.${value}`),
        }))}
      />
      <FileButton
        label={t('transfers.import.file')}
        accept={FILE_TYPES[format]}
        fileName={file?.name ?? null}
        isDisabled={isSending}
        onFile={(chosen) => void open(chosen, format)}
      />
      <p className={styles.muted}>{t('transfers.import.fileHint')}</p>
      {format === 'poap' && (
        <SelectField
          label={t('transfers.import.columns.poapDates')}
          value={dateOrder}
          onChange={(event) => setDateOrder(event.target.value)}
        >
          <option value="">{t('transfers.import.columns.noDates')}</option>
          {DATE_ORDERS.map((order) => (
            <option key={order} value={order}>
              {t(`transfers.import.columns.dateOrders.${order}`)}
            </option>
          ))}
        </SelectField>
      )}
      {format === 'csv' && csv !== null && <CsvForm choices={csv} onChange={setCsv} isChecked={isChecked} />}
      {isServiceAsked && (
        <TextField
          label={t('transfers.import.columns.service')}
          hint={t('transfers.import.columns.serviceHint')}
          value={service}
          error={isChecked && service.trim() === '' ? t('transfers.import.columns.serviceMissing') : null}
          onChange={(event) => setService(event.target.value)}
        />
      )}
      {format === 'listings' && (
        <TextField
          label={t('transfers.import.columns.community')}
          hint={t('transfers.import.columns.communityHint')}
          value={community}
          onChange={(event) => setCommunity(event.target.value)}
        />
      )}
      {problem !== null && (
        <Notice tone="error" isLive>
          {t(`transfers.import.fileProblems.${problem}`)}
        </Notice>
      )}
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
      <div className={styles.actions}>
        <Button variant="primary" isBusy={isSending} onClick={check}>
          {t('transfers.import.check')}
        </Button>
        {isSending && <span role="status">{t('transfers.import.uploading')}</span>}
      </div>
    </div>
  );
}
