export type { BadgeClient, BadgeClientOptions } from './badge-client.ts';
export { createBadgeClient } from './create-badge-client.ts';
export { BadgeApiError, BadgeConnectionError, BadgeSignerError, BadgeTimeoutError } from './errors.ts';
export type { List } from './list.ts';
export type { PendingMove, PendingOperation, PendingTransfer } from './operation.ts';
export type * from './types.ts';
export type { WebhookHeaders } from './verify-webhook.ts';
export { BadgeWebhookError, verifyWebhook } from './verify-webhook.ts';
