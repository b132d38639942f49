import { randomUUID } from 'node:crypto';
import type {
  AuditEntry,
  ClaimLink,
  CreatedClaimLinks,
  CreatedInvitations,
  RecipientsPage,
} from '@badge/protocol';
import {
  newWallet,
  signedAdminAirdrop,
  signedBurn,
  signedClaim,
  signedContributors,
  signedToken,
  signTokenId,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { createReservation } from './access-matrix-fixture.ts';
import { createEmailSession } from './email-sessions.ts';
import { createManagedToken, setManagedCreator } from './managed-token.ts';
import { nftTypeForm } from './nft-type-provocations.ts';
import type { TestService } from './services.ts';
import { importForm, waitForTransfers } from './transfers.ts';

export interface AuditedWrite {
  action: AuditEntry['action'];
  resourceType: AuditEntry['resourceType'];
  actors: AuditEntry['actor'][];
  /** The reason that the request sends. */
  reason?: string;
  /** Whether a repeated request writes again. */
  isRepeatable?: true;
  /**
   * Creates the data that the write needs. Returns a function that sends the write, with `key` if it is
   * defined. `actor` is one of `actors`.
   */
  prepare(key: string | undefined, actor?: AuditEntry['actor']): Promise<() => Promise<Response>>;
  /** Returns the id of the resource that was created, changed or deleted. */
  resourceIdOf(response: Response): Promise<string | undefined>;
}

const lastSegment = (path: string | null) => path?.split('/').at(-1);
const idInLocation = async ({ headers }: Response) => lastSegment(headers.get('location'));
const idInPath = async ({ url }: Response) => lastSegment(url);
const webhookInPath = async ({ url }: Response) => /\/webhooks\/([^/]+)/.exec(url)?.[1];
const idInBody = (name: string) => async (response: Response) =>
  String(((await response.json()) as Record<string, unknown>)[name]);

const UNDO = { reason: 'a reason' };
// For events that do not happen here. Otherwise each event of all tests would be sent to each webhook.
const UNUSED_WEBHOOK = { name: 'test', url: 'http://localhost:9/', events: ['invitation.failed'] };

/** Every route that writes, by its `operationId` in the OpenAPI document. */
export function auditedWrites(service: () => TestService): Record<string, AuditedWrite> {
  const creator = newWallet();
  let managedTokenId = 0;

  function prepareSend(path: string, init: { method?: string; key: string | undefined; json?: unknown }) {
    const { key, json, method = 'POST' } = init;
    const headers = { 'Content-Type': 'application/json', ...(key && { Authorization: `Bearer ${key}` }) };
    return async () =>
      service().call(
        path,
        json === undefined ? { method, headers } : { method, headers, body: JSON.stringify(json) },
      );
  }

  /** Until it is done, a transfer changes rows. */
  const waitAfter = (send: () => Promise<Response>) => async () => {
    const response = await send();
    await waitForTransfers(service());
    return response;
  };

  const prepareDelete = (path: string, key: string | undefined) => async () =>
    service().call(path, { method: 'DELETE', ...(key && { key }) });

  // Waits until the operation of a 202 is final. Returns the id of its token.
  async function waitForTokenId(response: Response): Promise<number> {
    const operation = await service().call(`${response.headers.get('location')}?wait=30`);
    return ((await operation.json()) as { resourceId: number }).resourceId;
  }

  async function createToken(fields: Record<string, unknown> = {}): Promise<number> {
    const json = await signedToken(fields, creator);
    return await waitForTokenId(await service().call('/v1/tokens', { json, key: service().apiKey }));
  }

  // Returns the path of an owner of a new token.
  async function createOwner(): Promise<string> {
    const tokenId = await createToken();
    const { address } = newWallet();
    const init = { json: { address }, key: service().apiKey };
    await waitForTokenId(await service().call(`/v1/tokens/${tokenId}/airdrop`, init));
    return `/v1/tokens/${tokenId}/owners/${address}`;
  }

  async function createNftType(): Promise<string> {
    const init = { method: 'POST', key: service().apiKey, body: nftTypeForm() };
    const response = await service().call('/v1/communities/demo/nftTypes', init);
    return ((await response.json()) as { nftTypeId: string }).nftTypeId;
  }

  async function createClaimLink(tokenId: number) {
    const init = { key: service().apiKey, json: { count: 1 } };
    const response = await service().call(`/v1/tokens/${tokenId}/claimLinks`, init);
    const [link] = ((await response.json()) as CreatedClaimLinks).items;
    if (link === undefined) throw new Error('no claim link was created');
    return link;
  }

  /** Invites somebody. Returns the path of the invitation. */
  async function createInvitation(fields: object = {}): Promise<string> {
    const path = `/v1/tokens/${await createToken()}/invitations`;
    // A mailbox of its own, because a mailbox gets few mails a day.
    const json = { recipients: [{ email: `${randomUUID()}@example.org` }], ...fields };
    const response = await service().call(path, { key: service().apiKey, json });
    const [invitation] = ((await response.json()) as CreatedInvitations).items;
    if (invitation === undefined) throw new Error('no invitation was created');
    return `${path}/${invitation.invitationId}`;
  }

  const signInByEmail = () => createEmailSession(service(), `${randomUUID()}@example.org`);

  const createListed = async () =>
    createToken({ isAllowlistRequired: true, totalClaimCount: null, contributors: ['a@b.c'] });

  /** Creates an allowlisted token with a link for a room. Returns the path of the link. */
  async function createRoomLink(): Promise<string> {
    const tokenId = await createToken({
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: ['a'],
    });
    const json = {
      maxClaims: 2,
      signature: await signTokenId(creator, 'AllowlistedAddress', tokenId),
      expiresAtTimestamp: Date.now() + 3_600_000,
    };
    const path = `/v1/tokens/${tokenId}/claimLinks`;
    const response = await service().call(path, { key: service().apiKey, json });
    const [link] = ((await response.json()) as CreatedClaimLinks).items;
    if (link === undefined) throw new Error('no claim link was created');
    return `${path}/${link.claimLinkId}`;
  }

  async function createApiKey(): Promise<string> {
    const init = { key: service().adminKey, json: { name: 'test' } };
    const response = await service().call('/v1/communities/demo/apiKeys', init);
    return ((await response.json()) as { apiKeyId: string }).apiKeyId;
  }

  /** Creates a webhook, and returns its path. */
  async function createWebhook(): Promise<string> {
    const init = { key: service().adminKey, json: UNUSED_WEBHOOK };
    const response = await service().call('/v1/communities/demo/webhooks', init);
    return `/v1/communities/demo/webhooks/${((await response.json()) as { webhookId: string }).webhookId}`;
  }

  async function prepareAdminAirdrop(call: string, key: string | undefined) {
    await query(
      service().databaseUrl,
      "update communities set admin_addresses = array_remove(admin_addresses, $1::bytea) || $1::bytea where community_id = 'demo'",
      [Buffer.from(creator.address.slice(2), 'hex')],
    );
    const tokenId = await createToken();
    const json = await signedAdminAirdrop(tokenId, { admin: creator, receiver: newWallet() });
    return prepareSend(`/v1/tokens/${tokenId}/${call}`, { key, json });
  }

  const byAnyKey = { actors: ['apiKey', 'operator'] satisfies AuditEntry['actor'][] };
  const byOperator = { actors: ['operator'] satisfies AuditEntry['actor'][] };
  const createsOperation = { resourceType: 'operation' as const, resourceIdOf: idInLocation };

  return {
    createToken: {
      ...byAnyKey,
      ...createsOperation,
      action: 'createToken',
      prepare: async (key) => prepareSend('/v1/tokens', { key, json: await signedToken() }),
    },
    claimToken: {
      ...createsOperation,
      actors: ['apiKey', 'operator', 'signature', 'claimCode', 'email'],
      action: 'claim',
      prepare: async (key, actor) => {
        const tokenId = await createToken();
        const path = `/v1/tokens/${tokenId}/claim`;
        if (actor === 'email') return prepareSend(path, { key: await signInByEmail(), json: {} });
        const json =
          actor === 'claimCode'
            ? { claimingAddress: newWallet().address, claimCode: (await createClaimLink(tokenId)).code }
            : await signedClaim(tokenId, newWallet());
        return prepareSend(path, { key, json });
      },
    },
    burnToken: {
      ...createsOperation,
      actors: ['signature'],
      action: 'burn',
      prepare: async () => {
        const owner = newWallet();
        const tokenId = await createToken();
        const claim = { claimingAddress: owner.address };
        await waitForTokenId(
          await service().call(`/v1/tokens/${tokenId}/claim`, { json: claim, key: service().apiKey }),
        );
        const json = await signedBurn(tokenId, owner);
        return prepareSend(`/v1/tokens/${tokenId}/burn`, { key: undefined, json });
      },
    },
    addContributors: {
      ...byAnyKey,
      ...createsOperation,
      action: 'addContributors',
      prepare: async (key) => {
        const fields = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['a@b.c'] };
        const tokenId = await createToken(fields);
        const json = await signedContributors(tokenId, creator, ['d@e.f']);
        return prepareSend(`/v1/tokens/${tokenId}/addContributors`, { key, json });
      },
    },
    removeContributors: {
      ...byAnyKey,
      ...createsOperation,
      action: 'removeContributors',
      prepare: async (key) => {
        const fields = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['a@b.c'] };
        const path = `/v1/tokens/${await createToken(fields)}/removeContributors`;
        return prepareSend(path, { key, json: { contributors: ['a@b.c'] } });
      },
    },
    revokeToken: {
      ...byAnyKey,
      ...createsOperation,
      action: 'revoke',
      ...UNDO,
      prepare: async (key) => prepareSend(`${await createOwner()}/revoke`, { key, json: UNDO }),
    },
    reinstateToken: {
      ...byAnyKey,
      ...createsOperation,
      action: 'reinstate',
      ...UNDO,
      prepare: async (key) => {
        const path = await createOwner();
        await waitForTokenId(await service().call(`${path}/revoke`, { json: UNDO, key: service().apiKey }));
        return prepareSend(`${path}/reinstate`, { key, json: UNDO });
      },
    },
    moveToken: {
      ...byAnyKey,
      ...createsOperation,
      action: 'move',
      ...UNDO,
      prepare: async (key) => {
        const json = { ...UNDO, toAddress: newWallet().address };
        return prepareSend(`${await createOwner()}/move`, { key, json });
      },
    },
    airdropToken: {
      ...byAnyKey,
      ...createsOperation,
      action: 'airdrop',
      prepare: async (key) => {
        const path = `/v1/tokens/${await createToken()}/airdrop`;
        return prepareSend(path, { key, json: { address: newWallet().address } });
      },
    },
    communityAdminAirdrop: {
      ...byAnyKey,
      ...createsOperation,
      action: 'communityAdminAirdrop',
      prepare: (key) => prepareAdminAirdrop('communityAdminAirdrop', key),
    },
    communityAdminAirdropWithoutConsentSig: {
      ...byAnyKey,
      ...createsOperation,
      action: 'communityAdminAirdropWithoutConsentSig',
      prepare: (key) => prepareAdminAirdrop('communityAdminAirdropWithoutConsentSig', key),
    },
    updateToken: {
      ...byAnyKey,
      action: 'updateToken',
      resourceType: 'token',
      isRepeatable: true,
      prepare: async (key) =>
        prepareSend(`/v1/tokens/${await createToken()}`, { method: 'PATCH', key, json: { isHidden: true } }),
      resourceIdOf: idInBody('tokenId'),
    },
    renewToken: {
      ...byAnyKey,
      ...createsOperation,
      action: 'renew',
      prepare: async (key) => {
        const [, path, address] = /^(.*)\/owners\/(.*)$/.exec(await createOwner()) ?? [];
        const json = { addresses: [address], validUntilTimestamp: 4_102_444_800_000 };
        return prepareSend(`${path}/renew`, { key, json });
      },
    },
    replaceToken: {
      ...byAnyKey,
      ...createsOperation,
      action: 'replace',
      prepare: async (key) => {
        const json = { replacementTokenId: await createToken({ headline: randomUUID() }) };
        return prepareSend(`/v1/tokens/${await createToken({ headline: randomUUID() })}/replace`, {
          key,
          json,
        });
      },
    },
    createNftType: {
      ...byAnyKey,
      action: 'createNftType',
      resourceType: 'nftType',
      prepare: async (key) => {
        const nftTypeId = randomUUID();
        return async () =>
          service().call('/v1/communities/demo/nftTypes', {
            method: 'POST',
            body: nftTypeForm({ nftTypeId }),
            ...(key && { key }),
          });
      },
      resourceIdOf: idInBody('nftTypeId'),
    },
    exportCommunity: {
      ...byOperator,
      ...createsOperation,
      action: 'export',
      isRepeatable: true,
      prepare: async (key) =>
        waitAfter(prepareSend('/v1/communities/demo/exports', { key, json: { people: 'none' } })),
    },
    importBadges: {
      ...byOperator,
      ...createsOperation,
      action: 'import',
      isRepeatable: true,
      prepare: async (key) =>
        waitAfter(async () =>
          service().call('/v1/communities/demo/imports', {
            method: 'POST',
            body: importForm(),
            ...(key && { key }),
          }),
        ),
    },
    deleteNftType: {
      ...byAnyKey,
      action: 'deleteNftType',
      resourceType: 'nftType',
      prepare: async (key) => prepareDelete(`/v1/communities/demo/nftTypes/${await createNftType()}`, key),
      resourceIdOf: idInPath,
    },
    createCommunity: {
      ...byOperator,
      action: 'createCommunity',
      resourceType: 'community',
      prepare: async (key) =>
        prepareSend('/v1/communities', { key, json: { uniqId: randomUUID(), displayId: 'd', name: 'n' } }),
      resourceIdOf: idInBody('uniqId'),
    },
    updateCommunity: {
      ...byOperator,
      action: 'updateCommunity',
      resourceType: 'community',
      isRepeatable: true,
      prepare: async (key) =>
        prepareSend('/v1/communities/demo', { method: 'PATCH', key, json: { name: randomUUID() } }),
      resourceIdOf: idInBody('uniqId'),
    },
    setMember: {
      ...byOperator,
      action: 'setMember',
      resourceType: 'member',
      isRepeatable: true,
      prepare: async (key) =>
        prepareSend(`/v1/communities/demo/members/${newWallet().address}`, {
          method: 'PUT',
          key,
          json: { role: 'editor' },
        }),
      resourceIdOf: idInBody('address'),
    },
    removeMember: {
      ...byOperator,
      action: 'removeMember',
      resourceType: 'member',
      prepare: async (key) => {
        const path = `/v1/communities/demo/members/${newWallet().address}`;
        const init = { method: 'PUT', key: service().adminKey, json: { role: 'viewer' } };
        await prepareSend(path, init)();
        return prepareDelete(path, key);
      },
      resourceIdOf: idInPath,
    },
    createApiKey: {
      ...byOperator,
      action: 'createApiKey',
      resourceType: 'apiKey',
      isRepeatable: true,
      prepare: async (key) => prepareSend('/v1/communities/demo/apiKeys', { key, json: { name: 'n' } }),
      resourceIdOf: idInBody('apiKeyId'),
    },
    revokeApiKey: {
      ...byOperator,
      action: 'revokeApiKey',
      resourceType: 'apiKey',
      prepare: async (key) => prepareDelete(`/v1/communities/demo/apiKeys/${await createApiKey()}`, key),
      resourceIdOf: idInPath,
    },
    createWebhook: {
      ...byOperator,
      action: 'createWebhook',
      resourceType: 'webhook',
      isRepeatable: true,
      prepare: async (key) => prepareSend('/v1/communities/demo/webhooks', { key, json: UNUSED_WEBHOOK }),
      resourceIdOf: idInBody('webhookId'),
    },
    updateWebhook: {
      ...byOperator,
      action: 'updateWebhook',
      resourceType: 'webhook',
      isRepeatable: true,
      prepare: async (key) =>
        prepareSend(await createWebhook(), { method: 'PATCH', key, json: { name: 'new' } }),
      resourceIdOf: idInPath,
    },
    deleteWebhook: {
      ...byOperator,
      action: 'deleteWebhook',
      resourceType: 'webhook',
      prepare: async (key) => prepareDelete(await createWebhook(), key),
      resourceIdOf: idInPath,
    },
    rotateWebhookSecret: {
      ...byOperator,
      action: 'rotateWebhookSecret',
      resourceType: 'webhook',
      isRepeatable: true,
      prepare: async (key) => prepareSend(`${await createWebhook()}/rotateSecret`, { key, json: {} }),
      resourceIdOf: webhookInPath,
    },
    testWebhook: {
      ...byOperator,
      action: 'testWebhook',
      resourceType: 'webhook',
      isRepeatable: true,
      prepare: async (key) => prepareSend(`${await createWebhook()}/test`, { key, json: {} }),
      resourceIdOf: webhookInPath,
    },
    redeliverWebhook: {
      ...byOperator,
      action: 'redeliverWebhook',
      resourceType: 'webhook',
      isRepeatable: true,
      prepare: async (key) => {
        const path = await createWebhook();
        const tested = await service().call(`${path}/test`, { method: 'POST', key: service().adminKey });
        const { deliveryId } = (await tested.json()) as { deliveryId: string };
        return prepareSend(`${path}/deliveries/${deliveryId}/redeliver`, { key, json: {} });
      },
      resourceIdOf: webhookInPath,
    },
    // `signBadge` is tested in tests/signatures/managed-creators.test.ts.
    rotateIssuerKey: {
      ...byOperator,
      action: 'rotateIssuerKey',
      resourceType: 'community',
      isRepeatable: true,
      prepare: async (key) => prepareSend('/v1/communities/demo/issuerKeys', { key, json: {} }),
      resourceIdOf: async () => 'demo',
    },
    signWithManagedCreator: {
      ...byAnyKey,
      action: 'signAllowlistedAddress',
      resourceType: 'token',
      isRepeatable: true,
      prepare: async (key) => {
        await setManagedCreator(service(), 'demo', true);
        managedTokenId = await createManagedToken(service(), 'demo');
        const json = { primaryType: 'AllowlistedAddress', message: { tokenId: managedTokenId } };
        return prepareSend('/v1/communities/demo/managedCreator/sign', { key, json });
      },
      resourceIdOf: async () => String(managedTokenId),
    },
    createClaimLinks: {
      ...byAnyKey,
      action: 'createClaimLinks',
      resourceType: 'token',
      isRepeatable: true,
      prepare: async (key) =>
        prepareSend(`/v1/tokens/${await createToken()}/claimLinks`, { key, json: { count: 2 } }),
      resourceIdOf: async ({ url }) => url.split('/').at(-2),
    },
    createInvitations: {
      ...byAnyKey,
      action: 'createInvitations',
      resourceType: 'token',
      prepare: async (key) =>
        prepareSend(`/v1/tokens/${await createToken()}/invitations`, {
          key,
          json: { recipients: [{ email: 'ada@example.org' }, { email: 'omar@example.org' }] },
        }),
      resourceIdOf: async ({ url }) => url.split('/').at(-2),
    },
    createReminders: {
      ...byAnyKey,
      action: 'createReminders',
      resourceType: 'token',
      prepare: async (key) => {
        const path = await createInvitation();
        // As if it had been sent long ago.
        await query(
          service().databaseUrl,
          `update invitations set state = 'sent', sent_at = now() - interval '4 days', code = null, next_attempt_at = null
           where invitation_id = $1`,
          [path.split('/').at(-1)],
        );
        return prepareSend(path.replace(/invitations.*/, 'reminders'), { key, json: { kind: 'claim' } });
      },
      resourceIdOf: async ({ url }) => url.split('/').at(-2),
    },
    resendInvitation: {
      ...byAnyKey,
      action: 'resendInvitation',
      resourceType: 'invitation',
      isRepeatable: true,
      prepare: async (key) => prepareSend(`${await createInvitation()}/resend`, { key, json: {} }),
      resourceIdOf: idInBody('invitationId'),
    },
    updateInvitation: {
      ...byAnyKey,
      action: 'updateInvitation',
      resourceType: 'invitation',
      isRepeatable: true,
      prepare: async (key) =>
        prepareSend(await createInvitation({ sendAtTimestamp: Date.now() + 3_600_000 }), {
          method: 'PATCH',
          key,
          json: { sendAtTimestamp: Date.now() + 7_200_000 },
        }),
      resourceIdOf: idInPath,
    },
    revokeInvitation: {
      ...byAnyKey,
      action: 'revokeInvitation',
      resourceType: 'invitation',
      prepare: async (key) => prepareDelete(await createInvitation(), key),
      resourceIdOf: idInPath,
    },
    setRecipients: {
      ...byAnyKey,
      action: 'setRecipients',
      resourceType: 'token',
      isRepeatable: true,
      prepare: async (key) =>
        prepareSend(`/v1/tokens/${await createListed()}/recipients`, {
          method: 'PUT',
          key,
          json: { items: [{ contributor: 'a@b.c', name: 'Ada' }] },
        }),
      resourceIdOf: async ({ url }) => url.split('/').at(-2),
    },
    updateRecipient: {
      ...byAnyKey,
      action: 'updateRecipient',
      resourceType: 'recipient',
      isRepeatable: true,
      prepare: async (key) => {
        const path = `/v1/tokens/${await createListed()}/recipients`;
        const page = await service().call(path, { key: service().apiKey });
        const [recipient] = ((await page.json()) as RecipientsPage).data;
        const json = { note: 'a note' };
        return prepareSend(`${path}/${recipient?.recipientId}`, { method: 'PATCH', key, json });
      },
      resourceIdOf: idInBody('recipientId'),
    },
    cancelMails: {
      ...byAnyKey,
      action: 'cancelMails',
      resourceType: 'community',
      isRepeatable: true,
      prepare: async (key) =>
        prepareSend('/v1/communities/demo/cancelMails', { key, json: { tokenId: await createToken() } }),
      resourceIdOf: async () => 'demo',
    },
    confirmReservation: {
      actors: ['claimCode'],
      action: 'confirmReservation',
      resourceType: 'claimLink',
      prepare: async () => {
        const tokenId = await createToken({
          isAllowlistRequired: true,
          totalClaimCount: null,
          contributors: ['a'],
        });
        const fixture = { service: service(), keys: { right: service().apiKey }, creator };
        const { path, confirmationCode } = await createReservation({
          ...fixture,
          allowlistedTokenId: tokenId,
        });
        return prepareSend(path, { key: undefined, json: { confirmationCode } });
      },
      // The link that was made for the reservation is the newest of its token.
      resourceIdOf: async ({ url }) => {
        const tokenId = url.split('/').at(-3);
        const path = `/v1/tokens/${tokenId}/claimLinks`;
        const { data } = (await (await service().call(path, { key: service().apiKey })).json()) as {
          data: ClaimLink[];
        };
        return data.at(-1)?.claimLinkId;
      },
    },
    updateClaimLink: {
      ...byAnyKey,
      action: 'updateClaimLink',
      resourceType: 'claimLink',
      isRepeatable: true,
      prepare: async (key) =>
        prepareSend(await createRoomLink(), { key, method: 'PATCH', json: { isPaused: true } }),
      resourceIdOf: idInPath,
    },
    revokeClaimLink: {
      ...byAnyKey,
      action: 'revokeClaimLink',
      resourceType: 'claimLink',
      isRepeatable: true,
      prepare: async (key) => {
        const tokenId = await createToken();
        const { claimLinkId } = await createClaimLink(tokenId);
        return prepareDelete(`/v1/tokens/${tokenId}/claimLinks/${claimLinkId}`, key);
      },
      resourceIdOf: idInPath,
    },
  };
}
