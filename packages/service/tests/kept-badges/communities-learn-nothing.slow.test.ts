import type { BadgeEvent } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { newWallet, type Wallet } from '@badge/test-support/signing';
import fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import { type EmailPerson, keptBadgesFixture } from '../../src/testing/kept-badges-fixture.ts';
import { startReceiver, type WebhookReceiver } from '../../src/testing/webhook-receiver.ts';

const COMMUNITIES = ['demo', 'other', 'third'] as const;
type CommunityId = (typeof COMMUNITIES)[number];
const PEOPLE = 2;
const TOKENS = 2;

const fixture = keptBadgesFixture();
const { change, createToken, keptAddressOf, moveBadges, outcomeOf, read, signedMove, signInByEmail } =
  fixture;

interface Community {
  communityId: CommunityId;
  /** The key of an owner of the community. */
  key: string;
  tokenIds: number[];
  receiver: WebhookReceiver;
}

interface Person extends EmailPerson {
  wallet: Wallet;
  kept: Record<CommunityId, string>;
}

beforeAll(async () => {
  const [{ adminKey, call }] = fixture.services;
  const json = { uniqId: 'third', displayId: 'third', name: 'Third' };
  expect((await call('/v1/communities', { key: adminKey, json })).status).toBe(201);
});

async function prepareCommunity(communityId: CommunityId): Promise<Community> {
  const [{ adminKey, call }] = fixture.services;
  const receiver = await startReceiver();
  const path = `/v1/communities/${communityId}`;
  const webhook = { name: 'all', url: receiver.url };
  expect((await call(`${path}/webhooks`, { key: adminKey, json: webhook })).status).toBe(201);
  const created = await call(`${path}/apiKeys`, { key: adminKey, json: { name: 'owner', role: 'owner' } });
  const { apiKey: key } = (await created.json()) as { apiKey: string };
  const tokenIds = [];
  for (let made = 0; made < TOKENS; made += 1) {
    tokenIds.push(await createToken({ communityId, totalClaimCount: 1_000 }));
  }
  return { communityId, key, tokenIds, receiver };
}

async function newPerson(): Promise<Person> {
  const person = await signInByEmail();
  const kept = {} as Person['kept'];
  for (const communityId of COMMUNITIES) kept[communityId] = await keptAddressOf(person, communityId);
  return { ...person, wallet: newWallet(), kept };
}

const anyStep = fc.record({
  what: fc.constantFrom(
    'claim',
    'claim',
    'claim',
    'gift',
    'move',
    'setDefault',
    'hide',
    'show',
    'refuse',
    'accept',
    'burn',
  ),
  person: fc.nat(PEOPLE - 1),
  community: fc.nat(COMMUNITIES.length - 1),
  token: fc.nat(TOKENS - 1),
});
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** A sequence in which every kind of step does something: what is arbitrary need not. */
const EVERY_KIND: Step[] = (
  [
    ['claim', 0, 0],
    ['claim', 1, 0],
    ['hide', 0, 0],
    ['show', 0, 0],
    ['refuse', 0, 0],
    ['gift', 0, 1],
    ['accept', 0, 0],
    ['gift', 0, 1],
    ['burn', 1, 0],
    ['claim', 1, 1],
    ['move', 0, 0],
    ['setDefault', 0, 0],
    ['claim', 2, 0],
  ] as const
).map(([what, community, token]) => ({ what, person: 0, community, token }));

/** Does a step. Returns `success`, a status or the name of the refusal: no sequence must be possible. */
async function take({ what, token }: Step, person: Person, community: Community): Promise<unknown> {
  const tokenId = community.tokenIds[token] ?? 0;
  const { communityId } = community;
  switch (what) {
    case 'claim':
    case 'burn':
      return await outcomeOf(`/v1/tokens/${tokenId}/${what}`, {}, { key: person.key });
    case 'gift': {
      const gift = { claimingAddress: person.kept[communityId] };
      return await outcomeOf(`/v1/tokens/${tokenId}/claim`, gift, { key: community.key });
    }
    case 'move':
    case 'setDefault': {
      const isDefault = what === 'setDefault' ? { isDefault: true } : {};
      const moved = await moveBadges(person, await signedMove(person, person.wallet, isDefault));
      if (typeof moved === 'string') return moved;
      moveIds.push(moved.operationId);
      return moved.status;
    }
    case 'hide':
    case 'show':
      return await change(what === 'hide' ? 'PUT' : 'DELETE', `hiddenTokens/${tokenId}`, person.key);
    default:
      return await change(
        what === 'refuse' ? 'PUT' : 'DELETE',
        `refusedCommunities/${communityId}`,
        person.key,
      );
  }
}

/** The ids of what people have asked for. */
const moveIds: string[] = [];

