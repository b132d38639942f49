import { setTimeout as pause } from 'node:timers/promises';
import type { CreatedClaimLinks, Operation, Owner, Problem } from '@badge/protocol';
import { startTestBadge, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createEmailSession } from '../../src/testing/email-sessions.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const PEOPLE = 1_000;
const PLACES = 500;
/** How many people wait for a response at the same time. */
const AT_ONCE = 100;
const creator = newWallet();
const emailOf = (index: number) => `person-${index}@example.org`;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api', BADGE_RATE_LIMIT: 'off' });
});
afterAll(async () => await service.stop());

const startProcess = (role: 'api' | 'worker') =>
  startTestBadge({
    DATABASE_URL: service.databaseUrl,
    BADGE_DATA_DIR: service.dataDir,
    BADGE_ADMIN_KEY: service.adminKey,
    BADGE_DEMO_API_KEY: service.apiKey,
    BADGE_RATE_LIMIT: 'off',
    BADGE_ROLE: role,
  });

const json = async <T>(response: Response | Promise<Response>) => (await (await response).json()) as T;
const readOperation = (location: string | null) => json<Operation>(service.call(`${location}?wait=30`));

async function createRoom(): Promise<{ tokenId: number; claimCode: string }> {
  const contributors = [creator.address];
  const body = await signedToken({ isAllowlistRequired: true, totalClaimCount: null, contributors }, creator);
  const accepted = await service.call('/v1/tokens', { json: body, key: service.apiKey });
  const tokenId = Number((await readOperation(accepted.headers.get('location'))).resourceId);
  const response = await service.call(`/v1/tokens/${tokenId}/claimLinks`, {
    key: service.apiKey,
    json: {
      maxClaims: PLACES,
      signature: await signTokenId(creator, 'AllowlistedAddress', tokenId),
      expiresAtTimestamp: Date.now() + 3_600_000,
    },
  });
  return { tokenId, claimCode: (await json<CreatedClaimLinks>(response)).items[0]?.code ?? '' };
}

/** Claims as a phone does: until there is a response that says something. Returns the outcome. */
async function claim(
  { tokenId, claimCode }: { tokenId: number; claimCode: string },
  { key, urls, index }: { key: string; urls: string[]; index: number },
): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(`${urls[(index + attempt) % urls.length]}/v1/tokens/${tokenId}/claim`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({ claimCode }),
    }).catch(() => null);
    if (response?.status === 202) {
      await response.text();
      const { status, error } = await readOperation(response.headers.get('location'));
      return error?.name ?? status;
    }
    if (response !== null && response.status < 500 && response.status !== 429) {
      return (await json<Problem>(response)).name;
    }
    await pause(Number(response?.headers.get('retry-after') ?? 0) * 1_000);
  }
}

test('of 1,000 people who claim in a room of 500, 500 get one badge each, in spite of kill -9', async () => {
  const [api, other] = await Promise.all([startProcess('api'), startProcess('api')]);
  const worker = await startProcess('worker');
  const room = await createRoom();
  const keys: string[] = [];
  for (let index = 0; index < PEOPLE; index += 1) {
    keys.push(await createEmailSession(service, emailOf(index)));
  }
  const claimsOf = () =>
    query<{ address: Buffer }>(service.databaseUrl, 'select address from claims where token_id = $1', [
      room.tokenId,
    ]);
  const waitForClaims = (count: number) =>
    vi.waitFor(async () => expect((await claimsOf()).length).toBeGreaterThanOrEqual(count), WAIT_OPTIONS);

  let next = 0;
  const outcomes: string[] = [];
  async function claimForSome(): Promise<void> {
    while (next < PEOPLE) {
      const index = next;
      next += 1;
      const key = keys[index] ?? '';
      outcomes[index] = await claim(room, { key, index, urls: [api.url, other.url] });
    }
  }
  async function kill(): Promise<void> {
    await waitForClaims(50);
    expect(await worker.end('SIGKILL')).toBe('SIGKILL');
    await startProcess('worker');
    await waitForClaims(200);
    expect(await other.end('SIGKILL')).toBe('SIGKILL');
  }
  await Promise.all([kill(), ...Array.from({ length: AT_ONCE }, claimForSome)]);

  // Whoever learns no response asks again, and has the badge already.
  const claimed = outcomes.filter((outcome) =>
    ['success', 'ClaimingAddressAlreadyHasToken'].includes(outcome),
  );
  expect(claimed).toHaveLength(PLACES);
  expect(new Set(outcomes.filter((outcome) => !claimed.includes(outcome)))).toEqual(
    new Set(['ClaimCodeUsed']),
  );
  const { data } = await json<{ data: Owner[] }>(
    service.call(`/v1/tokens/${room.tokenId}/owners?limit=1000`),
  );
  expect(data.every(({ isKept }) => isKept)).toBe(true);
  expect(new Set(data.map(({ address }) => address)).size).toBe(PLACES);
  const people = await query<{ people: number; emails: number }>(
    service.databaseUrl,
    `select count(*)::integer as people, count(distinct k.email_hash)::integer as emails
     from claims c join kept_addresses k using (address) where c.token_id = $1 and c.burnt_at is null`,
    [room.tokenId],
  );
  expect(people).toEqual([{ people: PLACES, emails: PLACES }]);
  const { data: links } = await json<{ data: { claimCount: number; status: string }[] }>(
    service.call(`/v1/tokens/${room.tokenId}/claimLinks`, { key: service.apiKey }),
  );
  expect(links).toMatchObject([{ claimCount: PLACES, status: 'used' }]);
});
