import type { WebhookDelivery } from '@badge/sdk';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHistoryState } from 'wouter/use-browser-location';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import { makeRandomId } from '../../random-id.ts';
import { useLoaded, useReloadWhenShown } from '../../use-loaded.ts';
import { describeError } from '../describe-error.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import styles from './settings-page.module.css';
import { messageOf } from './webhook-events.ts';

const STATUSES = ['pending', 'delivered', 'failed'] as const satisfies readonly WebhookDelivery['status'][];
const MAX_WEBHOOKS = 100;
/** A delivery that is tried in this time is worth waiting for. */
const SOON_MS = 15_000;
const REFRESH_MS = 2_000;

/** What was or will be sent to a webhook. It refreshes itself while something is about to be sent. */
export function WebhookLog({ webhookId }: { webhookId: string }) {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const webhooks = useLoaded(`webhook/${communityId}/${webhookId}`, async (signal) => {
    const { data } = await badge.listWebhooks({ communityId, limit: MAX_WEBHOOKS }, { signal });
    return data.find((one) => one.webhookId === webhookId) ?? null;
  });
  if (webhooks.status === 'loading') return <LoadingBlock />;
  if (webhooks.status === 'failed') return <LoadError error={webhooks.error} onRetry={webhooks.reload} />;
  const webhook = webhooks.value;
  return (
    <div className={styles.stack}>
      <p>
        <ButtonLink size="small" href="/settings/webhooks">
          {t('webhooks.back')}
        </ButtonLink>
      </p>
      {webhook === null ? (
        <Notice tone="warning">{t('webhooks.missing')}</Notice>
      ) : (
        <Deliveries webhookId={webhookId} name={webhook.name} isEnabled={webhook.isEnabled} />
      )}
    </div>
  );
}

function Deliveries({ webhookId, name, isEnabled }: { webhookId: string; name: string; isEnabled: boolean }) {
  const { t } = useTranslation('console');
  const { badge, communityId, isPaused } = useSession();
  const [status, setStatus] = useState<WebhookDelivery['status'] | ''>('');
  const [refreshCount, setRefreshCount] = useState(0);
  const [isMoving, setIsMoving] = useState(false);
  const [busyId, setBusyId] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const isTesting = useHistoryState<{ isTesting?: boolean } | null>()?.isTesting === true;
  const [notice, setNotice] = useState<'testing' | 'again' | null>(isTesting ? 'testing' : null);
  const filter = status === '' ? {} : { status };
  const refresh = useCallback(() => {
    if (document.visibilityState === 'visible') setRefreshCount((count) => count + 1);
  }, []);

  useEffect(() => {
    // A reloaded page does not say it again.
    if (isTesting) history.replaceState(null, '');
  }, [isTesting]);
  useEffect(() => {
    if (!isMoving || isPaused) return;
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isMoving, isPaused, refresh]);
  useReloadWhenShown(refresh);

  async function redeliver(deliveryId: string): Promise<void> {
    if (busyId !== null) return;
    setBusyId(deliveryId);
    setError(null);
    try {
      const delivery = { communityId, webhookId, deliveryId };
      await badge.redeliverWebhook(delivery, { idempotencyKey: makeRandomId() });
      setNotice('again');
      refresh();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusyId(null);
    }
  }

  return (
    <>
      {notice !== null && (
        <Notice tone="success" isLive>
          {t(`deliveries.${notice}`)}
        </Notice>
      )}
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
      <Listing
        key={status}
        name={`deliveries/${webhookId}/${status}`}
        title={t('deliveries.title', { name })}
        list={async (part, signal) => {
          const query = { communityId, webhookId, ...filter, ...part };
          const page = await badge.listWebhookDeliveries(query, { signal });
          setIsMoving(page.data.some(isSoon));
          return page;
        }}
        refreshCount={refreshCount}
        filters={
          <SelectField
            label={t('links.status')}
            value={status}
            onChange={(event) => setStatus(event.target.value as WebhookDelivery['status'] | '')}
          >
            <option value="">{t('links.allStatuses')}</option>
            {STATUSES.map((value) => (
              <option key={value} value={value}>
                {t(`deliveries.statuses.${value}`)}
              </option>
            ))}
          </SelectField>
        }
        empty={t(status === '' ? 'deliveries.none' : 'deliveries.noneSuch')}
      >
        {(items) => (
          <Rows>
            {items.map((delivery) => (
              <DeliveryRow
                key={delivery.deliveryId}
                delivery={delivery}
                isBusy={busyId === delivery.deliveryId}
                mayRedeliver={isEnabled}
                onRedeliver={() => void redeliver(delivery.deliveryId)}
              />
            ))}
          </Rows>
        )}
      </Listing>
    </>
  );
}

function isSoon({ status, nextAttemptAtTimestamp }: WebhookDelivery): boolean {
  return (
    status === 'pending' &&
    (nextAttemptAtTimestamp === null || nextAttemptAtTimestamp <= Date.now() + SOON_MS)
  );
}

interface DeliveryRowProps {
  delivery: WebhookDelivery;
  isBusy: boolean;
  mayRedeliver: boolean;
  onRedeliver: () => void;
}

function DeliveryRow({ delivery, isBusy, mayRedeliver, onRedeliver }: DeliveryRowProps) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  const { eventId, eventType, status, attempts, nextAttemptAtTimestamp, createdAtTimestamp } = delivery;
  const last = attempts.at(-1);
  const what = t(messageOf(eventType));
  return (
    <Row
      title={what}
      status={t(`deliveries.statuses.${status}`)}
      tone={status === 'delivered' ? 'good' : status === 'failed' ? 'bad' : 'plain'}
      detail={
        <>
          <p>
            {dateTime(createdAtTimestamp)}
            {' · '}
            {t('deliveries.event')} <bdi dir="ltr">{eventId}</bdi>
          </p>
          {last === undefined ? <p>{t('deliveries.notYet')}</p> : <Attempt attempt={last} />}
          {status === 'pending' && last !== undefined && nextAttemptAtTimestamp !== null && (
            <p>{t('deliveries.next', { date: dateTime(nextAttemptAtTimestamp) })}</p>
          )}
          {attempts.length > 1 && (
            <details>
              <summary>{t('deliveries.attempts', { count: attempts.length })}</summary>
              <ol className={styles.attempts}>
                {attempts.map((attempt) => (
                  <li key={attempt.attemptedAtTimestamp}>
                    {dateTime(attempt.attemptedAtTimestamp)}
                    <Attempt attempt={attempt} />
                  </li>
                ))}
              </ol>
            </details>
          )}
        </>
      }
      actions={
        mayRedeliver &&
        status !== 'pending' && (
          <Button
            size="small"
            isBusy={isBusy}
            aria-label={`${t('deliveries.redeliver')}: ${what}`}
            onClick={onRedeliver}
          >
            {t('deliveries.redeliver')}
          </Button>
        )
      }
    />
  );
}

function Attempt({ attempt }: { attempt: WebhookDelivery['attempts'][number] }) {
  const { t } = useTranslation('console');
  const { responseStatus, durationMs, error } = attempt;
  return (
    <p>
      {responseStatus === null
        ? t('deliveries.noResponse')
        : t('deliveries.response', { status: responseStatus })}
      {' · '}
      {t('deliveries.duration', { ms: durationMs })}
      {error !== null && (
        <>
          {' · '}
          <bdi dir="ltr">{error}</bdi>
        </>
      )}
    </p>
  );
}
