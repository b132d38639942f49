import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CodeField } from '../../design/code-field.tsx';
import { findCodeInHash, findLinkOfOtherBadge, findPastedCode, findWrongLength } from './claim-code.ts';
import styles from './claim-panel.module.css';
import { openCode } from './code-in-url.ts';
import { Part } from './part.tsx';

/** A field for a claim code. */
export function CodeForm({ isMain = false }: { isMain?: boolean }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<'invalid' | 'same' | null>(null);
  const fieldRef = useRef<HTMLTextAreaElement>(null);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const otherLink = findLinkOfOtherBadge(text, location);
    if (otherLink !== null) {
      location.assign(otherLink);
      return;
    }
    const code = findPastedCode(text);
    // With a code in the URL, the form is shown only if that code was refused.
    const isRefused = code !== null && code === findCodeInHash(location.hash);
    if (code !== null && !isRefused) {
      // A text with `#` contains a claim link, so its code was not typed.
      openCode(code, { isTyped: !text.includes('#') });
      return;
    }
    setProblem(isRefused ? 'same' : 'invalid');
    fieldRef.current?.focus();
  }

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      <CodeField
        fieldRef={fieldRef}
        label={t('claim.code.label')}
        hint={t('claim.code.hint')}
        error={
          problem && (
            <>
              <span>{t(`claim.code.${problem}`)}</span>
              <WrongLength text={text} />
            </>
          )
        }
        value={text}
        onChange={(value) => {
          setText(value);
          setProblem(null);
        }}
      />
      <Button type="submit" isWide variant={isMain ? 'primary' : 'secondary'}>
        {t('claim.code.submit')}
      </Button>
    </form>
  );
}

/** Says how many characters a code has, if it is too short or too long. */
export function WrongLength({ text }: { text: string }) {
  const { t } = useTranslation();
  const wrongLength = findWrongLength(text);
  if (wrongLength === null) return null;
  const { found, isTooShort } = wrongLength;
  return <span>{isTooShort ? t('claim.code.tooShort', { found }) : t('claim.code.tooLong', { found })}</span>;
}

interface CodePartProps {
  /** Whether the code of the link was refused, so that another code is asked for. */
  isOther?: boolean;
  isFolded?: boolean;
  /** Whether the code is the main action of the step. */
  isMain?: boolean;
}

/** The part of a step with the field for a code. */
export function CodePart({ isOther = false, isFolded = true, isMain = false }: CodePartProps) {
  const { t } = useTranslation();
  return (
    <Part title={isOther ? t('claim.code.other') : t('claim.code.have')} isFolded={isFolded}>
      <CodeForm isMain={isMain} />
    </Part>
  );
}
