import type { BadgeEvent, EventPage, Problem } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createToken } from '../../src/testing/creations.ts';
import { startOtherProcess, startTestService, type TestService } from '../../src/testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const PATH = '/v1/communities/demo/events';

async function readPage(search = '', on = service): Promise<EventPage> {
  const response = await on.call(`${PATH}?${search}`, { key: service.apiKey });
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return (await response.json()) as EventPage;
}

/** Reads all events after the cursor, in pages of 2. */
async function readAll(after?: string): Promise<{ events: BadgeEvent[]; cursor: string }> {
  const events: BadgeEvent[] = [];
  let cursor = after;
  for (;;) {
    const page = await readPage(`limit=2${cursor === undefined ? '' : `&after=${cursor}`}`);
    events.push(...page.data);
    cursor = page.nextCursor;
    if (!page.hasMore) return { events, cursor };
  }
}

test('a reader who follows the cursor gets each event once, with checksummed addresses', async () => {
  const { address } = newWallet();
  const { resourceId: tokenId } = await createToken(service, await signedToken());
  const airdrop = await service.call(`/v1/tokens/${tokenId}/airdrop`, {
    key: service.apiKey,
    json: { address: address.toLowerCase() },
  });
  await service.call(`${airdrop.headers.get('location')}?wait=30`);
  await service.call(`/v1/tokens/${tokenId}`, {
    method: 'PATCH',
    key: service.apiKey,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ isHidden: true }),
  });
  const events = await vi.waitFor(async () => {
    const read = await readAll();
    expect(read.events).toHaveLength(3);
    return read.events;
  }, WAIT_OPTIONS);
  expect(events).toMatchObject([
    { type: 'token.created', communityId: 'demo', data: { tokenId } },
    { type: 'badge.claimed', communityId: 'demo', data: { tokenId, address, claimLinkId: null } },
    { type: 'token.updated', communityId: 'demo', data: { tokenId, isHidden: true } },
  ]);
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
  const { cursor } = await readAll();
  expect(await readAll(cursor)).toEqual({ events: [], cursor });
  expect(await readPage('after=end&limit=1')).toEqual({ data: [], nextCursor: cursor, hasMore: false });
});

test('a request with wait ends as soon as another process has an event', async () => {
  const other = await startOtherProcess(service, { BADGE_ROLE: 'api' });
  try {
    const { cursor } = await readAll();
    const waiting = readPage(`after=${cursor}&wait=30`, other);
    const fromNowOn = readPage('after=end&wait=30');
    const { resourceId: tokenId } = await createToken(service, await signedToken());
    expect((await waiting).data).toMatchObject([{ type: 'token.created', data: { tokenId } }]);
    expect((await fromNowOn).data).toEqual((await waiting).data);
  } finally {
    await other.stop();
  }
});

test('a request with wait and without an event ends after the wait, with the same cursor', async () => {
  const { cursor } = await readAll();
  expect(await readPage(`after=${cursor}&wait=1`)).toEqual({ data: [], nextCursor: cursor, hasMore: false });
});

test.each(['1', 'abc', '1-xyz', '-1-00000000', '01-00000000', '1-000000000', '9'.repeat(64)])(
  'the cursor "%s" is rejected',
  async (after) => {
    const response = await service.call(`${PATH}?after=${after}`, { key: service.apiKey });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Problem).errors).toMatchObject([{ parameter: 'after' }]);
  },
);

test('a cursor of deleted events is rejected with 410', async () => {
  await createToken(service, await signedToken());
  await vi.waitFor(async () => expect((await readAll()).events.length).toBeGreaterThan(0), WAIT_OPTIONS);
  const page = await readPage('limit=1');
  await query(service.databaseUrl, 'delete from events');
  await query(service.databaseUrl, 'update event_counter set last_deleted_position = last_position');
  const response = await service.call(`${PATH}?after=${page.nextCursor}`, { key: service.apiKey });
  expect(response.status).toBe(410);
  expect(await response.json()).toMatchObject({ name: 'CursorExpired' });
});
