import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHistoryState } from 'wouter/use-browser-location';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { FileButton } from '../../design/file-button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { TextAreaField } from '../../design/text-field.tsx';
import { useFileDrop } from '../../design/use-file-drop.ts';
import { ListFileError, type ListFileProblem } from '../../lists/list-file-error.ts';
import { LIST_LIMITS } from '../../lists/list-limits.ts';
import { LIST_FILE_TYPES, readPeopleTable } from '../../lists/read-list-file.ts';
import type { ListTable } from '../../lists/read-list-table.ts';
import type { MadeState } from '../made-notice.tsx';
import styles from './give-page.module.css';
import { guessColumns } from './guess-columns.ts';
import { readPeople } from './read-people.ts';

export const MAX_LINES = 10_000;
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

type Problem = ListFileProblem | 'tooManyLines' | 'noLines' | 'unexpected';

interface PeopleInputProps {
  /** Whether this is the next step, rather than something above it. */
  isNext: boolean;
  /** Gets the list, and what was read of it. */
  onRead: (table: ListTable, list: Blob | string) => void;
}

/** Where a list of people is pasted, dropped or chosen. A pasted list and a file are read at once. */
export function PeopleInput({ isNext, onRead }: PeopleInputProps) {
  const { t } = useTranslation('console');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  /** Ends the reading that is under way; null if there is none. */
  const [reading, setReading] = useState<AbortController | null>(null);
  const isBusy = reading !== null;
  const [fileName, setFileName] = useState<string | null>(null);
  const { isDragging, place } = useFileDrop(readFile);
  const textRef = useRef<HTMLTextAreaElement>(null);
  const isForList = useHistoryState<Partial<MadeState> | null>()?.isForList === true;

  // After a badge for certain people is made, their list comes next.
  useEffect(() => {
    if (!isForList) return;
    // The focus alone brings only the line of the cursor into view.
    textRef.current?.focus({ preventScroll: true });
    textRef.current?.scrollIntoView({ block: 'center' });
  }, [isForList]);

  async function read(list: Blob | string): Promise<void> {
    const controller = new AbortController();
    setReading(controller);
    setProblem(null);
    try {
      const { signal } = controller;
      const table = await readPeopleTable(list, { maxBytes: MAX_FILE_BYTES, signal });
      const hasSheets = (table.workbook?.sheets.length ?? 0) > 1;
      const { length } = readPeople(table.rows, guessColumns(table.rows));
      // Another sheet may have the people.
      if (length === 0 && !hasSheets) setProblem('noLines');
      else if (length > MAX_LINES && !hasSheets) setProblem('tooManyLines');
      else onRead(table, list);
    } catch (error) {
      if (controller.signal.aborted) return;
      setProblem(error instanceof ListFileError ? error.problem : 'unexpected');
    } finally {
      setReading(null);
    }
  }

  function readFile(file: File): void {
    setFileName(file.name);
    void read(file);
  }

  return (
    <div {...place}>
      <Card className={joinClasses(styles.part, isDragging && styles.dragging)}>
        <h2>{t('give.input.title')}</h2>
        <TextAreaField
          ref={textRef}
          label={t('give.input.label')}
          hint={t('give.input.hint')}
          error={
            problem === null ? null : t(`give.input.problems.${problem}`, { max: MAX_LINES, ...LIST_LIMITS })
          }
          rows={8}
          dir="auto"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          // With these words, nobody takes the example for a list that was entered.
          placeholder={`${t('give.input.example')}\nAda Lovelace, ada@example.org\nGrace Hopper`}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setProblem(null);
            setFileName(null);
          }}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text/plain');
            if (text === '' && pasted.trim() !== '') void read(pasted);
          }}
        />
        <div className={styles.actions}>
          <Button variant={isNext ? 'primary' : 'secondary'} isBusy={isBusy} onClick={() => void read(text)}>
            {t('give.input.check')}
          </Button>
          <FileButton
            label={t('give.input.file')}
            accept={LIST_FILE_TYPES}
            fileName={fileName}
            isDisabled={isBusy}
            onFile={readFile}
          />
          {reading !== null && (
            <Button variant="quiet" onClick={() => reading.abort()}>
              {t('dialog.cancel')}
            </Button>
          )}
        </div>
      </Card>
    </div>
  );
}
