import type { Webhook, WebhookWithSecret } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'wouter';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { useFormats } from '../../formats.ts';
import { makeRandomId } from '../../random-id.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { describeError } from '../describe-error.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import { NewSecretNotice } from './new-secret-notice.tsx';
import styles from './settings-page.module.css';
import { WebhookDialog } from './webhook-dialog.tsx';
import { messageOf } from './webhook-events.ts';
import { WebhookLog } from './webhook-log.tsx';

type Action = { kind: 'change' | 'pause' | 'rotate' | 'delete'; webhook: Webhook } | { kind: 'add' };

/** The webhooks of the community, or what was sent to one of them. */
export function WebhooksPart() {
  const [search] = useSearchParams();
  const webhookId = search.get('of');
  return webhookId === null ? <WebhookList /> : <WebhookLog key={webhookId} webhookId={webhookId} />;
}

function WebhookList() {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const [, navigate] = useLocation();
  const [version, setVersion] = useState(0);
  const [action, setAction] = useState<Action | null>(null);
  /** A secret that is shown, this once. */
  const [shown, setShown] = useState<{ webhook: WebhookWithSecret; isNew: boolean } | null>(null);
  const [busyId, setBusyId] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const onChange = () => setVersion((last) => last + 1);
  const close = () => setAction(null);

  /** Does something that needs no question. */
  async function run(webhookId: string, act: () => Promise<void>): Promise<void> {
    if (busyId !== null) return;
    setBusyId(webhookId);
    setError(null);
    try {
      await act();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusyId(null);
    }
  }

  return (
    <div className={styles.stack}>
      <p className={styles.muted}>{t('webhooks.lead')}</p>
      {shown !== null && (
        <NewSecretNotice webhook={shown.webhook} isNew={shown.isNew} onClose={() => setShown(null)} />
      )}
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
      <Listing
        name={`webhooks/${communityId}/${version}`}
        title={t('settings.webhooks')}
        list={(part, signal) => badge.listWebhooks({ communityId, ...part }, { signal })}
        filters={<Button onClick={() => setAction({ kind: 'add' })}>{t('webhooks.add')}</Button>}
        empty={t('webhooks.none')}
      >
        {(items) => (
          <Rows>
            {items.map((webhook) => (
              <WebhookRow
                key={webhook.webhookId}
                webhook={webhook}
                isBusy={busyId === webhook.webhookId}
                onAction={(kind) => setAction({ kind, webhook })}
                onResume={() =>
                  void run(webhook.webhookId, async () => {
                    await badge.updateWebhook({ communityId, webhookId: webhook.webhookId, isEnabled: true });
                    onChange();
                  })
                }
                onTest={() =>
                  void run(webhook.webhookId, async () => {
                    const { webhookId } = webhook;
                    const idempotencyKey = makeRandomId();
                    await badge.testWebhook({ communityId, webhookId }, { idempotencyKey });
                    navigate(`/settings/webhooks?of=${webhookId}`, { state: { isTesting: true } });
                  })
                }
              />
            ))}
          </Rows>
        )}
      </Listing>
      {(action?.kind === 'add' || action?.kind === 'change') && (
        <WebhookDialog
          webhook={action.kind === 'add' ? null : action.webhook}
          onDone={(created) => {
            if (created !== null) setShown({ webhook: created, isNew: true });
            onChange();
          }}
          onClose={close}
        />
      )}
      {action?.kind === 'pause' && (
        <ActionDialog
          title={t('webhooks.pauseDialog.title')}
          submitLabel={t('webhooks.pause')}
          onSubmit={async () => {
            const { webhookId } = action.webhook;
            await badge.updateWebhook({ communityId, webhookId, isEnabled: false });
            onChange();
          }}
          onClose={close}
        >
          <Which webhook={action.webhook} />
          <p>{t('webhooks.pauseDialog.text')}</p>
        </ActionDialog>
      )}
      {action?.kind === 'rotate' && (
        <ActionDialog
          title={t('webhooks.rotateDialog.title')}
          submitLabel={t('webhooks.rotate')}
          onSubmit={async () => {
            const { webhookId } = action.webhook;
            const webhook = await badge.rotateWebhookSecret({ communityId, webhookId });
            setShown({ webhook, isNew: false });
            onChange();
          }}
          onClose={close}
        >
          <Which webhook={action.webhook} />
          <p>{t('webhooks.rotateDialog.text')}</p>
        </ActionDialog>
      )}
      {action?.kind === 'delete' && (
        <ActionDialog
          title={t('webhooks.deleteDialog.title')}
          submitLabel={t('webhooks.delete')}
          isDangerous
          onSubmit={async () => {
            const { webhookId } = action.webhook;
            await badge.deleteWebhook({ communityId, webhookId });
            if (shown?.webhook.webhookId === webhookId) setShown(null);
            onChange();
          }}
          onClose={close}
        >
          <Which webhook={action.webhook} />
          <p>{t('webhooks.deleteDialog.text')}</p>
        </ActionDialog>
      )}
    </div>
  );
}

