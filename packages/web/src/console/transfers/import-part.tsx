import type { BadgeImport } from '@badge/sdk';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../design/card.tsx';
import styles from '../give/give-page.module.css';
import { useSession } from '../session/session.ts';
import { useLeaveQuestion } from '../use-leave-question.ts';
import { ImportForm, type ImportSource } from './import-form.tsx';
import { ImportReport } from './import-report.tsx';
import { useFollowedId } from './use-transfer.ts';

/** Imports badges of another service: first a dry run with its plan, then the import. */
export function ImportPart() {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const [importId, follow] = useFollowedId('import');
  const [source, setSource] = useState<ImportSource | null>(null);
  const [format, setFormat] = useState<BadgeImport['format']>('poap');
  /** How many lines the dry run has read. */
  const [total, setTotal] = useState<number | null>(null);
  const [isSending, setIsSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const headingRef = useRef<HTMLHeadingElement>(null);
  useLeaveQuestion(isSending);

  async function send(sent: ImportSource, isDryRun: boolean): Promise<void> {
    setIsSending(true);
    setError(null);
    try {
      const operation = await badge.importBadges({ communityId, ...sent, isDryRun });
      follow((await operation.wait()).resourceId);
      setSource(sent);
    } catch (caught) {
      setError(caught);
    } finally {
      setIsSending(false);
    }
  }

  const sending = { isSending, error };
  return (
    <Card className={styles.part}>
      <h2 ref={headingRef} tabIndex={-1} className={styles.heading}>
        {t('transfers.import.title')}
      </h2>
      {importId === null ? (
        <ImportForm
          {...sending}
          format={format}
          onFormat={setFormat}
          onCheck={(checked) => {
            setTotal(null);
            void send(checked, true);
          }}
        />
      ) : (
        <ImportReport
          key={importId}
          {...sending}
          importId={importId}
          total={total}
          isNew={source !== null}
          onImport={
            source === null
              ? null
              : (lines) => {
                  setTotal(lines);
                  void send(source, false);
                }
          }
          onEnd={(last) => {
            setError(null);
            setSource(null);
            if (last !== null) setFormat(last);
            follow(null);
            headingRef.current?.focus();
          }}
        />
      )}
    </Card>
  );
}
