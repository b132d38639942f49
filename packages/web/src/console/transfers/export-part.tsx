import type { CommunityExport } from '@badge/sdk';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import { FactList } from '../../design/fact-list.tsx';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { TextField } from '../../design/text-field.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import { describeError } from '../describe-error.ts';
import styles from '../give/give-page.module.css';
import { useSession } from '../session/session.ts';
import { Progress } from './progress.tsx';
import { ReportHeading } from './report-heading.tsx';
import { useFollowedId, useTransfer } from './use-transfer.ts';

// The first one is the safest.
const PEOPLE = ['none', 'encrypted', 'plain'] as const satisfies readonly CommunityExport['people'][];
/** The recipients that the service takes. */
const AGE_KEY = /^age1[02-9ac-hj-np-z]{58}$/;
const SECRET_AGE_KEY = /^AGE-SECRET-KEY/i;

/** Makes an archive of the community, and offers it for one download. */
export function ExportPart() {
  const { t } = useTranslation('console');
  const [exportId, follow] = useFollowedId('export');
  const [isNew, setIsNew] = useState(false);
  const headingRef = useRef<HTMLHeadingElement>(null);
  return (
    <Card className={styles.part}>
      <h2 ref={headingRef} tabIndex={-1} className={styles.heading}>
        {t('transfers.export.title')}
      </h2>
      {exportId === null ? (
        <ExportForm
          onStart={(id) => {
            setIsNew(true);
            follow(id);
          }}
        />
      ) : (
        <ExportReport
          key={exportId}
          exportId={exportId}
          isNew={isNew}
          onEnd={() => {
            follow(null);
            headingRef.current?.focus();
          }}
        />
      )}
    </Card>
  );
}

function ExportForm({ onStart }: { onStart: (exportId: number) => void }) {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const [people, setPeople] = useState<(typeof PEOPLE)[number]>('none');
  const [key, setKey] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const recipientKey = key.trim();
  const keyProblem = SECRET_AGE_KEY.test(recipientKey)
    ? t('transfers.export.keySecret')
    : AGE_KEY.test(recipientKey)
      ? null
      : t('transfers.export.keyWrong');
  const isEncrypted = people === 'encrypted';

  async function start(): Promise<void> {
    setIsChecked(true);
    if (isEncrypted && keyProblem !== null) return;
    setIsBusy(true);
    setError(null);
    try {
      const operation = await badge.exportCommunity({
        communityId,
        people,
        ...(isEncrypted ? { recipientKey } : {}),
      });
      onStart((await operation.wait()).resourceId);
    } catch (caught) {
      setError(caught);
      setIsBusy(false);
    }
  }

  return (
    <form
      className={styles.part}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!isBusy) void start();
      }}
    >
      <p>{t('transfers.export.lead')}</p>
      <p className={styles.muted}>{t('transfers.export.secrets')}</p>
      <ChoiceField
        legend={t('transfers.export.people')}
        value={people}
        onChange={setPeople}
        choices={PEOPLE.map((value) => ({
          value,
          label: t(`transfers.export.choices.${value}`),
          hint: t(`transfers.export.hints.${value}`),
        }))}
      />
      {isEncrypted && (
        <TextField
          label={t('transfers.export.key')}
          hint={t('transfers.export.keyHint')}
          dir="ltr"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={key}
          error={isChecked ? keyProblem : null}
          onChange={(event) => setKey(event.target.value)}
        />
      )}
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
      <div className={styles.actions}>
        <Button type="submit" isBusy={isBusy}>
          {t('transfers.export.submit')}
        </Button>
      </div>
    </form>
  );
}

interface ExportReportProps {
  exportId: number;
  /** Whether it was started on this page. */
  isNew: boolean;
  onEnd: () => void;
}

function ExportReport({ exportId, isNew, onEnd }: ExportReportProps) {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const loaded = useTransfer(
    `export/${communityId}/${exportId}`,
    (signal) => badge.getExport({ communityId, exportId }, { signal }),
    onEnd,
  );
  if (loaded.status === 'loading') return <LoadingBlock />;
  if (loaded.status === 'failed') return <LoadError error={loaded.error} onRetry={loaded.reload} />;
  const { status, percent, error } = loaded.value;
  const title = status === 'success' ? 'done' : status === 'error' ? 'failed' : 'running';
  return (
    <>
      <ReportHeading takesFocus={isNew}>{t(`transfers.export.${title}`)}</ReportHeading>
      {title === 'done' && <ExportFile archive={loaded.value} onLink={loaded.reload} onEnd={onEnd} />}
      {title === 'failed' && (
        <Notice tone="error" actions={<Button onClick={onEnd}>{t('transfers.export.again')}</Button>}>
          <bdi lang="en">{error}</bdi>
        </Notice>
      )}
      {title === 'running' && (
        <Progress
          done={percent ?? 0}
          total={percent === null ? null : 100}
          text={t('transfers.percent', { part: (percent ?? 0) / 100 })}
        />
      )}
    </>
  );
}

/** The file, and the link for its download. A link that was used is not shown again. */
function ExportFile({
  archive,
  onLink,
  onEnd,
}: {
  archive: CommunityExport;
  onLink: () => void;
  onEnd: () => void;
}) {
  const { t } = useTranslation('console');
  const { dateTime, size } = useFormats();
  const [usedUrl, setUsedUrl] = useState<string | null>(null);
  const { bytes, sha256, people, expiresAtTimestamp, downloadUrl } = archive;
  const isUsed = downloadUrl === usedUrl;
  return (
    <>
      <p>{t('transfers.export.once', { date: dateTime(expiresAtTimestamp) })}</p>
      <FactList
        facts={[
          { label: t('transfers.export.size'), value: size(bytes ?? 0) },
          { label: t('transfers.export.contains'), value: t(`transfers.export.contents.${people}`) },
        ]}
      />
      <CodeBlock title={t('transfers.export.checksum')} code={sha256 ?? ''} />
      {isUsed && (
        <Notice tone="success" isLive>
          {t('transfers.export.started')}
        </Notice>
      )}
      <div className={styles.actions}>
        {downloadUrl !== null && !isUsed && (
          <ButtonLink
            variant="primary"
            isExternal
            download
            href={toOwnOrigin(downloadUrl)}
            onClick={() => setUsedUrl(downloadUrl)}
          >
            {t('transfers.export.download')}
          </ButtonLink>
        )}
        {isUsed && <Button onClick={onLink}>{t('transfers.export.another')}</Button>}
        <Button onClick={onEnd}>{t('transfers.export.again')}</Button>
      </div>
    </>
  );
}

/** The same file on the origin of the console: the service can be reached at several. */
function toOwnOrigin(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
