import { setTimeout as wait } from 'node:timers/promises';
import type { CreatedReminders, RecipientHistoryEntry, RecipientsPage } from '@badge/protocol';
import { newWallet, signTokenId } from '@badge/test-support/signing';
import pg from 'pg';
import type { Random } from '../random.ts';
import { REMINDED_COMMUNITY } from './communities.ts';
import { createCommunity } from './operator-actions.ts';
import { createTokenRequest } from './requests.ts';
import { createCalls } from './unjournaled-calls.ts';
import type { World } from './world.ts';

const POLL_MS = 300;
/** A worker that is killed while it sends a mail holds it for a minute. */
const SENT_WITHIN_MS = 90_000;
/** Whoever was invited four days ago can be reminded; whoever was three days ago but for an hour cannot. */
const LONG_AGO = '4 days';
const TOO_RECENTLY = '2 days 23 hours';

let reminded = 0;

/**
 * Invites people, moves the times of their mails to the past, and asks several times at once to remind them.
 * I17: whatever the clocks of the processes say, nobody is reminded twice, or within three days.
 */
export async function remindPeople(world: World, random: Random): Promise<void> {
  const { journal, runName, adminKey, databaseUrl } = world;
  if (!(await createCommunity(world, REMINDED_COMMUNITY))) return;
  reminded += 1;
  const name = `reminded ${reminded} of ${runName}`;
  const { post, finish, read } = createCalls(world, name);
  const creator = newWallet(name);
  const token = { headline: name, nftTypeId: 'defaultOrangeRed', isSignatureRequired: false };
  const request = await createTokenRequest(
    creator,
    { ...token, totalClaimCount: null, contributors: [creator.address] },
    { communityId: REMINDED_COMMUNITY, apiKey: adminKey },
  );
  const created = await finish(await post('/v1/tokens', JSON.parse(request.body)));
  const tokenId: number = created?.tokenId ?? 0;
  if (tokenId === 0) return;
  const invitees = ['a', 'b', 'c', 'd'].map((person, index) => ({
    email: `${person}-${tokenId}@reminded.example`,
    age: index < 2 ? LONG_AGO : TOO_RECENTLY,
  }));
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const recipients = invitees.map(({ email }) => ({ email }));
  const invited = await post(`/v1/tokens/${tokenId}/invitations`, { recipients, signature });
  if (invited?.status !== 201) return;
  const list = async () =>
    (await read<RecipientsPage>(`/v1/tokens/${tokenId}/recipients?way=invitation`))?.data;
  const people = await waitFor(list, (found) => found.every(({ status }) => status === 'invited'));
  if (people === undefined) return;
  const ageOf = (email: string | null) => invitees.find((one) => one.email === email)?.age ?? TOO_RECENTLY;
  for (const { invitationId, email } of people) {
    if (!(await moveToPast(databaseUrl, invitationId, ageOf(email)))) return;
  }

  const violation = (detail: string) => journal.violation('I17', `token ${tokenId}: ${detail}`);
  const askTimes = async (times: number) =>
    await Promise.all(
      Array.from({ length: times }, async () => {
        const response = await post(`/v1/tokens/${tokenId}/reminders`, { kind: 'claim' });
        return response?.status === 200 || response?.status === 202
          ? ((await response.json()) as CreatedReminders).queued
          : 0;
      }),
    );
  const queued = await askTimes(random.integer(2, 4));
  const sum = queued.reduce((total, one) => total + one, 0);
  if (sum > 2) await violation(`${sum} reminders were queued for 2 people`);
  const early = people.filter(({ email }) => ageOf(email) === LONG_AGO);
  const readTimes = async () => {
    const histories = await Promise.all(
      people.map(({ recipientId }) =>
        read<{ data: RecipientHistoryEntry[] }>(`/v1/tokens/${tokenId}/recipients/${recipientId}/history`),
      ),
    );
    return histories.includes(undefined)
      ? undefined
      : histories.map((history) => history?.data.filter(({ type }) => type === 'reminded').length ?? 0);
  };
  const isReminded = (times: number[]) =>
    people.every((person, index) => !early.includes(person) || (times[index] ?? 0) > 0);
  if ((await waitFor(readTimes, isReminded)) === undefined) return;
  // Those who are reminded now are not reminded again.
  const again = (await askTimes(2)).reduce((total, one) => total + one, 0);
  if (again > 0) await violation(`${again} further reminders were queued`);
  await wait(random.integer(0, 2_000));
  const times = await readTimes();
  if (times === undefined) return;
  for (const [index, person] of people.entries()) {
    const expected = early.includes(person) ? 1 : 0;
    if (times[index] !== expected) {
      await violation(`${person.email} got ${times[index]} reminders instead of ${expected}`);
    }
  }
  await journal.checked('I17', people.length);
}

/** Reads until the condition holds. Returns undefined if it does not in time, or if the run has ended. */
async function waitFor<T>(
  read: () => Promise<T | undefined>,
  condition: (value: T) => boolean,
): Promise<T | undefined> {
  const untilMs = Date.now() + SENT_WITHIN_MS;
  while (Date.now() < untilMs) {
    const value = await read();
    if (value === undefined || condition(value)) return value;
    await wait(POLL_MS);
  }
  return undefined;
}

/** Returns false if the database cannot be used now. */
async function moveToPast(databaseUrl: string, invitationId: string | null, age: string): Promise<boolean> {
  const database = new pg.Client(databaseUrl);
  database.on('error', () => undefined);
  try {
    await database.connect();
    const set = 'set sent_at = now() - $2::interval, created_at = now() - $2::interval';
    await database.query(`update invitations ${set} where invitation_id = $1`, [invitationId, age]);
    return true;
  } catch {
    return false;
  } finally {
    await database.end().catch(() => undefined);
  }
}
