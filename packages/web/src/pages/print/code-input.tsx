import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../design/button.tsx';
import { FileButton } from '../../design/file-button.tsx';
import { InfoIcon } from '../../design/icons.tsx';
import { Notice } from '../../design/notice.tsx';
import { NumberedTextArea } from '../../design/numbered-text-area.tsx';
import { useFileDrop } from '../../design/use-file-drop.ts';
import { ListFileError, type ListFileProblem } from '../../lists/list-file-error.ts';
import { LIST_LIMITS } from '../../lists/list-limits.ts';
import { LIST_FILE_TYPES, readListFile } from '../../lists/read-list-file.ts';
import styles from './code-input.module.css';
import type { InvalidLine } from './read-codes.ts';

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_SHOWN_INVALID_LINES = 8;
/** The page quotes at most this many characters of an invalid line. */
const MAX_QUOTED_LENGTH = 100;

interface CodeInputProps {
  text: string;
  onChange: (text: string) => void;
  codeCount: number;
  invalidLines: readonly InvalidLine[];
  isPeopleList: boolean;
  otherTokenId: number | null;
  walletCount: number;
  /** Where the console gives the badge to a list of people. */
  givePath: string;
}

/**
 * A field for codes: typed, pasted, dropped as a file or read from a file. It says which lines are invalid,
 * and why.
 */
export function CodeInput(props: CodeInputProps) {
  const { text, onChange, codeCount, invalidLines, isPeopleList, otherTokenId, walletCount, givePath } =
    props;
  const { t } = useTranslation('print');
  const id = useId();
  const [fileName, setFileName] = useState<string | null>(null);
  const [fileProblem, setFileProblem] = useState<ListFileProblem | null>(null);
  // While a person types, `invalidLines` can belong to an earlier text, so the texts of the lines are
  // compared too.
  const invalidTexts = useMemo(
    () => new Map(invalidLines.map((invalid) => [invalid.line, invalid.text])),
    [invalidLines],
  );

  async function readFile(file: File): Promise<void> {
    setFileProblem(null);
    setFileName(file.name);
    try {
      onChange(await readListFile(file, MAX_FILE_BYTES));
    } catch (error) {
      setFileProblem(error instanceof ListFileError ? error.problem : 'unreadable');
    }
  }

  const { isDragging, place } = useFileDrop((file) => void readFile(file));

  function change(newText: string): void {
    setFileProblem(null);
    if (newText === '') setFileName(null);
    onChange(newText);
  }

  return (
    <div className={styles.input}>
      <div className={styles.heading}>
        <label className={styles.label} htmlFor={id}>
          {t('codes.label')}
        </label>
        <p role="status">{text === '' ? '' : t('codes.count', { count: codeCount })}</p>
      </div>
      <p id={`${id}-hint`} className={styles.hint}>
        {t('codes.hint')}
      </p>
      <p id={`${id}-used`} className={styles.used}>
        <InfoIcon />
        <span>
          <strong>{t('codes.usedTitle')}</strong> {t('codes.usedText')}
        </span>
      </p>
      <NumberedTextArea
        id={id}
        aria-describedby={`${id}-hint ${id}-used`}
        placeholder={t('codes.placeholder')}
        value={text}
        isWrong={(line, written) => invalidTexts.get(line) === written.trim()}
        isDragging={isDragging}
        onChange={(event) => change(event.target.value)}
        {...place}
      />
      {isPeopleList && (
        <Notice
          tone="warning"
          isLive
          title={t('people.title')}
          actions={
            <ButtonLink isExternal size="small" href={givePath}>
              {t('people.give')}
            </ButtonLink>
          }
        >
          {t('people.text')}
        </Notice>
      )}
      {otherTokenId !== null && (
        <Notice
          tone="warning"
          isLive
          title={t('other.title')}
          actions={
            <ButtonLink size="small" href={`/claim/${otherTokenId}/print`}>
              {t('other.open', { id: otherTokenId })}
            </ButtonLink>
          }
        >
          {t('other.text', { id: otherTokenId })}
        </Notice>
      )}
      {walletCount > 0 && (
        <Notice tone="info" isLive>
          {t('wallets', { count: walletCount })}
        </Notice>
      )}
      {invalidLines.length > 0 && !isPeopleList && otherTokenId === null && (
        <Notice tone="warning" isLive title={t('invalid.title', { count: invalidLines.length })}>
          <ul className={styles.problems}>
            {invalidLines.slice(0, MAX_SHOWN_INVALID_LINES).map(({ line, text, problem }) => (
              <li key={line}>
                {t(`invalid.${problem}`, { line })}
                <span className={styles.quote}>
                  <code dir="ltr">
                    {text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}
                  </code>
                </span>
              </li>
            ))}
          </ul>
          {invalidLines.length > MAX_SHOWN_INVALID_LINES && (
            <p>{t('invalid.more', { count: invalidLines.length - MAX_SHOWN_INVALID_LINES })}</p>
          )}
        </Notice>
      )}
      <div className={styles.actions}>
        <FileButton
          size="small"
          label={t('codes.file')}
          accept={LIST_FILE_TYPES}
          fileName={fileName}
          onFile={(file) => void readFile(file)}
        />
        {text !== '' && (
          <Button size="small" variant="quiet" onClick={() => change('')}>
            {t('codes.clear')}
          </Button>
        )}
      </div>
      {fileProblem !== null && (
        <Notice tone="error" isLive>
          {t(`codes.problems.${fileProblem}`, LIST_LIMITS)}
        </Notice>
      )}
    </div>
  );
}
