import { type ChangeEvent, type DragEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import fieldStyles from '../../design/field.module.css';
import { NumberedTextArea, selectLine } from '../../design/numbered-text-area.tsx';
import {
  LIST_FILE_TYPES,
  ListFileError,
  type ListFileProblem,
  readListFile,
} from '../../lists/read-list-file.ts';
import { splitLines } from '../../lists/split-lines.ts';
import styles from './make-page.module.css';
import type { PeopleList } from './people-list.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** More would make the browser slow. */
const MAX_SHOWN_LINES = 100;

interface PeopleFieldProps {
  text: string;
  /** What the text contains; null until it is read. */
  list: PeopleList | null;
  error: string | null;
  onChange: (text: string) => void;
}

/** A list of people: typed, pasted, dropped as a file or read from a file. It says which lines are wrong, and why. */
export function PeopleField({ text, list, error, onChange }: PeopleFieldProps) {
  const { t } = useTranslation('console');
  const id = useId();
  const fileRef = useRef<HTMLInputElement>(null);
  const textRef = useRef<HTMLTextAreaElement>(null);
  const [isDragging, setIsDragging] = useState(false);
  // A line is wrong until all of it is typed, so the one that the person types is not judged yet.
  const [typedLine, setTypedLine] = useState<number | null>(null);
  const [fileProblem, setFileProblem] = useState<ListFileProblem | 'unexpected' | null>(null);
  const wrongLines = (list?.wrongLines ?? []).filter(({ line }) => error !== null || line !== typedLine);
  const wrongNumbers = new Set(wrongLines.map(({ line }) => line));
  const problem = fileProblem === null ? error : t(`give.input.problems.${fileProblem}`);

  async function readFile(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    setFileProblem(null);
    try {
      const content = await readListFile(file, MAX_FILE_BYTES);
      setTypedLine(null);
      onChange(content.trimEnd());
    } catch (caught) {
      setFileProblem(caught instanceof ListFileError ? caught.problem : 'unexpected');
    }
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsDragging(false);
    void readFile(event.dataTransfer.files[0]);
  }

  function choose(event: ChangeEvent<HTMLInputElement>): void {
    void readFile(event.target.files?.[0]);
    // Otherwise a file that was changed could not be chosen again.
    event.target.value = '';
  }

  function change(event: ChangeEvent<HTMLTextAreaElement>): void {
    const { value, selectionEnd } = event.target;
    const isPasted = (event.nativeEvent as InputEvent).inputType === 'insertFromPaste';
    setTypedLine(isPasted ? null : splitLines(value.slice(0, selectionEnd)).length);
    setFileProblem(null);
    onChange(value);
  }

  return (
    <div className={fieldStyles.field}>
      <label className={fieldStyles.label} htmlFor={id}>
        {t('make.who.people')}
      </label>
      <NumberedTextArea
        ref={textRef}
        id={id}
        aria-describedby={`${id}-hint ${id}-error`}
        aria-invalid={problem !== null || undefined}
        value={text}
        isWrong={(line) => wrongNumbers.has(line)}
        isDragging={isDragging}
        onChange={change}
        onDragOver={(event) => {
          event.preventDefault();
          setIsDragging(true);
        }}
        onDragLeave={() => setIsDragging(false)}
        onDrop={drop}
      />
      <p id={`${id}-hint`} className={fieldStyles.hint}>
        {t('make.who.peopleHint')}
      </p>
      <div className={styles.actions}>
        <input
          ref={fileRef}
          className={styles.file}
          type="file"
          accept={LIST_FILE_TYPES}
          aria-label={t('give.input.file')}
          tabIndex={-1}
          onChange={choose}
        />
        <Button size="small" onClick={() => fileRef.current?.click()}>
          {t('give.input.file')}
        </Button>
        <p role="status" className={styles.muted}>
          {list !== null && list.people.length > 0 && describeCounts(list)}
        </p>
      </div>
      <div id={`${id}-error`} className={fieldStyles.error} role="alert" hidden={problem === null}>
        {problem}
      </div>
      {wrongLines.length > 0 && (
        <>
          <ul className={`plain-list ${styles.wrongLines}`} aria-label={t('make.who.wrongLines')}>
            {wrongLines.slice(0, MAX_SHOWN_LINES).map(({ line, text: written, problem: lineProblem }) => (
              <li key={line}>
                <button
                  type="button"
                  className={styles.lineButton}
                  onClick={() => textRef.current !== null && selectLine(textRef.current, line)}
                >
                  {t('make.who.line', { line })}
                </button>
                <span>
                  {t(`give.problems.${lineProblem}`)}
                  {written !== '' && (
                    <>
                      {': '}
                      <bdi className={styles.written}>{written}</bdi>
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
          {wrongLines.length > MAX_SHOWN_LINES && (
            <p className={styles.muted}>
              {t('make.problems.moreLines', { count: wrongLines.length - MAX_SHOWN_LINES })}
            </p>
          )}
        </>
      )}
    </div>
  );

  /** Such as "30 people · 2 are there twice". */
  function describeCounts({ people, repeatedCount }: PeopleList): string {
    const count = t('make.who.peopleCount', { count: people.length });
    if (repeatedCount === 0) return count;
    return `${count} · ${t('give.check.repeated', { count: repeatedCount })}`;
  }
}
