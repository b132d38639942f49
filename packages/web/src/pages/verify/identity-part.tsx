import { type CredentialIdentity, matchesIdentity } from '@badge/credentials';
import { spellEmailAddress } from '@badge/protocol/email-address';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CodeField } from '../../design/code-field.tsx';
import { Notice } from '../../design/notice.tsx';
import { cutText } from './cut-text.ts';
import styles from './verify-page.module.css';

// A list in a credential can have any length.
const MAX_SHOWN_IDENTITIES = 20;

/** Who the credential says that it is for, besides the wallet. */
export function IdentityPart({ identities }: { identities: CredentialIdentity[] }) {
  const { t } = useTranslation('verify');
  const shown = identities.slice(0, MAX_SHOWN_IDENTITIES);
  const plain = shown.filter(({ hash }) => hash === null);
  const hashed = shown.filter(({ hash }) => hash !== null);
  return (
    <>
      {plain.length > 0 && (
        <>
          <dl className={styles.results}>
            {plain.map((identity, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed, and identities can be equal.
              <div key={index}>
                <dt>
                  <TypeName type={identity.type} />
                </dt>
                <dd>
                  <bdi>{cutText(identity.text ?? '')}</bdi>
                </dd>
              </div>
            ))}
          </dl>
          <p className={styles.muted}>{t('person.unconfirmed')}</p>
        </>
      )}
      {hashed.map((identity, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal ones can be in the list.
        <HashedIdentity key={`${index} ${identity.hash?.hex}`} identity={identity} />
      ))}
      {identities.length > MAX_SHOWN_IDENTITIES && (
        <p className={styles.muted}>{t('what.more', { count: identities.length - MAX_SHOWN_IDENTITIES })}</p>
      )}
    </>
  );
}

/** The kind of an identity. Of another issuer, it can be any text, so it never stands alone as a label. */
function TypeName({ type }: { type: string }) {
  const { t } = useTranslation('verify');
  if (type === 'name') return t('person.name');
  if (type === 'emailAddress') return t('person.email');
  return (
    <>
      {t('person.other')} <bdi>{cutText(type)}</bdi>
    </>
  );
}

/** Something of which the credential has only a hash, and a field to compare it with. Nothing is sent. */
function HashedIdentity({ identity }: { identity: CredentialIdentity }) {
  const { t } = useTranslation('verify');
  const [text, setText] = useState('');
  const [compared, setCompared] = useState<'empty' | 'matches' | 'differs' | null>(null);
  const isEmail = identity.type === 'emailAddress';
  const isComparable = identity.hash?.algorithm === 'sha256';

  function compare(event: FormEvent): void {
    event.preventDefault();
    const spellings = isEmail ? spellEmailAddress(text) : [text, text.trim()];
    if (text.trim() === '') setCompared('empty');
    else setCompared(matchesIdentity(identity, spellings) === true ? 'matches' : 'differs');
  }

  return (
    <>
      <p>
        {isEmail ? (
          t('person.hashedEmail')
        ) : (
          <>
            {t('person.hashed')} <TypeName type={identity.type} />
          </>
        )}
      </p>
      {isComparable ? (
        <form className={styles.form} onSubmit={compare} noValidate>
          <CodeField
            label={isEmail ? t('person.compareEmail') : t('person.compare')}
            hint={t('person.compareHint')}
            error={compared === 'empty' || compared === 'differs' ? t(`person.${compared}`) : null}
            value={text}
            onChange={(typed) => {
              setText(typed);
              setCompared(null);
            }}
          />
          {compared === 'matches' && (
            <Notice tone="success" isLive>
              {isEmail ? t('person.matchesEmail') : t('person.matches')}
            </Notice>
          )}
          <div>
            <Button size="small" type="submit">
              {t('person.compareButton')}
            </Button>
          </div>
        </form>
      ) : (
        <p className={styles.muted}>
          {identity.hash?.algorithm === 'md5' ? t('person.md5') : t('person.otherHash')}
        </p>
      )}
    </>
  );
}
