import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/text-field.tsx';
import { makeRandomId } from '../../random-id.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { Listing, Row, Rows } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import styles from './settings-page.module.css';

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** All communities of the service, for the operator. */
export function CommunitiesPart() {
  const { t } = useTranslation('console');
  const { badge, communityId, openCommunity, reload } = useSession();
  const [version, setVersion] = useState(0);
  const [isCreating, setIsCreating] = useState(false);
  return (
    <div className={styles.stack}>
      <Listing
        name={`communities/${version}`}
        title={t('settings.communities')}
        list={(part, signal) => badge.listCommunities(part, { signal })}
        matches={({ uniqId, name }, text) =>
          name.toLowerCase().includes(text) || uniqId.toLowerCase().includes(text)
        }
        filters={<Button onClick={() => setIsCreating(true)}>{t('communities.create')}</Button>}
        empty={t('communities.none')}
      >
        {(items) => (
          <Rows>
            {items.map(({ uniqId, name }) => (
              <Row
                key={uniqId}
                title={<bdi>{name}</bdi>}
                status={uniqId === communityId ? t('communities.open') : undefined}
                tone="good"
                detail={<bdi dir="ltr">{uniqId}</bdi>}
                actions={
                  uniqId !== communityId && (
                    <Button
                      size="small"
                      aria-label={`${t('communities.switch')}: ${name}`}
                      onClick={() => openCommunity(uniqId)}
                    >
                      {t('communities.switch')}
                    </Button>
                  )
                }
              />
            ))}
          </Rows>
        )}
      </Listing>
      {isCreating && (
        <CreateCommunityDialog
          onCreated={(uniqId) => {
            setVersion((last) => last + 1);
            reload();
            openCommunity(uniqId);
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
    </div>
  );
}

function CreateCommunityDialog({
  onCreated,
  onClose,
}: {
  onCreated: (uniqId: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const [name, setName] = useState('');
  const [uniqId, setUniqId] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const [idempotencyKey] = useState(() => makeRandomId());
  const isNameMissing = name.trim() === '';
  const isIdWrong = !ID.test(uniqId);
  return (
    <ActionDialog
      title={t('communities.create')}
      submitLabel={t('communities.createSubmit')}
      onSubmit={async () => {
        setIsChecked(true);
        if (isNameMissing || isIdWrong) throw new FieldError();
        const community = { uniqId, displayId: uniqId, name: name.trim() };
        await badge.createCommunity(community, { idempotencyKey });
        onCreated(uniqId);
      }}
      onClose={onClose}
    >
      <TextField
        label={t('profile.name')}
        maxLength={200}
        value={name}
        error={isChecked && isNameMissing ? t('profile.missing') : null}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={t('communities.id')}
        hint={t('communities.idHint')}
        dir="ltr"
        maxLength={64}
        value={uniqId}
        error={isChecked && isIdWrong ? t('communities.idWrong') : null}
        onChange={(event) => setUniqId(event.target.value)}
      />
    </ActionDialog>
  );
}
