import type { Context } from '../../context.ts';
import type { Encryption } from '../../encryption.ts';
import {
  type DueDelivery,
  type DueWebhook,
  endTurn,
  listDueDeliveries,
  recordAttempt,
  type TurnResult,
} from '../../storage/webhook-deliveries.ts';
import { toEvent } from '../events/rules.ts';
import {
  decryptOrNull,
  describeFailure,
  findSecretParts,
  judgeAttempt,
  MAX_FAILING_HOURS,
  signWebhook,
} from './rules.ts';

// A turn ends after this time, so that webhooks take turns. Its requests end up to 10 seconds later, before
// the lease does.
const MAX_TURN_MS = 15_000;
/** How many requests are sent to one webhook at a time. */
const CONCURRENT_REQUESTS = 4;
const DUE_DELIVERIES = 20;
const WRONG_KEY_PAUSE_SECONDS = 300;

/**
 * Sends the deliveries of a webhook that are due, and records what came of them. Ends early if the receiver
 * is not available, so that it does not take the place of others. If more is left, another turn follows
 * later.
 */
export async function deliverWebhook(
  context: Context,
  webhook: DueWebhook,
  signal: AbortSignal,
): Promise<void> {
  const { encryption, log } = context;
  const { webhookId, communityId } = webhook;
  // A process without the key serves no webhooks.
  if (encryption === null) throw new Error('webhooks cannot be delivered without an encryption key');
  const result = await runTurn(context, encryption, { webhook, signal });
  const isDisabled = await context.transaction((tx) => endTurn(tx, { webhookId, result }));
  if (isDisabled) log.info({ webhookId, communityId }, 'a webhook is disabled because it fails');
}

interface Turn {
  webhook: DueWebhook;
  signal: AbortSignal;
}

async function runTurn(
  context: Context,
  encryption: Encryption,
  { webhook, signal }: Turn,
): Promise<TurnResult> {
  const { database, log } = context;
  const { webhookId } = webhook;
  const result: TurnResult = {
    hasSucceeded: false,
    hasFailed: false,
    pauseSeconds: null,
    disabledReason: null,
    failingReason: '',
    maxFailingHours: MAX_FAILING_HOURS,
  };
  const url = decryptOrNull(encryption, 'webhookUrl', webhookId, webhook.encryptedUrl);
  const [present, ...former] = webhook.encryptedSecrets.map((secret) =>
    decryptOrNull(encryption, 'webhookSecret', webhookId, secret),
  );
  if (url === null || present === undefined || present === null) {
    log.error({ webhookId }, 'the secret or the URL of a webhook cannot be decrypted: nothing is sent to it');
    return { ...result, pauseSeconds: WRONG_KEY_PAUSE_SECONDS };
  }
  // After a change of the key, the former secret cannot be read.
  const secrets = [present, ...former.filter((secret) => secret !== null)];
  const startMs = performance.now();
  let isActive = true;
  const mayContinue = () =>
    isActive &&
    !signal.aborted &&
    result.pauseSeconds === null &&
    result.disabledReason === null &&
    performance.now() - startMs < MAX_TURN_MS;

  const target = { communityId: webhook.communityId, url, secrets };

  async function deliver(delivery: DueDelivery): Promise<void> {
    const attemptMs = performance.now();
    const attemptedAtTimestamp = webhook.now.getTime() + Math.round(attemptMs - startMs);
    const sent = prepareRequest(delivery, { ...target, attemptedAtTimestamp });
    const outcome = sent && (await context.webhookSender.send(sent.request));
    const durationMs = Math.round(performance.now() - attemptMs);
    const verdict =
      outcome &&
      judgeAttempt(outcome, {
        attemptCount: delivery.attempt_count,
        failures: webhook.failures,
        random: Math.random(),
      });
    const error =
      sent === null || outcome === null || verdict === null
        ? 'The event is not kept any more.'
        : verdict.isSuccess
          ? null
          : describeFailure(outcome, sent.secretTexts);
    const mayGetMore = await recordAttempt(database, {
      deliveryId: delivery.delivery_id,
      attempt: {
        attemptedAtTimestamp,
        durationMs,
        responseStatus: outcome?.kind === 'response' ? outcome.status : null,
        error,
      },
      status: verdict?.isSuccess ? 'delivered' : verdict?.retryAfterSeconds == null ? 'failed' : 'pending',
      retryAfterSeconds: verdict?.retryAfterSeconds ?? null,
    });
    isActive &&= mayGetMore;
    if (verdict === null) return;
    context.count.webhookRequest(verdict.isSuccess ? 'success' : 'failure');
    if (verdict.isSuccess) result.hasSucceeded = true;
    else result.hasFailed = true;
    if (verdict.pauseSeconds !== null) {
      result.pauseSeconds = Math.max(result.pauseSeconds ?? 0, verdict.pauseSeconds);
    }
    result.disabledReason ??= verdict.disabledReason;
    if (error !== null) {
      result.failingReason = `No request has succeeded for three days. The last one: ${error}`;
    }
  }

  // A receiver that was not available gets one request, until it is.
  const isProbing = webhook.failures > 0;
  while (mayContinue()) {
    const hasProbed = result.hasSucceeded || !isProbing;
    const due = await listDueDeliveries(database, webhookId, hasProbed ? DUE_DELIVERIES : 1);
    if (due.length === 0) break;
    const waiting = due.values();
    const sendNext = async () => {
      for (const delivery of waiting) {
        await deliver(delivery);
        if (!mayContinue()) return;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, sendNext));
  }
  return result;
}

/** The request of an attempt, and what its log must not contain. Null if the event is not kept any more. */
function prepareRequest(
  delivery: DueDelivery,
  {
    communityId,
    url,
    secrets,
    attemptedAtTimestamp,
  }: { communityId: string; url: string; secrets: string[]; attemptedAtTimestamp: number },
): { request: { url: string; headers: Record<string, string>; body: string }; secretTexts: string[] } | null {
  const { event_id, event_type: type, created_at, event } = delivery;
  if (event === null && type !== 'webhook.test') return null;
  const body = JSON.stringify(
    toEvent({
      event_id,
      type,
      community_id: communityId,
      created_at: event === null ? created_at : new Date(event.createdAtTimestamp),
      data: event === null ? { webhookId: delivery.webhook_id } : event.data,
    }),
  );
  const timestampSeconds = Math.floor(attemptedAtTimestamp / 1_000);
  const headers = signWebhook({ eventId: event_id, timestampSeconds, body }, secrets);
  const signatures = headers['webhook-signature']?.split(/[ ,]/).filter((text) => text !== 'v1') ?? [];
  return {
    request: { url, headers, body },
    secretTexts: [...findSecretParts(url), ...secrets, ...signatures],
  };
}
