import type { Invitation } from '@badge/sdk';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { useFormats } from '../../formats.ts';
import { makeRandomId } from '../../random-id.ts';
import { ActionDialog } from '../action-dialog.tsx';
import type { BadgePartProps } from '../badges/badge-part.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { MailDialog } from '../mail/mail-dialog.tsx';
import { useMail } from '../mail/use-mail.ts';
import { useSession } from '../session/session.ts';
import styles from './invitation-list.module.css';
import { INVITATION_STATUSES, useInvitationCounts } from './use-invitation-counts.ts';

type Status = Invitation['status'];
/** With one of these, the invitation can still be sent again. */
const SENT: readonly Status[] = ['sent', 'failed'];
const REVOCABLE: readonly Status[] = ['queued', 'sent', 'failed'];

type Action = { kind: 'resend' | 'revoke' | 'mail'; invitation: Invitation; idempotencyKey: string };

/**
 * The invitations to a badge, and what has become of their mails. Without events, it refreshes itself while
 * mails are queued.
 */
export function InvitationList({
  token,
  version,
  eventCount,
  onChange,
}: Omit<BadgePartProps, 'eventCount'> & Partial<Pick<BadgePartProps, 'eventCount'>>) {
  const { t } = useTranslation('console');
  const { badge, communityId, may } = useSession();
  const { tokenId } = token;
  const [isCancelling, setIsCancelling] = useState(false);
  const mail = useMail();
  const [status, setStatus] = useState<Status | ''>('');
  const [action, setAction] = useState<Action | null>(null);
  const { counts, refreshCount } = useInvitationCounts(tokenId, version, eventCount);
  const filter = status === '' ? {} : { status };
  const open = (kind: Action['kind'], invitation: Invitation) =>
    setAction({ kind, invitation, idempotencyKey: makeRandomId() });
  const close = () => setAction(null);

  return (
    <>
      {counts !== null && counts.total > 0 && (
        <ul className={`plain-list ${styles.counts}`} aria-label={t('invitations.counts')}>
          {INVITATION_STATUSES.filter((name) => counts.byStatus[name] > 0).map((name) => (
            <li key={name} data-tone={name === 'failed' ? 'bad' : undefined}>
              {t(`invitations.count.${name}`, { count: counts.byStatus[name] })}
            </li>
          ))}
          {counts.isIncomplete && <li>{t('invitations.count.incomplete')}</li>}
        </ul>
      )}
      {may('issuer') && counts !== null && counts.byStatus.queued > 0 && (
        <p>
          <Button size="small" onClick={() => setIsCancelling(true)}>
            {t('invitations.cancel')}
          </Button>
        </p>
      )}
      <Listing
        // Another status is another list, which begins at its first page.
        key={status}
        name={`invitations/${tokenId}/${status}/${version}`}
        title={t('badge.invitations')}
        list={(part, signal) => badge.listInvitations({ tokenId, ...filter, ...part }, { signal })}
        refreshCount={refreshCount}
        matches={({ email, name, address }, text) =>
          [email, name, address].some((written) => written?.toLowerCase().includes(text))
        }
        searchLabel={t('invitations.search')}
        filters={
          <div className={styles.filter}>
            <SelectField
              label={t('links.status')}
              value={status}
              onChange={(event) => setStatus(event.target.value as Status | '')}
            >
              <option value="">{t('links.allStatuses')}</option>
              {INVITATION_STATUSES.map((value) => (
                <option key={value} value={value}>
                  {t(`invitations.statuses.${value}`)}
                </option>
              ))}
            </SelectField>
          </div>
        }
        empty={t(status === '' ? 'invitations.none' : 'invitations.noneSuch')}
      >
        {(items) => (
          <Rows>
            {items.map((invitation) => (
              <InvitationRow
                key={invitation.invitationId}
                invitation={invitation}
                isKept={mail === 'kept'}
                mayResend={mail !== 'unavailable'}
                onAction={(kind) => open(kind, invitation)}
              />
            ))}
          </Rows>
        )}
      </Listing>
      {isCancelling && (
        <ActionDialog
          title={t('invitations.cancelDialog.title')}
          submitLabel={t('invitations.cancel')}
          isDangerous
          onSubmit={async () => {
            await badge.cancelMails({ communityId, tokenId });
            onChange();
          }}
          onClose={() => setIsCancelling(false)}
        >
          <p>{t('invitations.cancelDialog.text')}</p>
        </ActionDialog>
      )}
      {action?.kind === 'resend' && (
        <ActionDialog
          title={t('invitations.resendDialog.title')}
          submitLabel={t('invitations.resend')}
          onSubmit={async () => {
            const { invitation, idempotencyKey } = action;
            const { invitationId } = invitation;
            await badge.resendInvitation({ tokenId, invitationId }, { idempotencyKey });
            onChange();
          }}
          onClose={close}
        >
          <Whom invitation={action.invitation} />
          <p>{t(`invitations.resendDialog.${action.invitation.address === null ? 'text' : 'wallet'}`)}</p>
        </ActionDialog>
      )}
      {action?.kind === 'revoke' && (
        <ActionDialog
          title={t('invitations.revokeDialog.title')}
          submitLabel={t('invitations.revoke')}
          isDangerous
          onSubmit={async () => {
            await badge.revokeInvitation({ tokenId, invitationId: action.invitation.invitationId });
            onChange();
          }}
          onClose={close}
        >
          <Whom invitation={action.invitation} />
          <p>{t(`invitations.revokeDialog.${action.invitation.address === null ? 'text' : 'wallet'}`)}</p>
        </ActionDialog>
      )}
      {action?.kind === 'mail' && (
        <MailDialog
          title={t('invitations.mailTitle', { email: action.invitation.email ?? '' })}
          name={`mail/${action.invitation.invitationId}`}
          load={(signal) =>
            badge.getInvitationMail({ tokenId, invitationId: action.invitation.invitationId }, { signal })
          }
          hasLinks
          onClose={close}
        />
      )}
    </>
  );
}

