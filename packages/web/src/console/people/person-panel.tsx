import type { Recipient, Token } from '@badge/sdk';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import dialogStyles from '../../design/action-dialog.module.css';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { useModal } from '../../design/use-modal.ts';
import { Details } from '../badges/details.tsx';
import { NewLinksDialog } from '../badges/new-links-dialog.tsx';
import { type OwnerChange, OwnerDialog } from '../badges/owner-dialog.tsx';
import { MailDialog } from '../mail/mail-dialog.tsx';
import { useMail } from '../mail/use-mail.ts';
import { useIsPaused, useSession } from '../session/session.ts';
import { ManyDialog } from './many-dialog.tsx';
import { MoveMailDialog } from './move-mail-dialog.tsx';
import styles from './people-list.module.css';
import { PersonStatus } from './people-table.tsx';
import { hasBadge, isPossible, type ManyAction } from './person-actions.ts';
import { PersonFields } from './person-fields.tsx';
import { PersonHistory } from './person-history.tsx';
import { listTexts, PersonName } from './person-name.tsx';
import { isRemindable, RemindDialog } from './remind-dialog.tsx';
import { RenewDialog } from './renew-dialog.tsx';

interface PersonPanelProps {
  token: Token;
  person: Recipient;
  /** Goes up after each change. Then what happened is read again. */
  version: number;
  onChange: () => void;
  onClose: () => void;
}

type Opened =
  | OwnerChange['kind']
  | Exclude<ManyAction, 'revoke'>
  | 'mail'
  | 'link'
  | 'moveMail'
  | 'remindClaim'
  | 'remindExpiry';

/** One person: who it is, what can be done, and everything that happened. */
export function PersonPanel(props: PersonPanelProps) {
  const { token, person, onChange } = props;
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const [opened, setOpened] = useState<Opened | null>(null);
  const { tokenId } = token;
  const { address, identifier, invitationId, email } = person;
  const close = () => setOpened(null);
  return (
    <>
      {/* Before the others, so that it is below them when they all open again after a sign-in. */}
      <PersonDialog {...props} onOpen={setOpened} />
      {(opened === 'revoke' || opened === 'reinstate' || opened === 'move') && address !== null && (
        <OwnerDialog
          tokenId={tokenId}
          change={{ kind: opened, address, person: listTexts(person) }}
          onDone={onChange}
          onClose={close}
        />
      )}
      {(opened === 'resend' || opened === 'remove') && (
        <ManyDialog token={token} action={opened} people={[person]} onChange={onChange} onClose={close} />
      )}
      {opened === 'renew' && (
        <RenewDialog token={token} people={[person]} onChange={onChange} onClose={close} />
      )}
      {opened === 'link' && identifier !== null && (
        <NewLinksDialog token={token} identifier={identifier} onDone={onChange} onClose={close} />
      )}
      {opened === 'moveMail' && invitationId !== null && (
        <MoveMailDialog tokenId={tokenId} invitationId={invitationId} onChange={onChange} onClose={close} />
      )}
      {(opened === 'remindClaim' || opened === 'remindExpiry') && (
        <RemindDialog
          token={token}
          kind={opened === 'remindClaim' ? 'claim' : 'expiry'}
          people={[person]}
          onChange={onChange}
          onClose={close}
        />
      )}
      {opened === 'mail' && invitationId !== null && (
        <MailDialog
          title={t('people.mailTitle', { email: email ?? '' })}
          name={`mail/${invitationId}`}
          load={(signal) => badge.getInvitationMail({ tokenId, invitationId }, { signal })}
          hasLinks
          onClose={close}
        />
      )}
    </>
  );
}

function PersonDialog({
  token,
  person,
  version,
  onChange,
  onClose,
  onOpen,
}: PersonPanelProps & { onOpen: (opened: Opened) => void }) {
  const { t } = useTranslation('console');
  const titleId = useId();
  const dialogRef = useModal(useIsPaused());
  const { recipientId, address } = person;
  const [, ...texts] = listTexts(person);
  return (
    <dialog
      ref={dialogRef}
      // Has the focus when a button is gone after its action.
      tabIndex={-1}
      className={`${dialogStyles.dialog} ${styles.panel}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className={dialogStyles.form}>
        <h2 id={titleId}>
          <PersonName person={person} />
        </h2>
        <div role="status">
          <PersonStatus person={person} />
        </div>
        {texts.length > 0 && (
          <div>
            <Details of={texts} />
          </div>
        )}
        {address !== null && (
          <div>
            <Address value={address} hasCopyButton />
          </div>
        )}
        <PersonButtons person={person} onOpen={onOpen} />
        <PersonFields token={token} person={person} onChange={onChange} />
        <PersonHistory tokenId={token.tokenId} recipientId={recipientId} version={version} />
        <div className={dialogStyles.actions}>
          <Button onClick={onClose}>{t('dialog.close')}</Button>
        </div>
      </div>
    </dialog>
  );
}

/** What can be done for this person, by who looks. */
function PersonButtons({ person, onOpen }: { person: Recipient; onOpen: (opened: Opened) => void }) {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const mail = useMail();
  const { status, address, identifier, sentAtTimestamp } = person;
  const isRemovable = isPossible('remove', person);
  const buttons: (Opened | false)[] = [
    may('issuer') && isPossible('renew', person) && 'renew',
    may('editor') && hasBadge(person) && address !== null && 'move',
    may('editor') && isPossible('revoke', person) && 'revoke',
    may('editor') && status === 'revoked' && 'reinstate',
    may('issuer') && mail === 'kept' && sentAtTimestamp !== null && 'mail',
    may('issuer') && mail !== 'unavailable' && isPossible('resend', person) && 'resend',
    may('issuer') && status === 'scheduled' && 'moveMail',
    may('issuer') && mail !== 'unavailable' && isRemindable('claim', person) && 'remindClaim',
    may('issuer') && mail !== 'unavailable' && isRemindable('expiry', person) && 'remindExpiry',
    may('issuer') && isRemovable && identifier !== null && 'link',
    may('issuer') && isRemovable && 'remove',
  ];
  const shown = buttons.filter((one) => one !== false);
  if (shown.length === 0) return null;
  return (
    <div className={styles.mails}>
      {shown.map((one) => (
        <Button key={one} size="small" onClick={() => onOpen(one)}>
          {t(`people.actions.${one}`)}
        </Button>
      ))}
    </div>
  );
}
