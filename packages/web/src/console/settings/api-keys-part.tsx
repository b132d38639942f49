import type { ApiKey, CreatedApiKey, Role } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { CheckListField } from '../../design/check-list-field.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Notice } from '../../design/notice.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { TextField } from '../../design/text-field.tsx';
import { useFormats } from '../../formats.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { Listing, Row, Rows } from '../listing.tsx';
import { ROLES, useSession } from '../session/session.ts';
import styles from './settings-page.module.css';

const MAX_NAME_LENGTH = 100;
const DAY_MS = 86_400_000;
const LIFETIMES_DAYS = [0, 30, 90, 365] as const;

/** The API keys of the community. A key is shown once, when it is created. */
export function ApiKeysPart() {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const { date, end } = useFormats();
  const [version, setVersion] = useState(0);
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const onChange = () => setVersion((last) => last + 1);
  return (
    <div className={styles.stack}>
      {created !== null && (
        <Notice
          tone="success"
          isLive
          title={t('keys.created')}
          actions={<Button onClick={() => setCreated(null)}>{t('dialog.close')}</Button>}
        >
          <p className={styles.key}>
            <bdi dir="ltr">{created.apiKey}</bdi>
            <CopyButton text={created.apiKey} />
          </p>
        </Notice>
      )}
      <Listing
        name={`keys/${communityId}/${version}`}
        title={t('settings.keys')}
        list={(part, signal) => badge.listApiKeys({ communityId, ...part }, { signal })}
        matches={({ name, prefix }, text) =>
          name.toLowerCase().includes(text) || prefix.toLowerCase().includes(text)
        }
        filters={<Button onClick={() => setIsCreating(true)}>{t('keys.create')}</Button>}
        empty={t('keys.none')}
      >
        {(items) => (
          <Rows>
            {items.map((key) => {
              const { apiKeyId, name, prefix, role, createdBy, createdAtTimestamp, expiresAtTimestamp } = key;
              const isExpired = expiresAtTimestamp !== null && expiresAtTimestamp <= Date.now();
              return (
                <Row
                  key={apiKeyId}
                  title={<bdi>{name}</bdi>}
                  status={isExpired ? t('keys.expired') : t(`roles.${role}`)}
                  tone={isExpired ? 'bad' : 'plain'}
                  detail={
                    <>
                      <bdi dir="ltr">{prefix}…</bdi>
                      {` · ${t('keys.createdOn', { date: date(createdAtTimestamp) })}`}
                      {expiresAtTimestamp !== null &&
                        ` · ${t('keys.until', { date: end(expiresAtTimestamp) })}`}
                      {createdBy !== null && (
                        <>
                          {' · '}
                          <Address value={createdBy} />
                        </>
                      )}
                    </>
                  }
                  actions={
                    <Button
                      size="small"
                      aria-label={`${t('keys.revoke')}: ${name}`}
                      onClick={() => setRevoked(key)}
                    >
                      {t('keys.revoke')}
                    </Button>
                  }
                />
              );
            })}
          </Rows>
        )}
      </Listing>
      {isCreating && (
        <CreateKeyDialog
          onCreated={(key) => {
            setCreated(key);
            onChange();
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
      {revoked !== null && (
        <RevokeKeyDialog apiKey={revoked} onDone={onChange} onClose={() => setRevoked(null)} />
      )}
    </div>
  );
}

function CreateKeyDialog({
  onCreated,
  onClose,
}: {
  onCreated: (key: CreatedApiKey) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('issuer');
  const [days, setDays] = useState<number>(LIFETIMES_DAYS[0]);
  const [isChecked, setIsChecked] = useState(false);
  const isNameMissing = name.trim() === '';
  return (
    <ActionDialog
      title={t('keys.create')}
      submitLabel={t('keys.createSubmit')}
      onSubmit={async () => {
        setIsChecked(true);
        if (isNameMissing) throw new FieldError();
        const expiry = days === 0 ? {} : { expiresAtTimestamp: Date.now() + days * DAY_MS };
        onCreated(await badge.createApiKey({ communityId, name: name.trim(), role, ...expiry }));
      }}
      onClose={onClose}
    >
      <TextField
        label={t('keys.name')}
        hint={t('keys.nameHint')}
        maxLength={MAX_NAME_LENGTH}
        value={name}
        error={isChecked && isNameMissing ? t('keys.nameMissing') : null}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label={t('members.role')}
        value={role}
        onChange={(event) => setRole(event.target.value as Role)}
      >
        {ROLES.map((one) => (
          <option key={one} value={one}>
            {t(`roles.${one}`)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t('keys.lifetime')}
        value={days}
        onChange={(event) => setDays(Number(event.target.value))}
      >
        {LIFETIMES_DAYS.map((one) => (
          <option key={one} value={one}>
            {one === 0 ? t('keys.forever') : t('keys.days', { count: one })}
          </option>
        ))}
      </SelectField>
    </ActionDialog>
  );
}

function RevokeKeyDialog({
  apiKey: { apiKeyId, name, role },
  onDone,
  onClose,
}: {
  apiKey: ApiKey;
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const [kept, setKept] = useState<'mails'[]>([]);
  return (
    <ActionDialog
      title={t('keys.revokeDialog.title')}
      submitLabel={t('keys.revoke')}
      isDangerous
      onSubmit={async () => {
        await badge.revokeApiKey({ communityId, apiKeyId, keepMails: kept.includes('mails') });
        onDone();
      }}
      onClose={onClose}
    >
      <p>
        <bdi>{name}</bdi>
      </p>
      <p>{t('keys.revokeDialog.text')}</p>
      {role !== 'viewer' && (
        <CheckListField
          legend={t('members.ends.keep')}
          values={kept}
          onChange={setKept}
          choices={[{ value: 'mails', label: t('members.ends.keepMails') }]}
        />
      )}
    </ActionDialog>
  );
}