/** All that the key of a community, and everybody, can read about its tokens and its people. */
async function readAll({ communityId, key, tokenIds, receiver }: Community, people: Person[]) {
  const feed = await vi.waitFor(async () => {
    const events = await read<{ data: BadgeEvent[] }>(
      `/v1/communities/${communityId}/events?limit=1000`,
      key,
    );
    // Deliveries can be repeated.
    const delivered = new Set(receiver.received.map(({ event }) => event.eventId));
    expect(events.data.filter(({ eventId }) => !delivered.has(eventId))).toEqual([]);
    return events;
  }, WAIT_OPTIONS);
  const operationIds = feed.data.flatMap(({ data }) => ('operationId' in data ? [data.operationId] : []));
  const { data: webhooks } = await read<{ data: { webhookId: string }[] }>(
    `/v1/communities/${communityId}/webhooks`,
    key,
  );
  const texts: Record<string, unknown> = {
    events: feed,
    webhooks: receiver.received.map(({ headers, body }) => [headers, body]),
  };
  for (const path of [
    `/v1/auditLog?communityId=${communityId}&limit=1000`,
    `/v1/communities/${communityId}/tokens?limit=100`,
    ...webhooks.map(({ webhookId }) => `/v1/communities/${communityId}/webhooks/${webhookId}/deliveries`),
    ...[...new Set(operationIds)].map((operationId) => `/v1/operations/${operationId}`),
    ...tokenIds.flatMap((tokenId) => [
      `/v1/tokens/${tokenId}`,
      `/v1/tokens/${tokenId}/owners?status=all&limit=1000`,
      `/v1/tokens/${tokenId}/recipients?limit=1000`,
      `/v1/tokens/${tokenId}/contributors?limit=1000`,
      ...people.flatMap(({ kept, wallet }) =>
        [kept[communityId], wallet.address].flatMap((address) => [
          `/v1/tokens/${tokenId}/owners/${address}`,
          `/v1/tokens/${tokenId}/credentials/${address}`,
          `/v1/tokens/${tokenId}/eligibility?address=${address}`,
        ]),
      ),
    ]),
    ...people.map(({ kept }) => `/v1/wallets/${kept[communityId]}/tokens`),
  ]) {
    const [{ call }] = fixture.services;
    texts[path] = await (await call(path, { key })).text();
    texts[`${path}, without a key`] = await (await call(path)).text();
  }
  return texts;
}

// Who moves badges of two communities to one wallet shows in public that this wallet has both, as any wallet
// does, and each community can read where its own badges went. So whoever reads both communities can join
// them by the wallet. For this reason, the wallet is excepted. Nothing else is: also then, no response about
// a community names the kept address of another one.
test('whatever people do, a community reads nothing that names their kept addresses elsewhere', async () => {
  const communities: Community[] = [];
  for (const communityId of COMMUNITIES) communities.push(await prepareCommunity(communityId));
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 8, maxLength: 16 }), async (steps) => {
      const people = await Promise.all(Array.from({ length: PEOPLE }, newPerson));
      const claimed = new Set<string>();
      for (const step of steps) {
        const [person, community] = [people[step.person], communities[step.community]];
        if (person === undefined || community === undefined) throw new Error('an index is too high');
        const outcome = await take(step, person, community);
        outcomes.add(`${step.what}: ${outcome}`);
        if (step.what === 'gift' && outcome === 'success') {
          claimed.add(`${community.communityId} ${person.kept[community.communityId]}`);
        }
      }
      for (const community of communities) {
        const texts = await readAll(community, people);
        const everything = JSON.stringify(texts).toLowerCase();
        for (const entry of claimed) {
          const [communityId, address = ''] = entry.split(' ');
          if (communityId === community.communityId) expect(everything).toContain(address.toLowerCase());
        }
        const secrets = people.flatMap(({ kept, emailHash }) => [
          ...COMMUNITIES.filter((other) => other !== community.communityId).map((other) =>
            kept[other].slice(2),
          ),
          emailHash.toString('hex'),
          emailHash.toString('base64url'),
        ]);
        for (const [place, value] of Object.entries(texts)) {
          const text = (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase();
          for (const secret of [...secrets, ...moveIds]) {
            if (text.includes(secret.toLowerCase())) throw new Error(`${place} contains ${secret}: ${text}`);
          }
        }
      }
    }),
    { numRuns: 8, examples: [[EVERY_KIND]] },
  );
  for (const what of ['claim', 'gift', 'move', 'setDefault', 'burn']) {
    expect(outcomes).toContain(`${what}: success`);
  }
  for (const outcome of ['gift: RecipientRefuses', 'hide: 204', 'show: 204', 'refuse: 204', 'accept: 204']) {
    expect(outcomes).toContain(outcome);
  }
});