function Whom({ invitation: { email } }: { invitation: Invitation }) {
  return (
    email !== null && (
      <p>
        <bdi>{email}</bdi>
      </p>
    )
  );
}

interface InvitationRowProps {
  invitation: Invitation;
  /** Whether the service keeps the mails, so that they can be looked at. */
  isKept: boolean;
  mayResend: boolean;
  onAction: (kind: Action['kind']) => void;
}

function InvitationRow({ invitation, isKept, mayResend, onAction }: InvitationRowProps) {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const { dateTime, end } = useFormats();
  const { email, name, address, status, error, createdAtTimestamp, sentAtTimestamp, expiresAtTimestamp } =
    invitation;
  const title = email ?? t('invitations.erased');
  const isExpired = expiresAtTimestamp !== null && expiresAtTimestamp <= Date.now();
  const isOpen = REVOCABLE.includes(status) && !isExpired;
  const details = [
    sentAtTimestamp === null
      ? t('invitations.createdOn', { date: dateTime(createdAtTimestamp) })
      : t('invitations.sentOn', { date: dateTime(sentAtTimestamp) }),
    expiresAtTimestamp !== null &&
      status !== 'claimed' &&
      t(isExpired ? 'invitations.ended' : 'links.until', { date: end(expiresAtTimestamp) }),
  ].filter((text) => text !== false);
  const button = (kind: Action['kind'], label: string): ReactNode => (
    <Button size="small" aria-label={`${label}: ${title}`} onClick={() => onAction(kind)}>
      {label}
    </Button>
  );
  return (
    <Row
      title={<bdi>{title}</bdi>}
      status={t(`invitations.statuses.${status}`)}
      tone={
        status === 'claimed'
          ? 'good'
          : ['failed', 'revoked', 'unsubscribed'].includes(status)
            ? 'bad'
            : 'plain'
      }
      detail={
        <>
          {name !== null && (
            <>
              <bdi>{name}</bdi>
              {' · '}
            </>
          )}
          {details.join(' · ')}
          {address !== null && (
            <>
              {' · '}
              <Address value={address} />
            </>
          )}
          {error !== null && (
            <p className={status === 'failed' ? styles.failure : undefined}>
              {t(status === 'failed' ? 'invitations.because' : 'invitations.lastAttempt')}{' '}
              <bdi dir="ltr">{error}</bdi>
            </p>
          )}
        </>
      }
      actions={
        may('issuer') && (
          <>
            {isKept && sentAtTimestamp !== null && button('mail', t('invitations.mail'))}
            {isOpen &&
              mayResend &&
              SENT.includes(status) &&
              email !== null &&
              button('resend', t('invitations.resend'))}
            {isOpen && button('revoke', t('invitations.revoke'))}
          </>
        )
      }
    />
  );
}
