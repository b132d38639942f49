import type { BadgeImport } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { describeError } from '../describe-error.ts';
import styles from '../give/give-page.module.css';
import { useSession } from '../session/session.ts';
import { LineTable } from './line-table.tsx';
import { Progress } from './progress.tsx';
import { ReportHeading } from './report-heading.tsx';
import { useTransfer } from './use-transfer.ts';

interface ImportReportProps {
  importId: number;
  /** How many lines the file has, if that is known. */
  total: number | null;
  /** Whether it was started on this page. */
  isNew: boolean;
  isSending: boolean;
  /** Why the file could not be sent, or null. */
  error: unknown;
  /** Imports what the dry run has read: so many lines. Null if the page does not have the file any more. */
  onImport: ((lines: number) => void) | null;
  /** Leads back to the form, with the format of the last file; null if that is not known. */
  onEnd: (format: BadgeImport['format'] | null) => void;
}

/** A dry run or an import: how far it is, what it would do or has done, and what is not possible. */
export function ImportReport(props: ImportReportProps) {
  const { importId, isNew, onEnd } = props;
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const loaded = useTransfer(
    `import/${communityId}/${importId}`,
    (signal) => badge.getImport({ communityId, importId }, { signal }),
    () => onEnd(null),
  );
  if (loaded.status === 'loading') return <LoadingBlock />;
  if (loaded.status === 'failed') return <LoadError error={loaded.error} onRetry={loaded.reload} />;
  const report = loaded.value;
  return (
    <>
      <ReportHeading takesFocus={isNew}>{t(`transfers.import.titles.${nameTitle(report)}`)}</ReportHeading>
      <ReportBody {...props} report={report} />
    </>
  );
}

function nameTitle({ status, isDryRun }: BadgeImport) {
  if (status === 'success') return isDryRun ? 'plan' : 'result';
  if (status === 'error') return isDryRun ? 'unreadable' : 'stopped';
  return isDryRun ? 'checking' : 'importing';
}

function ReportBody(props: ReportProps) {
  const { t } = useTranslation('console');
  const { report, total } = props;
  const { status, isDryRun, lines } = report;
  if (status === 'error') return <Failed {...props} />;
  if (status === 'success') return isDryRun ? <Plan {...props} /> : <Result {...props} />;
  return (
    <Progress
      done={lines}
      total={isDryRun ? null : total}
      text={
        isDryRun || total === null
          ? t('transfers.read', { done: lines })
          : t('give.job.progress', { done: lines, total })
      }
    />
  );
}

function Failed({ report, onEnd }: ReportProps) {
  const { t } = useTranslation('console');
  const { isDryRun, format, error } = report;
  return (
    <>
      <Notice
        tone="error"
        actions={<Button onClick={() => onEnd(format)}>{t('transfers.import.another')}</Button>}
      >
        <p>
          <bdi lang="en">{error}</bdi>
        </p>
        {!isDryRun && <p>{t('transfers.import.continue')}</p>}
      </Notice>
      <Problems report={report} />
    </>
  );
}

interface ReportProps extends ImportReportProps {
  report: BadgeImport;
}

function Plan({ report, isSending, error, onImport, onEnd }: ReportProps) {
  const { t } = useTranslation('console');
  const { plan, lines, imported, skipped, problemCount } = report;
  const nothing = imported > 0 ? null : skipped > 0 && problemCount === 0 ? 'allThere' : 'nothing';
  return (
    <>
      <p>{t('transfers.import.plan.nothingYet')}</p>
      <Counts report={report} />
      {nothing !== null && <Notice tone="info">{t(`transfers.import.plan.${nothing}`)}</Notice>}
      <Problems report={report} />
      {plan !== null && plan.length > 0 && (
        <LineTable
          title={t('transfers.import.lines.title')}
          column={t('transfers.import.lines.detail')}
          lines={plan}
          total={lines}
        />
      )}
      {nothing === null && (
        <Notice tone="info" title={t('transfers.import.plan.before')}>
          <p>{t('transfers.import.facts.mails')}</p>
          <p>{t('transfers.import.facts.public')}</p>
        </Notice>
      )}
      {onImport === null && nothing === null && <p>{t('transfers.import.plan.fileIsGone')}</p>}
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
      <div className={styles.actions}>
        {onImport !== null && nothing === null && (
          <Button variant="primary" isBusy={isSending} onClick={() => onImport(lines)}>
            {t('transfers.import.plan.now')}
          </Button>
        )}
        <Button isDisabled={isSending} onClick={() => onEnd(report.format)}>
          {t(`transfers.import.${onImport === null && nothing === null ? 'chooseAgain' : 'another'}`)}
        </Button>
        {isSending && <span role="status">{t('transfers.import.uploading')}</span>}
      </div>
    </>
  );
}

function Result({ report, onEnd }: ReportProps) {
  const { t } = useTranslation('console');
  return (
    <>
      <Counts report={report} />
      <Problems report={report} />
      <div className={styles.actions}>
        <ButtonLink variant="primary" href="/">
          {t('frame.toBadges')}
        </ButtonLink>
        <Button onClick={() => onEnd(report.format)}>{t('transfers.import.another')}</Button>
      </div>
    </>
  );
}

function Counts({ report }: { report: BadgeImport }) {
  const { t } = useTranslation('console');
  const { isDryRun, imported, skipped, problemCount } = report;
  return (
    <>
      <ul className={`plain-list ${styles.counts}`}>
        <li>{t(`transfers.import.counts.${isDryRun ? 'would' : 'imported'}`, { lines: imported })}</li>
        {skipped > 0 && <li>{t('transfers.import.counts.skipped', { lines: skipped })}</li>}
        {problemCount > 0 && (
          <li data-tone="bad">{t('transfers.import.counts.problems', { lines: problemCount })}</li>
        )}
      </ul>
      <p className={styles.muted}>{t('transfers.import.countHint')}</p>
    </>
  );
}

/** What is not possible, which is also a CSV file. */
function Problems({ report: { importId, problems, problemCount } }: { report: BadgeImport }) {
  const { t } = useTranslation('console');
  if (problems.length === 0) return null;
  return (
    <LineTable
      title={t('transfers.import.problems.title')}
      column={t('transfers.import.problems.why')}
      lines={problems}
      total={problemCount}
      fileName={`badge-import-${importId}-problems.csv`}
    />
  );
}
