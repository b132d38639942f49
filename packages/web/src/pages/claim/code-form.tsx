import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Field } from '../../design/field.tsx';
import { readPastedCode } from './claim-code.ts';
import styles from './claim-panel.module.css';

/** The person types or pastes a code. The page then is that of the claim link with this code. */
export function CodeForm() {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [isInvalid, setIsInvalid] = useState(false);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const code = readPastedCode(text);
    if (code === null) setIsInvalid(true);
    else location.hash = code;
  }

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      <Field
        label={t('claim.code.label')}
        hint={t('claim.code.hint')}
        error={isInvalid ? t('claim.code.invalid') : undefined}
        isCode
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setIsInvalid(false);
        }}
      />
      <Button type="submit" isWide>
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
