import type { Member, Role } from '@badge/sdk';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { useFormats } from '../../formats.ts';
import { NamedAddress } from '../../token/named-address.tsx';
import { readTypedAddress } from '../../wallet/address.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { describeError } from '../describe-error.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { ROLES, useSession } from '../session/session.ts';
import { TextField } from '../text-field.tsx';
import styles from './settings-page.module.css';

/** The members of the community and their roles. */
export function MembersPart() {
  const { t } = useTranslation('console');
  const { badge, communityId, may, address: ownAddress, reload } = useSession();
  const { date } = useFormats();
  const [version, setVersion] = useState(0);
  const [changed, setChanged] = useState<Member | null>(null);
  const [removed, setRemoved] = useState<Member | null>(null);

  function onChange(): void {
    setVersion((last) => last + 1);
    // The own role may be another one now.
    reload();
  }

  return (
    <div className={styles.stack}>
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
                        onClick={() => setChanged(member)}
                      >
                        {t('members.change')}
                      </Button>
                      <Button
                        size="small"
                        aria-label={`${t('members.remove')}: ${member.address}`}
                        onClick={() => setRemoved(member)}
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
      {changed !== null && <RoleDialog member={changed} onDone={onChange} onClose={() => setChanged(null)} />}
      {removed !== null && (
        <ActionDialog
          title={t('members.removeDialog.title')}
          submitLabel={t('members.remove')}
          isDangerous
          onSubmit={async () => {
            await badge.removeMember({ communityId, address: removed.address });
            onChange();
          }}
          onClose={() => setRemoved(null)}
        >
          <p>
            <Address value={removed.address} />
          </p>
          <p>{t('members.removeDialog.text')}</p>
        </ActionDialog>
      )}
    </div>
  );
}

function RoleSelect({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const { t } = useTranslation('console');
  return (
    <SelectField
      label={t('members.role')}
      value={value}
      onChange={(event) => onChange(event.target.value as Role)}
    >
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {t(`roles.${role}`)}
        </option>
      ))}
    </SelectField>
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

function RoleDialog({
  member,
  onDone,
  onClose,
}: {
  member: Member;
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const [role, setRole] = useState<Role>(member.role);
  return (
    <ActionDialog
      title={t('members.changeDialog')}
      submitLabel={t('members.change')}
      onSubmit={async () => {
        await badge.setMember({ communityId, address: member.address, role });
        onDone();
      }}
      onClose={onClose}
    >
      <p>
        <Address value={member.address} />
      </p>
      <RoleSelect value={role} onChange={setRole} />
      <p>{t(`members.roleTexts.${role}`)}</p>
    </ActionDialog>
  );
}
