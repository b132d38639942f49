import type {
  ApiKey,
  AuditEntry,
  CreatedApiKey,
  Problem,
  Role,
  Webhook,
  WebhookWithSecret,
} from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { newWallet, type Wallet } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { signedChallenge } from '../../src/testing/access-matrix-fixture.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';
import { listDeliveries, sendTestEvent, startReceiver } from '../../src/testing/webhook-receiver.ts';

// What a member has made ends when the member may no longer make it.

let service: TestService;
let communityId: string;
let staying: Wallet;
let owner: string;
let leaving: Wallet;
let session: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());
beforeEach(async () => {
  staying = newWallet();
  leaving = newWallet();
  const json = { displayId: 'd', name: 'n', adminAddresses: [staying.address, leaving.address] };
  const created = await service.call('/v1/communities', { key: service.adminKey, json });
  communityId = ((await created.json()) as { uniqId: string }).uniqId;
  [owner, session] = await Promise.all([signIn(staying), signIn(leaving)]);
});

async function signIn(wallet: Wallet): Promise<string> {
  const response = await service.call('/v1/sessions', { json: await signedChallenge(service, wallet) });
  return ((await response.json()) as { sessionToken: string }).sessionToken;
}

const send = (method: string, path: string, key: string, body?: object) =>
  service.call(`/v1/communities/${communityId}${path}`, {
    method,
    key,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
const outcomeOf = async (response: Response) =>
  response.status < 400 ? response.status : ((await response.json()) as Problem).name;
const setRole = async (role: Role, key = owner, search = '') =>
  outcomeOf(await send('PUT', `/members/${leaving.address}${search}`, key, { role }));
const remove = async (key = owner, search = '') =>
  outcomeOf(await send('DELETE', `/members/${leaving.address}${search}`, key));

async function createWebhook(key: string, url = 'https://example.org/'): Promise<WebhookWithSecret> {
  const response = await send('POST', '/webhooks', key, { name: 'test', url });
  expect(response.status).toBe(201);
  return (await response.json()) as WebhookWithSecret;
}
async function createKey(key: string, role: Role = 'owner'): Promise<CreatedApiKey> {
  const response = await send('POST', '/apiKeys', key, { name: 'test', role });
  expect(response.status).toBe(201);
  return (await response.json()) as CreatedApiKey;
}
async function listOf<Item>(path: string): Promise<Item[]> {
  const response = await send('GET', path, service.adminKey);
  return ((await response.json()) as { data: Item[] }).data;
}
const webhooksByMaker = async () =>
  Object.fromEntries(
    (await listOf<Webhook>('/webhooks')).map(({ webhookId, createdBy, isEnabled }) => [
      webhookId,
      { createdBy, isEnabled },
    ]),
  );
async function listActions(): Promise<string[]> {
  const log = await service.call(`/v1/auditLog?communityId=${communityId}`, { key: service.adminKey });
  return ((await log.json()) as { data: AuditEntry[] }).data.map(({ action }) => action);
}

const ENDINGS: [string, () => Promise<unknown>][] = [
  ['is removed', () => remove()],
  ['leaves', () => remove(session)],
  ['gets a lower role', () => setRole('editor')],
  [
    'is removed from adminAddresses',
    () => send('PATCH', '', service.adminKey, { adminAddresses: [staying.address] }),
  ],
];

test.each(ENDINGS)('the webhooks of an owner who %s stop, and those of others go on', async (_how, end) => {
  const key = await createKey(session);
  const [mine, byKey, others, operators] = [
    await createWebhook(session),
    await createWebhook(key.apiKey),
    await createWebhook(owner),
    await createWebhook(service.adminKey),
  ];
  await end();
  const byMaker = await webhooksByMaker();
  for (const { webhookId } of [mine, byKey]) {
    expect(byMaker[webhookId]).toEqual({ createdBy: leaving.address, isEnabled: false });
  }
  expect(byMaker[others.webhookId]).toMatchObject({ isEnabled: true });
  expect(byMaker[operators.webhookId]).toEqual({ createdBy: null, isEnabled: true });
  const [stopped] = await listOf<Webhook>('/webhooks');
  expect(stopped?.disabledReason).toMatch(
    /^The member who made this webhook, or set its URL or its secret, is no longer an owner/,
  );
  expect((await listActions()).filter((action) => action === 'disableWebhook')).toHaveLength(2);
});

const patchUrl = async (key: string, webhookId: string, url: string) => {
  const response = await send('PATCH', `/webhooks/${webhookId}`, key, { url });
  return ((await response.json()) as Webhook).createdBy;
};
const rotate = (key: string, webhookId: string) => send('POST', `/webhooks/${webhookId}/rotateSecret`, key);

/** What an owner who leaves has done with a webhook, so that it must stop. */
const CHANGES: [string, () => Promise<string>][] = [
  [
    'changed the URL of the webhook of another owner',
    async () => {
      const { webhookId } = await createWebhook(owner);
      expect(await patchUrl(session, webhookId, 'https://example.org/mine')).toBe(leaving.address);
      return webhookId;
    },
  ],
  [
    "changed the URL of the operator's webhook, which another owner has saved again",
    async () => {
      const { webhookId } = await createWebhook(service.adminKey);
      await patchUrl(session, webhookId, 'https://example.org/mine');
      expect(await patchUrl(owner, webhookId, 'https://example.org/mine')).toBe(leaving.address);
      return webhookId;
    },
  ],
  [
    'made a webhook to which another owner has given a secret',
    async () => {
      const { webhookId } = await createWebhook(session);
      expect((await rotate(owner, webhookId)).status).toBe(200);
      return webhookId;
    },
  ],
  [
    'made a webhook whose URL another owner has changed, and knows its secret',
    async () => {
      const { webhookId } = await createWebhook(session);
      expect(await patchUrl(owner, webhookId, 'https://example.org/other')).toBe(staying.address);
      return webhookId;
    },
  ],
];

test.each(CHANGES)('a webhook stops when an owner leaves who has %s', async (_change, prepare) => {
  const webhookId = await prepare();
  await remove();
  expect((await webhooksByMaker())[webhookId]).toMatchObject({ isEnabled: false });
  // With a new secret, it is that of who keeps it, and the member who has left has made none of it.
  await rotate(owner, webhookId);
  await setRole('owner');
  await remove();
  expect((await webhooksByMaker())[webhookId]).toEqual({ createdBy: staying.address, isEnabled: true });
});

test('a webhook goes on when an owner leaves whose URL and secret were both replaced', async () => {
  const { webhookId } = await createWebhook(session);
  await patchUrl(owner, webhookId, 'https://example.org/other');
  await rotate(owner, webhookId);
  await remove();
  expect((await webhooksByMaker())[webhookId]).toEqual({ createdBy: staying.address, isEnabled: true });
});

const repeatable = (path: string, body: object) => () =>
  service.call(`/v1/communities/${communityId}${path}`, {
    key: session,
    json: body,
    headers: { 'Idempotency-Key': 'once' },
  });

test.each(['creation', 'rotation'])(
  'the repetition of a %s returns the secret that it has made, and no other one',
  async (kind) => {
    const earlier = await createWebhook(session);
    const request =
      kind === 'creation'
        ? repeatable('/webhooks', { name: 'w', url: 'https://example.org/' })
        : repeatable(`/webhooks/${earlier.webhookId}/rotateSecret`, {});
    const made = (await (await request()).json()) as WebhookWithSecret;
    expect(await (await request()).json()).toEqual(made);
    const entries = await listActions();
    // The secret is the same, but the webhook is that of another owner.
    await patchUrl(owner, made.webhookId, 'https://example.org/other');
    expect(await outcomeOf(await request())).toBe('SecretNotRepeated');
    await patchUrl(session, made.webhookId, 'https://example.org/back');
    expect(await (await request()).json()).toMatchObject({ secret: made.secret });
    // The webhook is the caller's again, but not the secret.
    const { secret } = (await (await rotate(owner, made.webhookId)).json()) as WebhookWithSecret;
    await patchUrl(session, made.webhookId, 'https://example.org/again');
    const refused = await request();
    expect(refused.status).toBe(409);
    expect(await refused.text()).not.toContain(secret);
    expect(await listActions()).toHaveLength(entries.length + 4);
  },
);

test('the repetition of a creation makes no API key after somebody has revoked the first one', async () => {
  const request = repeatable('/apiKeys', { name: 'k' });
  await request();
  const { apiKeyId } = (await (await request()).json()) as CreatedApiKey;
  await send('DELETE', `/apiKeys/${apiKeyId}`, owner);
  expect(await outcomeOf(await request())).toBe('SecretNotRepeated');
  await remove();
  expect(await outcomeOf(await request())).toBe('RoleNotAllowed');
  expect(await listOf('/apiKeys')).toEqual([]);
});

test('a webhook that has stopped goes on with a new secret only, as that of who gave it', async () => {
  const receiver = await startReceiver();
  const { webhookId, secret } = await createWebhook(session, receiver.url);
  const path = `/webhooks/${webhookId}`;
  await remove();
  // Also after the member is an owner again.
  await setRole('owner');
  for (const [method, call, body] of [
    ['PATCH', path, { isEnabled: true }],
    ['POST', `${path}/test`, {}],
  ] as const) {
    expect(await outcomeOf(await send(method, call, owner, body))).toBe('WebhookDisabled');
  }
  expect(await outcomeOf(await send('PATCH', path, owner, { name: 'new' }))).toBe(200);
  const rotated = await send('POST', `${path}/rotateSecret`, owner);
  const kept = (await rotated.json()) as WebhookWithSecret;
  expect(kept).toMatchObject({ isEnabled: true, disabledReason: null, name: 'new' });
  expect(kept.createdBy).not.toBe(leaving.address);
  expect(kept.secret).not.toBe(secret);
  await sendTestEvent(service, webhookId, communityId);
  await receiver.waitFor(1);
  await remove();
  expect((await webhooksByMaker())[webhookId]).toMatchObject({ isEnabled: true });
});

test('a webhook that was disabled on purpose stays disabled when it is kept', async () => {
  const { webhookId } = await createWebhook(session);
  await send('PATCH', `/webhooks/${webhookId}`, session, { isEnabled: false });
  await remove();
  const rotated = await send('POST', `/webhooks/${webhookId}/rotateSecret`, owner);
  expect(await rotated.json()).toMatchObject({ isEnabled: false, disabledReason: null });
  expect(await outcomeOf(await send('PATCH', `/webhooks/${webhookId}`, owner, { isEnabled: true }))).toBe(
    200,
  );
});

test('what waits for a webhook is not sent once its maker is removed, and is sent once it is kept', async () => {
  // A receiver that holds its requests, so that the webhook stops during its turn.
  const held: (() => void)[] = [];
  const receiver = await startReceiver(
    (response) =>
      void held.push(() => {
        response.end();
      }),
  );
  const { webhookId } = await createWebhook(session, receiver.url);
  await query(
    service.databaseUrl,
    `insert into webhook_deliveries (webhook_id, event_id, event_type)
     select $1, gen_random_uuid(), 'webhook.test' from generate_series(1, 50)`,
    [webhookId],
  );
  await sendTestEvent(service, webhookId, communityId);
  await receiver.waitFor(4);
  await remove();
  for (const release of held) release();
  const isLeased = async () =>
    (
      await query(
        service.databaseUrl,
        'select from webhooks where leased_until > now() and webhook_id = $1',
        [webhookId],
      )
    ).length > 0;
  const delivered = async () =>
    await listDeliveries(service, webhookId, { communityId, search: '?status=delivered&limit=100' });
  await vi.waitFor(async () => expect(await delivered()).toHaveLength(4), WAIT_OPTIONS);
  expect(receiver.received).toHaveLength(4);
  expect(await isLeased()).toBe(true);
  await query(service.databaseUrl, 'update webhooks set leased_until = null where webhook_id = $1', [
    webhookId,
  ]);
  receiver.respondWith((response) => response.end());
  await send('POST', `/webhooks/${webhookId}/rotateSecret`, owner);
  await vi.waitFor(async () => expect(await delivered()).toHaveLength(51), WAIT_OPTIONS);
});

test('another owner keeps the keys of a member, which are its own from then on', async () => {
  const key = await createKey(session);
  const kept = await createWebhook(key.apiKey);
  expect(await setRole('viewer', owner, '?keepApiKeys=true')).toBe(200);
  expect(await outcomeOf(await send('GET', '/members', key.apiKey))).toBe(200);
  const [listed] = await listOf<ApiKey>('/apiKeys');
  expect(listed?.createdBy).not.toBe(leaving.address);
  // What it makes belongs to the owner who has kept it.
  const made = await createWebhook(key.apiKey);
  expect(made.createdBy).toBe(listed?.createdBy);
  expect(await listActions()).toEqual(expect.arrayContaining(['keepApiKey', 'disableWebhook']));
  expect(await listActions()).not.toContain('revokeApiKey');
  expect((await webhooksByMaker())[kept.webhookId]).toMatchObject({ isEnabled: false });
  expect(await remove()).toBe(204);
  expect(await outcomeOf(await send('GET', '/members', key.apiKey))).toBe(200);
});

test.each(['?keepApiKeys=true', '?keepApiKeys=false', ''])(
  'the operator removes a member with "%s"',
  async (search) => {
    const key = await createKey(session);
    expect(await remove(service.adminKey, search)).toBe(204);
    const isKept = search === '?keepApiKeys=true';
    expect(await outcomeOf(await send('GET', '/members', key.apiKey))).toBe(isKept ? 200 : 'InvalidApiKey');
    expect((await listOf<ApiKey>('/apiKeys')).map(({ createdBy }) => createdBy)).toEqual(
      isKept ? [null] : [],
    );
  },
);

test('a member cannot keep its own keys, with its session or with such a key', async () => {
  const key = await createKey(session);
  for (const credential of [session, key.apiKey]) {
    expect(await remove(credential, '?keepApiKeys=true')).toBe('RoleNotAllowed');
    expect(await setRole('viewer', credential, '?keepApiKeys=true')).toBe('RoleNotAllowed');
  }
  expect(await remove(session, '?keepApiKeys=yes')).toBe('InvalidRequest');
  expect(await remove(session)).toBe(204);
  expect(await outcomeOf(await send('GET', '/members', key.apiKey))).toBe('InvalidApiKey');
});

test('a webhook that is made, or gets a secret, while its maker loses its role does not stay', async () => {
  const { webhookId } = await createWebhook(owner);
  await Promise.all([
    ...Array.from({ length: 4 }, () =>
      send('POST', '/webhooks', session, { name: 'w', url: 'https://example.org/' }),
    ),
    ...Array.from({ length: 4 }, () => send('POST', `/webhooks/${webhookId}/rotateSecret`, session)),
    setRole('viewer'),
  ]);
  for (const { createdBy, isEnabled } of Object.values(await webhooksByMaker())) {
    expect(isEnabled).toBe(createdBy !== leaving.address);
  }
});

test('URLs are encrypted', async () => {
  const { webhookId } = await createWebhook(owner, 'https://example.org/first');
  const patch = await send('PATCH', `/webhooks/${webhookId}`, owner, { url: 'https://example.org/second' });
  expect(await patch.json()).toMatchObject({ url: 'https://example.org/second' });
  const read = () =>
    query<{ encrypted_url: Buffer }>(
      service.databaseUrl,
      'select encrypted_url from webhooks where webhook_id = $1',
      [webhookId],
    );
  const [stored] = await read();
  expect(String(stored?.encrypted_url)).not.toContain('example');
  const urls = async () => (await listOf<Webhook>('/webhooks')).map(({ url }) => url);
  expect(await urls()).toEqual(['https://example.org/second']);
  // As after a change of the key.
  await query(service.databaseUrl, "update webhooks set encrypted_url = '\\x01' where webhook_id = $1", [
    webhookId,
  ]);
  expect(await urls()).toEqual([null]);
});
