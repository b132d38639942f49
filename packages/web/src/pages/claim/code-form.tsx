import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CodeField } from '../../design/code-field.tsx';
import { readPastedCode } from './claim-code.ts';
import styles from './claim-panel.module.css';

/** A field for a claim code. Submitting it puts the code into the URL, as if its claim link had been opened. */
export function CodeForm({ isMain = false }: { isMain?: boolean }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [isInvalid, setIsInvalid] = useState(false);
  const fieldRef = useRef<HTMLTextAreaElement>(null);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const code = readPastedCode(text);
    if (code !== null) {
      location.hash = code;
      return;
    }
    setIsInvalid(true);
    fieldRef.current?.focus();
  }

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      <CodeField
        fieldRef={fieldRef}
        label={t('claim.code.label')}
        hint={t('claim.code.hint')}
        error={isInvalid ? t('claim.code.invalid') : null}
        value={text}
        onChange={(value) => {
          setText(value);
          setIsInvalid(false);
        }}
      />
      <Button type="submit" isWide variant={isMain ? 'primary' : 'secondary'}>
        {t('claim.code.submit')}
      </Button>
    </form>
  );
}

/** Continues without the code of the link. */
export function dropCode(): void {
  // An empty hash would leave `#` in the address.
  history.replaceState(history.state, '', location.pathname + location.search);
  dispatchEvent(new HashChangeEvent('hashchange'));
}
