import { type CredentialContent, parseDidKey } from '@badge/credentials';
import { type FormEvent, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CodeField } from '../../design/code-field.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { CheckIcon, WarningIcon } from '../../design/icons.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import type { CheckedFile, Trust } from './check-credential.ts';
import { cutText } from './cut-text.ts';
import styles from './verify-page.module.css';

interface IssuerPartProps {
  checked: CheckedFile;
  content: CredentialContent;
  onTrust: (added: Partial<Trust>) => void;
}

/** Who says that they issued the badge, and whether somebody whom the person trusts confirms it. */
export function IssuerPart({ checked, content, onTrust }: IssuerPartProps) {
  const { t } = useTranslation('verify');
  const { origin, answer } = checked;
  const { did, name, trusted } = content.issuer;
  const host = origin === null ? '' : new URL(origin.origin).host;
  const isConfirmed = trusted !== null;
  return (
    <section className={styles.part}>
      <h3>{t('issuer.title')}</h3>
      <p className={styles.name}>
        {name === '' ? (
          t('issuer.nameless')
        ) : (
          <Trans t={t} i18nKey="issuer.says" components={{ name: <bdi>{cutText(name)}</bdi> }} />
        )}
      </p>
      <p
        className={joinClasses(styles.confirmation, isConfirmed ? styles.isConfirmed : styles.isUnconfirmed)}
      >
        {isConfirmed ? <CheckIcon /> : <WarningIcon />}
        <span>
          {trusted === null && t('issuer.notConfirmed')}
          {trusted !== null && trusted.source === undefined && t('issuer.confirmedByPerson')}
          {trusted?.source !== undefined &&
            t('issuer.confirmedByService', { source: trusted.source, name: trusted.name })}
        </span>
      </p>
      {!isConfirmed && answer?.status === 'notListed' && <p>{t('issuer.notListed', { host })}</p>}
      {!isConfirmed && answer?.status === 'unreachable' && (
        <p>
          {origin?.origin === location.origin ? t('issuer.unreachable') : t('issuer.askFailed', { host })}
        </p>
      )}
      {!isConfirmed && origin !== null && answer === null && (
        <div className={styles.ask}>
          <p>{t('issuer.askText', { host })}</p>
          <Button size="small" onClick={() => onTrust({ origins: [origin.origin] })}>
            {t('issuer.ask', { host })}
          </Button>
        </div>
      )}
      <div>
        <p className={styles.muted}>{t('issuer.key')}</p>
        <p className={styles.key}>
          <code dir="ltr">{did}</code>
          <CopyButton text={did} />
        </p>
      </div>
      {!isConfirmed && <CompareKey did={did} onKnown={() => onTrust({ issuers: [{ did, name }] })} />}
    </section>
  );
}

/** A field for a key that the person knows. */
function CompareKey({ did, onKnown }: { did: string; onKnown: () => void }) {
  const { t } = useTranslation('verify');
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<'otherKey' | 'malformedKey' | null>(null);

  function compare(event: FormEvent): void {
    event.preventDefault();
    const entered = key.trim();
    if (parseDidKey(entered) === undefined) setProblem('malformedKey');
    else if (entered !== did) setProblem('otherKey');
    else onKnown();
  }

  return (
    <details className={styles.compare}>
      <summary>{t('issuer.compare')}</summary>
      <form className={styles.form} onSubmit={compare} noValidate>
        <CodeField
          label={t('issuer.compareLabel')}
          hint={t('issuer.compareHint')}
          error={problem === null ? null : t(`issuer.${problem}`)}
          placeholder="did:key:z6Mk…"
          value={key}
          onChange={(text) => {
            setKey(text);
            setProblem(null);
          }}
        />
        <div>
          <Button size="small" type="submit">
            {t('issuer.compareButton')}
          </Button>
        </div>
      </form>
    </details>
  );
}
