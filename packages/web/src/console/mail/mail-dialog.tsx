import { BadgeApiError, type Mail } from '@badge/sdk';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import dialogStyles from '../../design/action-dialog.module.css';
import { Button } from '../../design/button.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { useModal } from '../../design/use-modal.ts';
import { LoadError } from '../../load-error.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { describeError } from '../describe-error.ts';
import { useIsPaused } from '../session/session.ts';
import styles from './mail.module.css';
import { MailFrame } from './mail-frame.tsx';

interface MailDialogProps {
  title: string;
  /** Names what `load` reads. */
  name: string;
  load: (signal: AbortSignal) => Promise<Mail>;
  /** Whether the links of the mail lead somewhere. */
  hasLinks?: boolean;
  /** Fields above the mail. */
  children?: ReactNode;
  onClose: () => void;
}

/** A mail as the person sees it: the sender, the subject, and its two parts. */
export function MailDialog({ title, name, load, hasLinks = false, children, onClose }: MailDialogProps) {
  const { t } = useTranslation('console');
  const titleId = useId();
  const dialogRef = useModal(useIsPaused());
  const [part, setPart] = useState<'html' | 'text'>('html');
  const mail = useLoaded(name, load);
  return (
    <dialog
      ref={dialogRef}
      className={`${dialogStyles.dialog} ${styles.dialog}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className={dialogStyles.form}>
        <h2 id={titleId}>{title}</h2>
        {children}
        {mail.status === 'loading' && <LoadingBlock />}
        {mail.status === 'failed' &&
          // What the service refuses, it refuses again.
          (mail.error instanceof BadgeApiError && mail.error.status < 500 && mail.error.status !== 429 ? (
            <Notice tone="error" isLive>
              {mail.error.name === 'InvitationNotFound' ? t('mail.notKept') : describeError(mail.error, t)}
            </Notice>
          ) : (
            <LoadError error={mail.error} onRetry={mail.reload} />
          ))}
        {mail.status === 'loaded' && (
          <>
            <dl className={styles.facts}>
              <dt>{t('mail.from')}</dt>
              <dd>
                <bdi>{mail.value.from}</bdi>
              </dd>
              <dt>{t('mail.subject')}</dt>
              <dd>
                <bdi>{mail.value.subject}</bdi>
              </dd>
            </dl>
            <ChoiceField
              legend={t('mail.part')}
              isCompact
              value={part}
              onChange={setPart}
              choices={[
                { value: 'html', label: t('mail.html') },
                { value: 'text', label: t('mail.text') },
              ]}
            />
            {part === 'html' ? (
              <MailFrame
                // The frame is filled once.
                key={mail.value.html}
                html={mail.value.html}
                title={mail.value.subject}
                hasLinks={hasLinks}
              />
            ) : (
              <pre className={styles.text} dir="auto">
                {mail.value.text}
              </pre>
            )}
          </>
        )}
        <div className={dialogStyles.actions}>
          <Button onClick={onClose}>{t('dialog.close')}</Button>
        </div>
      </div>
    </dialog>
  );
}
