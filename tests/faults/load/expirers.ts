import { setTimeout as wait } from 'node:timers/promises';
import type { BadgeEvent, EventPage, HeldTokens, OwnerState } from '@badge/protocol';
import { newWallet } from '@badge/test-support/signing';
import type { Random } from '../random.ts';
import { ENDING_COMMUNITY } from './communities.ts';
import { createCommunity } from './operator-actions.ts';
import { createTokenRequest } from './requests.ts';
import { createCalls } from './unjournaled-calls.ts';
import type { World } from './world.ts';

const OWNERS = 6;
const VALID_MS = 12_000;
const HOUR_MS = 3_600_000;
const POLL_MS = 200;
/** The service announces an end within a minute, after it can use the database again. */
const ANNOUNCED_WITHIN_MS = 90_000;

let ending = 0;

/**
 * Gives a badge that ends soon to some people, and renews it for some of them before and after its end. I16:
 * on each process, whatever its clock says, the badge is held until its end and expired from then on, and
 * each end has one event.
 */
export async function letExpire(world: World, random: Random): Promise<void> {
  const { journal, runName, adminKey, client } = world;
  if (!(await createCommunity(world, ENDING_COMMUNITY))) return;
  ending += 1;
  const name = `ending ${ending} of ${runName}`;
  const { post, finish, read } = createCalls(world, name);
  const request = await createTokenRequest(
    newWallet(name),
    {
      headline: name,
      nftTypeId: 'defaultOrangeRed',
      totalClaimCount: OWNERS,
      isSignatureRequired: false,
      contributors: [],
    },
    { communityId: ENDING_COMMUNITY, apiKey: adminKey },
  );
  // The database has the clock of this process.
  const end = Date.now() + VALID_MS;
  const body = { ...JSON.parse(request.body), validUntilTimestamp: end };
  const created = await finish(await post('/v1/tokens', body));
  const tokenId: number = created?.tokenId ?? 0;
  if (tokenId === 0) return;
  const owners = Array.from({ length: OWNERS }, (_, index) => newWallet(`${name} ${index}`).address);
  const given = await Promise.all(
    owners.map(async (address) => await finish(await post(`/v1/tokens/${tokenId}/airdrop`, { address }))),
  );
  if (given.some((outcome) => outcome?.result !== 'success')) return;
  const [early = '', late = '', ...others] = owners;
  const renew = async (address: string) =>
    await finish(
      await post(`/v1/tokens/${tokenId}/renew`, {
        addresses: [address],
        validUntilTimestamp: end + HOUR_MS,
      }),
    );
  const violation = (detail: string) => journal.violation('I16', `token ${tokenId}: ${detail}`);

  // Sometimes at the moment of the end.
  await wait(Math.max(0, end - Date.now() - (random.chance(0.5) ? 4_000 : 1_000)));
  const renewal = renew(early);
  let checked = 0;
  while (Date.now() < end + 2_000) {
    const processName: string | undefined = random.pick([...client.apiNames]);
    const address: string | undefined = random.pick(others);
    if (processName === undefined || address === undefined) return;
    const sentAtMs = Date.now();
    const path = `/v1/tokens/${tokenId}/owners/${address}`;
    const [state, held]: [OwnerState | undefined, { items: HeldTokens[] } | undefined] = await Promise.all([
      client.readFrom(processName, path).then((response) => toJson<OwnerState>(response)),
      client
        .readFrom(processName, '/v1/checkOwners', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ addresses: [address], tokenIds: [tokenId] }),
        })
        .then((response) => toJson<{ items: HeldTokens[] }>(response)),
    ]);
    const isOver = sentAtMs >= end;
    if (isOver || Date.now() < end) {
      const expected = isOver ? 'expired' : 'held';
      if (state !== undefined && state.status !== expected) {
        await violation(`${processName} says ${state.status}, ${sentAtMs - end} ms after the end`);
      }
      const isHeld = held?.items[0]?.tokenIds.includes(tokenId);
      if (held !== undefined && isHeld === isOver) {
        await violation(`${processName} counts ${isHeld}, ${sentAtMs - end} ms after the end`);
      }
      checked += 1;
    }
    await wait(POLL_MS);
  }
  if ((await renewal)?.result !== 'success' || (await renew(late))?.result !== 'success') return;

  const expected = [
    ...[late, ...others].map((address) => `expired ${address} ${end}`),
    ...[early, late].map((address) => `renewed ${address} ${end + HOUR_MS}`),
  ];
  // The renewal came too late, so the badge had ended before.
  const isBothPossible = `expired ${early} ${end}`;
  const untilMs = Date.now() + ANNOUNCED_WITHIN_MS;
  let seen: string[] = [];
  do {
    await wait(POLL_MS);
    const events = await readEvents(read, tokenId);
    if (events === undefined) return;
    seen = events;
  } while (expected.some((event) => !seen.includes(event)) && Date.now() < untilMs);
  for (const event of expected) {
    if (!seen.includes(event)) await violation(`there is no event "${event}"`);
  }
  for (const event of new Set(seen)) {
    const times = seen.filter((one) => one === event).length;
    if (times > 1) await violation(`there are ${times} events "${event}"`);
    if (!expected.includes(event) && event !== isBothPossible)
      await violation(`there is an event "${event}"`);
  }
  const [ended, renewed] = [`expired ${late} ${end}`, `renewed ${late} ${end + HOUR_MS}`];
  if (seen.indexOf(renewed) < seen.indexOf(ended)) await violation(`${late} was renewed before its end`);
  await journal.checked('I16', checked + seen.length);
}

async function toJson<T>(response: Response | undefined): Promise<T | undefined> {
  if (response?.status !== 200) return undefined;
  return (await response.json().catch(() => undefined)) as T | undefined;
}

/** The events about the ends of a token's owners, in the order of the feed. */
async function readEvents(
  read: ReturnType<typeof createCalls>['read'],
  tokenId: number,
): Promise<string[] | undefined> {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await read<EventPage>(`/v1/communities/${ENDING_COMMUNITY}/events?limit=200${cursor}`);
    if (page === undefined) return undefined;
    seen.push(...page.data.flatMap((event) => toText(event, tokenId)));
    if (page.data.length < 200) return seen;
    cursor = `&after=${page.nextCursor}`;
  }
}

function toText({ type, data }: BadgeEvent, tokenId: number): string[] {
  if ((type !== 'badge.expired' && type !== 'badge.renewed') || data.tokenId !== tokenId) return [];
  return [`${type.slice('badge.'.length)} ${data.address} ${data.validUntilTimestamp}`];
}
