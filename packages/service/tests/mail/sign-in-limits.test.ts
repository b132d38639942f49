import type { Problem } from '@badge/protocol';
import { beforeEach, expect, test } from 'vitest';
import { json, newName } from '../../src/testing/mail-limits-fixture.ts';
import { signInFixture } from '../../src/testing/sign-in-fixture.ts';

// The limits of sign-in mails of a client and of all clients together. Of 10 mails an hour and 20 a day, one
// client can ask for 4 and 8.

const fixture = signInFixture({ mailLimit: '10/20' });
const { sql, postChallenge, waitForMails } = fixture;

const newEmail = () => `${newName()}@example.org`;

beforeEach(async () => {
  for (const table of ['reservation_counts', 'reservation_clients']) await sql(`delete from ${table}`);
});

/** Lets a client ask six times at once. Returns how many requests were accepted, and how many mails sent. */
async function ask(from: string, makeEmail = newEmail): Promise<{ accepted: number; mails: number }> {
  const before = fixture.mailServer.received.length;
  const responses = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      postChallenge({ email: makeEmail() }, { at: index % 2 ? fixture.api : fixture.service, from }),
    ),
  );
  for (const response of responses.filter(({ status }) => status !== 202)) {
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await json<Problem>(response)).name).toBe('RateLimited');
  }
  await waitForMails();
  return {
    accepted: responses.filter(({ status }) => status === 202).length,
    mails: fixture.mailServer.received.length - before,
  };
}

async function passHour(): Promise<void> {
  for (const table of ['reservation_counts', 'reservation_clients']) {
    // In two steps, so that no row gets the hour of another one.
    for (const hours of [1_000, -999])
      await sql(`update ${table} set hour = hour - interval '${hours} hours'`);
  }
}

test('of all clients counts the mails that are sent, and of a client its requests', async () => {
  expect(await ask('192.0.2.1')).toEqual({ accepted: 4, mails: 4 });
  expect(await ask('192.0.2.2')).toEqual({ accepted: 4, mails: 4 });
  // The requests come before the mails of the others are sent.
  expect(await ask('192.0.2.3')).toMatchObject({ mails: 2 });
  expect(await ask('192.0.2.4')).toEqual({ accepted: 0, mails: 0 });
  // Other mails that strangers ask for count apart.
  const other = await fixture.api.call('/v1/communities/demo/resubscriptions', {
    json: { email: newEmail() },
    headers: { 'X-Forwarded-For': '192.0.2.1' },
  });
  expect(other.status).toBe(202);
  await passHour();
  expect(await ask('192.0.2.1')).toEqual({ accepted: 4, mails: 4 });
  await passHour();
  expect(await ask('192.0.2.1')).toEqual({ accepted: 0, mails: 0 });
  expect(await ask('192.0.2.2')).toEqual({ accepted: 4, mails: 4 });
  expect(await ask('192.0.2.3')).toMatchObject({ mails: 2 });
  await passHour();
  // The service is at its limit of a day; this client is not.
  expect(await ask('192.0.2.4')).toEqual({ accepted: 0, mails: 0 });
});

test('of all clients is not used up by requests for one address', async () => {
  const email = newEmail();
  const made = [];
  for (const client of [1, 2, 3, 4]) made.push(await ask(`192.0.2.${client}`, () => email));
  expect(made.map(({ accepted }) => accepted)).toEqual([4, 4, 4, 4]);
  expect(made.map(({ mails }) => mails)).toEqual([3, 0, 0, 0]);
  expect(await ask('192.0.2.5')).toEqual({ accepted: 4, mails: 4 });
});
