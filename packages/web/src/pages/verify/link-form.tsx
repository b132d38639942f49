import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CodeField } from '../../design/code-field.tsx';
import { toCredentialUrl } from './credential-link.ts';
import styles from './verify-page.module.css';

interface LinkFormProps {
  /** The text in the field at first. */
  initialLink: string;
  /** Called if the field is empty; null if that is an error. */
  onEmpty: (() => void) | null;
  onLink: (url: URL) => void;
}

/** A field for a link to a credential. */
export function LinkForm({ initialLink, onEmpty, onLink }: LinkFormProps) {
  const { t } = useTranslation('verify');
  const [link, setLink] = useState(initialLink);
  const [isInvalid, setIsInvalid] = useState(false);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (onEmpty !== null && link.trim() === '') {
      onEmpty();
      return;
    }
    const url = toCredentialUrl(link, location.origin);
    setIsInvalid(url === null);
    if (url !== null) onLink(url);
  }

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <CodeField
        label={t('link.label')}
        hint={t('link.hint')}
        error={isInvalid ? t('link.invalid') : null}
        placeholder="https://"
        value={link}
        onChange={(text) => {
          setLink(text);
          setIsInvalid(false);
        }}
      />
      <div>
        <Button type="submit">{t('link.check')}</Button>
      </div>
    </form>
  );
}
