import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CodeField } from '../../design/code-field.tsx';
import { findWrongLength, readCodeInHash, readPastedCode } from './claim-code.ts';
import styles from './claim-panel.module.css';
import { openCode } from './code-in-url.ts';
import { Part } from './part.tsx';

/** A field for a claim code. */
export function CodeForm({ isMain = false }: { isMain?: boolean }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<'invalid' | 'same' | null>(null);
  const found = findWrongLength(text);
  const fieldRef = useRef<HTMLTextAreaElement>(null);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const code = readPastedCode(text);
    // With a code in the URL, the form is shown only if that code was refused.
    const isRefused = code !== null && code === readCodeInHash(location.hash);
    if (code !== null && !isRefused) {
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
              {found !== null && <span>{t('claim.code.found', { found })}</span>}
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

/** The field, folded until its title is pressed. `isOther`: the code of the link was refused. */
export function FoldedCodeForm({ isOther = false }: { isOther?: boolean }) {
  const { t } = useTranslation();
  return (
    <Part title={isOther ? t('claim.code.other') : t('claim.code.have')} isFolded>
      <CodeForm />
    </Part>
  );
}
