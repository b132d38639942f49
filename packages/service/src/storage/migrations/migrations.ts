import type { Migration } from 'kysely/migration';
import * as tokensAndOperations from './0001-tokens-and-operations.ts';
import * as claimsTypesAndAdministration from './0002-claims-types-and-administration.ts';
import * as auditLog from './0003-audit-log.ts';
import * as sharedRequestCounts from './0004-shared-request-counts.ts';
import * as isolatedOperations from './0005-set-aside-operations.ts';
import * as deployment from './0006-deployment.ts';
import * as assetCollection from './0007-asset-collection.ts';
import * as signatures from './0008-signatures.ts';
import * as fairQueue from './0009-fair-queue.ts';
import * as tokenLists from './0010-token-lists.ts';
import * as removedAssets from './0011-removed-assets.ts';
import * as heldTokens from './0012-held-tokens.ts';
import * as claimLinks from './0013-claim-links.ts';
import * as tokenChanges from './0014-token-changes.ts';
import * as ownerChanges from './0015-owner-changes.ts';
import * as claimEndings from './0016-claim-endings.ts';
import * as members from './0017-members.ts';
import * as sessions from './0018-sessions.ts';
import * as undo from './0019-undo.ts';
import * as contributorCounts from './0020-contributor-counts.ts';
import * as roomLinks from './0021-room-links.ts';
import * as managedCreators from './0022-managed-creators.ts';
import * as events from './0023-events.ts';
import * as webhooks from './0024-webhooks.ts';
import * as invitations from './0025-invitations.ts';
import * as reservations from './0026-reservations.ts';
import * as credentials from './0027-credentials.ts';
import * as contractWallets from './0028-contract-wallets.ts';
import * as mailLimits from './0029-mail-limits.ts';
import * as webhookMakers from './0031-webhook-makers.ts';
import * as sessionsByAddress from './0032-sessions-by-address.ts';
import * as reservationClients from './0036-reservation-clients.ts';
import * as webhookUrlMakers from './0037-webhook-url-makers.ts';
import * as mailTimeZones from './0038-mail-time-zones.ts';
import * as invitationsOfEntries from './0039-invitations-of-entries.ts';

/** Every migration in order. Add new ones at the end; a released one never changes, and neither does its name. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-tokens-and-operations': tokensAndOperations,
  '0002-claims-types-and-administration': claimsTypesAndAdministration,
  '0003-audit-log': auditLog,
  '0004-shared-request-counts': sharedRequestCounts,
  '0005-set-aside-operations': isolatedOperations,
  '0006-deployment': deployment,
  '0007-asset-collection': assetCollection,
  '0008-signatures': signatures,
  '0009-fair-queue': fairQueue,
  '0010-token-lists': tokenLists,
  '0011-removed-assets': removedAssets,
  '0012-held-tokens': heldTokens,
  '0013-claim-links': claimLinks,
  '0014-token-changes': tokenChanges,
  '0015-owner-changes': ownerChanges,
  '0016-claim-endings': claimEndings,
  '0017-members': members,
  '0018-sessions': sessions,
  '0019-undo': undo,
  '0020-contributor-counts': contributorCounts,
  '0021-room-links': roomLinks,
  '0022-managed-creators': managedCreators,
  '0023-events': events,
  '0024-webhooks': webhooks,
  '0025-invitations': invitations,
  '0026-reservations': reservations,
  '0027-credentials': credentials,
  '0028-contract-wallets': contractWallets,
  '0029-mail-limits': mailLimits,
  '0031-webhook-makers': webhookMakers,
  '0032-sessions-by-address': sessionsByAddress,
  '0036-reservation-clients': reservationClients,
  '0037-webhook-url-makers': webhookUrlMakers,
  '0038-mail-time-zones': mailTimeZones,
  '0039-invitations-of-entries': invitationsOfEntries,
};