function Which({ webhook: { name, url } }: { webhook: Webhook }) {
  return (
    <p>
      <bdi>{name}</bdi>
      <br />
      <bdi dir="ltr">{url}</bdi>
    </p>
  );
}

interface WebhookRowProps {
  webhook: Webhook;
  isBusy: boolean;
  onAction: (kind: 'change' | 'pause' | 'rotate' | 'delete') => void;
  onResume: () => void;
  onTest: () => void;
}

function WebhookRow({ webhook, isBusy, onAction, onResume, onTest }: WebhookRowProps) {
  const { t } = useTranslation('console');
  const { date, dateTime } = useFormats();
  const { webhookId, name, url, events, isEnabled, disabledReason } = webhook;
  const { failingSinceTimestamp, formerSecretExpiresAtTimestamp, createdAtTimestamp } = webhook;
  const hasTwoSecrets =
    formerSecretExpiresAtTimestamp !== null && formerSecretExpiresAtTimestamp > Date.now();
  const status = !isEnabled
    ? disabledReason === null
      ? 'paused'
      : 'disabled'
    : failingSinceTimestamp === null
      ? 'on'
      : 'failing';
  const details = [
    t('keys.createdOn', { date: date(createdAtTimestamp) }),
    events === null ? t('webhooks.allEvents') : events.map((type) => t(messageOf(type))).join(', '),
    hasTwoSecrets && t('webhooks.twoSecrets', { date: dateTime(formerSecretExpiresAtTimestamp) }),
    status === 'failing' &&
      failingSinceTimestamp !== null &&
      t('webhooks.failingSince', { date: dateTime(failingSinceTimestamp) }),
  ].filter((text) => text !== false);
  const button = (label: string, onClick: () => void) => (
    <Button size="small" isDisabled={isBusy} aria-label={`${label}: ${name}`} onClick={onClick}>
      {label}
    </Button>
  );
  return (
    <Row
      title={<bdi>{name}</bdi>}
      status={t(`webhooks.status.${status}`)}
      tone={status === 'on' ? 'good' : status === 'paused' ? 'plain' : 'bad'}
      detail={
        <>
          <bdi dir="ltr">{url}</bdi>
          <p>{details.join(' · ')}</p>
          {disabledReason !== null && !isEnabled && (
            <p>
              {t('webhooks.disabledBecause')} <bdi dir="ltr">{disabledReason}</bdi>
            </p>
          )}
        </>
      }
      actions={
        <>
          <ButtonLink
            size="small"
            aria-label={`${t('webhooks.log')}: ${name}`}
            href={`/settings/webhooks?of=${webhookId}`}
          >
            {t('webhooks.log')}
          </ButtonLink>
          {isEnabled && button(t('webhooks.test'), onTest)}
          {isEnabled
            ? button(t('webhooks.pause'), () => onAction('pause'))
            : button(t('webhooks.resume'), onResume)}
          {button(t('webhooks.change'), () => onAction('change'))}
          {button(t('webhooks.rotate'), () => onAction('rotate'))}
          {button(t('webhooks.delete'), () => onAction('delete'))}
        </>
      }
    />
  );
}
