import type { Member, Role } from '@badge/sdk';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { TextField } from '../../design/text-field.tsx';
import { useFormats } from '../../formats.ts';
import { NamedAddress } from '../../token/named-address.tsx';
import { readTypedAddress } from '../../wallet/address.ts';
import { describeError } from '../describe-error.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import { type KeptWebhooks, MemberDialog } from './member-dialog.tsx';
import { NewSecretNotice } from './new-secret-notice.tsx';
import { RoleSelect } from './role-select.tsx';
import styles from './settings-page.module.css';

/** The members of the community and their roles. */
export function MembersPart() {
  const { t } = useTranslation('console');
  const { badge, communityId, may, address: ownAddress, reload } = useSession();
  const { date } = useFormats();
  const [version, setVersion] = useState(0);
  const [action, setAction] = useState<{ member: Member; isRemoval: boolean } | null>(null);
  /** What has become of webhooks whose maker has left. Their secrets are shown this once. */
  const [webhooks, setWebhooks] = useState<KeptWebhooks>({ kept: [], stopped: [], error: null });

  function onChange(): void {
    setVersion((last) => last + 1);
    // The own role may be another one now.
    reload();
  }

  return (
    <div className={styles.stack}>
      {webhooks.stopped.length > 0 && (
        <Notice tone="error" isLive title={t('members.notKept')}>
          <ul>
            {webhooks.stopped.map(({ webhookId, name }) => (
              <li key={webhookId}>
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
          <p>{describeError(webhooks.error, t)}</p>
          <p>
            {t('members.notKeptDo')} <Link href="/settings/webhooks">{t('settings.webhooks')}</Link>
          </p>
        </Notice>
      )}
      {webhooks.kept.map((webhook) => (
        <NewSecretNotice
          key={webhook.webhookId}
          webhook={webhook}
          onClose={() =>
            setWebhooks((last) => ({ ...last, kept: last.kept.filter((one) => one !== webhook) }))
          }
        />
      ))}
      {may('owner') && <AddMemberForm onAdd={onChange} />}
      <Listing
        name={`members/${communityId}/${version}`}
        title={t('settings.members')}
        list={(part, signal) => badge.listMembers({ communityId, ...part }, { signal })}
        matches={({ address, role }, text) => address.toLowerCase().includes(text) || role.includes(text)}
        empty={t('members.none')}
      >
        {(items) => (
          <Rows>
            {items.map((member) => (
              <Row
                key={member.address}
                title={<NamedAddress value={member.address} hasCopyButton />}
                status={t(`roles.${member.role}`)}
                detail={
                  <>
                    {t('members.since', { date: date(member.addedAtTimestamp) })}
                    {member.address === ownAddress && ` · ${t('members.you')}`}
                  </>
                }
                actions={
                  may('owner') && (
                    <>
                      <Button
                        size="small"
                        aria-label={`${t('members.change')}: ${member.address}`}
                        onClick={() => setAction({ member, isRemoval: false })}
                      >
                        {t('members.change')}
                      </Button>
                      <Button
                        size="small"
                        aria-label={`${t('members.remove')}: ${member.address}`}
                        onClick={() => setAction({ member, isRemoval: true })}
                      >
                        {t('members.remove')}
                      </Button>
                    </>
                  )
                }
              />
            ))}
          </Rows>
        )}
      </Listing>
      {action !== null && (
        <MemberDialog
          {...action}
          onDone={(webhooks) => {
            setWebhooks((last) => ({ ...webhooks, kept: [...last.kept, ...webhooks.kept] }));
            onChange();
          }}
          onClose={() => setAction(null)}
        />
      )}
    </div>
  );
}

function AddMemberForm({ onAdd }: { onAdd: () => void }) {
  const { t } = useTranslation(['console', 'translation']);
  const { badge, communityId } = useSession();
  const [text, setText] = useState('');
  const [role, setRole] = useState<Role>('issuer');
  const [isChecked, setIsChecked] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const read = readTypedAddress(text);

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    setIsChecked(true);
    setError(null);
    if ('problem' in read) return;
    setIsBusy(true);
    try {
      await badge.setMember({ communityId, address: read.address, role });
      setText('');
      setIsChecked(false);
      onAdd();
    } catch (caught) {
      setError(caught);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <form className={styles.stack} onSubmit={(event) => void add(event)} noValidate>
      <div className={styles.inline}>
        <TextField
          label={t('members.address')}
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          placeholder="0x…"
          value={text}
          error={isChecked && 'problem' in read ? t(`translation:address.problems.${read.problem}`) : null}
          onChange={(event) => setText(event.target.value)}
        />
        <RoleSelect value={role} onChange={setRole} />
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {t('members.add')}
        </Button>
      </div>
      <p>{t(`members.roleTexts.${role}`)}</p>
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
    </form>
  );
}
