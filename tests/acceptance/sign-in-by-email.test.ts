import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { asJson, call, uuid } from './client.ts';
import { expectPointers, expectProblem } from './problems.ts';

// What does not need the code of a mail. A service that keeps no badges refuses the request.
const isRefused = !inject('environment').hasKeptBadges;

const post = (path: string, body: object) =>
  call(path, { method: 'POST', headers: asJson, body: JSON.stringify(body) });
const requestCode = (body: object) => post('/v1/sessions/emailChallenge', body);
const signIn = (body: object) => post('/v1/sessions', body);
const newEmail = () => `${randomUUID()}@example.org`;

test.skipIf(isRefused)('the response is the same whether or not a mail is sent', async () => {
  const email = newEmail();
  // A mailbox gets three of these mails.
  for (let request = 0; request < 4; request += 1) {
    const response = await requestCode({ email, language: 'es', returnPath: '/token/1' });
    expect([response.status, response.headers.get('cache-control')]).toEqual([202, 'no-store']);
    expect(JSON.parse(response.text)).toStrictEqual({
      challengeId: expect.stringMatching(uuid),
      expiresAtTimestamp: expect.any(Number),
    });
  }
});

test.skipIf(isRefused)('a wrong code and an unknown challenge are refused with the same words', async () => {
  const { challengeId } = JSON.parse((await requestCode({ email: newEmail() })).text) as {
    challengeId: string;
  };
  const wrong = expectProblem(await signIn({ challengeId, code: '0000-0000' }), 403, 'SignInRefused');
  const unknown = await signIn({ challengeId: randomUUID(), code: '0000-0000' });
  expect(expectProblem(unknown, 403, 'SignInRefused').detail).toBe(wrong.detail);
});

test.runIf(isRefused)('a service that keeps no badges signs nobody in by e-mail', async () => {
  const response = await requestCode({ email: newEmail() });
  expect(response.status).toBe(409);
  expect(JSON.parse(response.text).name).toMatch(/^(MailUnavailable|KeptBadgesUnavailable)$/);
});

test('a page elsewhere, no address and half a code are malformed', async () => {
  expectPointers(await requestCode({ email: 'ada', returnPath: '//evil.example' }), [
    '/email',
    '/returnPath',
  ]);
  expectPointers(await signIn({ challengeId: randomUUID() }), ['/code']);
  expectPointers(await signIn({ code: '0' }), ['/challengeId']);
  expectPointers(await signIn({}), ['/message', '/signature']);
});
