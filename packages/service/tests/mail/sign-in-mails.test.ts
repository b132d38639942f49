import { randomUUID } from 'node:crypto';
import { type EmailChallenge, type Problem, parseEmailAddress } from '@badge/protocol';
import { dumpTables } from '@badge/test-support/sql';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import type { Context } from '../../src/context.ts';
import { hashMailbox } from '../../src/domain/invitations/rules.ts';
import { createEmailChallenge } from '../../src/domain/sessions/create-email-challenge.ts';
import { deleteExpiredEmailChallenges } from '../../src/storage/email-challenges.ts';
import { json, newName, WAIT_OPTIONS } from '../../src/testing/mail-limits-fixture.ts';
import { codeIn, signInFixture } from '../../src/testing/sign-in-fixture.ts';

// How people sign in with an e-mail address. Two processes answer, and one of them sends the mails.

const fixture = signInFixture();
const {
  sql,
  postChallenge,
  challenge,
  postSession,
  signIn,
  createSession,
  mailsTo,
  waitForMails,
  mailedCode,
} = fixture;

const newEmail = () => `${newName()}@example.org`;
/** As many codes as one asks for, none of which was mailed. */
const wrongCodes = (count: number) => Array.from({ length: count }, (_, index) => `0000-000${index}`);
const problemOf = (response: Response | Promise<Response>) => json<Problem>(response);

describe('a code', () => {
  test('signs in for 12 hours, and shows nobody else what it is', async () => {
    const email = newEmail();
    const before = Date.now();
    const response = await postChallenge({ email, returnPath: '/token/1', language: 'es' });
    expect(response.status).toBe(202);
    const body = await json<EmailChallenge>(response);
    expect(Object.keys(body)).toEqual(['challengeId', 'expiresAtTimestamp']);
    expect(Math.abs(body.expiresAtTimestamp - before - 15 * 60_000)).toBeLessThan(60_000);
    await waitForMails();
    const [mail] = mailsTo(email);
    const code = codeIn(mail);
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(mail?.text).toContain(`\n\n${code}\n\n`);
    const link = `https://badges.example.org/sign-in?to=%2Ftoken%2F1#${code}`;
    expect(mail?.text).toContain(link);
    expect(mail?.subject).toBe('Tu código para iniciar sesión en badges.example.org');
    expect(mail?.from?.text).toBe('"badges.example.org" <badges@example.org>');
    expect(mail?.headers.has('list-unsubscribe')).toBe(false);
    // What a phone shows of a mail while it is locked has no code.
    expect(String(mail?.html).split('</h1>')[0]).not.toContain(code);

    const dump = await dumpTables(fixture.service.databaseUrl);
    for (const secret of [email, code, code.replace('-', ''), '/token/1']) expect(dump).not.toContain(secret);

    const { sessionToken, ...session } = await createSession(body.challengeId, code);
    expect(session).toMatchObject({ identity: { type: 'email', email }, address: null, memberships: [] });
    expect(Math.abs(session.expiresAtTimestamp - Date.now() - 12 * 3_600_000)).toBeLessThan(60_000);
    const current = await fixture.api.call('/v1/sessions/current', { key: sessionToken });
    expect(await current.json()).toMatchObject(session);
  });

  test.each([
    (code: string) => code.toLowerCase(),
    (code: string) => ` ${code.replace('-', '')} `,
    (code: string) => code.replace('-', ' - '),
    (code: string) => code.replaceAll('0', 'o').replaceAll('1', 'l'),
  ])('is right however it is typed: %s', async (typed) => {
    const { challengeId, code } = await mailedCode(newEmail());
    expect(await signIn(challengeId, typed(code))).toBe(201);
  });

  test('is not used up by who opens its link', async () => {
    const { challengeId, code } = await mailedCode(newEmail());
    const read = () => sql('select * from email_challenges where challenge_id = $1', [challengeId]);
    const before = await read();
    for (const method of ['GET', 'HEAD', 'GET']) {
      await fixture.service.call(`/sign-in?to=%2Ftoken%2F1#${code}`, { method });
    }
    expect(await read()).toEqual(before);
    expect(await signIn(challengeId, code)).toBe(201);
  });

  test('signs in once, also with several challenges on two processes at once', async () => {
    const email = newEmail();
    const { challengeId, code } = await mailedCode(email);
    const challengeIds = [challengeId, await challenge(email), await challenge(email.toUpperCase())];
    await waitForMails();
    const statuses = await Promise.all(
      [...challengeIds, ...challengeIds].map((id, index) =>
        signIn(id, code, index % 2 ? fixture.api : fixture.service),
      ),
    );
    expect(statuses.sort()).toEqual([201, 403, 403, 403, 403, 403]);
  });

  test('ends when somebody signs out everywhere, but not that of another address', async () => {
    const email = newEmail();
    const { challengeId, code } = await mailedCode(email);
    const unused = await mailedCode(email);
    const other = await mailedCode(newEmail());
    const { sessionToken } = await createSession(challengeId, code);
    const ended = await fixture.api.call('/v1/sessions', { method: 'DELETE', key: sessionToken });
    expect(ended.status).toBe(204);
    expect(await signIn(unused.challengeId, unused.code)).toBe(403);
    expect(await signIn(other.challengeId, other.code)).toBe(201);
    // The owner of the address signs in again.
    const later = await mailedCode(email);
    expect(await signIn(later.challengeId, later.code)).toBe(201);
  });

  test('is refused with the same words if it is wrong, used or old, or of another address', async () => {
    const [used, old, other] = [
      await mailedCode(newEmail()),
      await mailedCode(newEmail()),
      await mailedCode(newEmail()),
    ];
    await createSession(used.challengeId, used.code);
    await sql(
      "update email_challenges set mailed_at = mailed_at - interval '15 minutes' where challenge_id = $1",
      [old.challengeId],
    );
    const { challengeId: waiting } = await json<EmailChallenge>(
      postChallenge({ email: newEmail() }, { at: fixture.api }),
    );
    const problems = await Promise.all(
      [
        [used.challengeId, used.code],
        [old.challengeId, old.code],
        [old.challengeId, other.code],
        [used.challengeId, '0000-0000'],
        [used.challengeId, '0'],
        [randomUUID(), other.code],
        [waiting, other.code],
      ].map(async ([challengeId = '', code = '']) => {
        const { name, status, detail } = await problemOf(postSession(challengeId, code));
        return { name, status, detail };
      }),
    );
    const [first] = problems;
    expect(first).toMatchObject({ name: 'SignInRefused', status: 403 });
    for (const problem of problems) expect(problem).toEqual(first);
    // A challenge that has expired accepts no code.
    await sql(
      "update email_challenges set created_at = created_at - interval '15 minutes' where challenge_id = $1",
      [other.challengeId],
    );
    expect(await problemOf(postSession(other.challengeId, other.code))).toMatchObject(first ?? {});
  });
});

describe('a challenge', () => {
  test('ends after exactly five wrong codes, on two processes at once, and its code does not', async () => {
    const email = newEmail();
    const { challengeId, code } = await mailedCode(email);
    const send = (codes: string[]) =>
      Promise.all(
        codes.map((one, index) => signIn(challengeId, one, index % 2 ? fixture.api : fixture.service)),
      );
    expect(new Set(await send(wrongCodes(9)))).toEqual(new Set([403]));
    const stored = () =>
      sql('select wrong_codes from email_challenges where challenge_id = $1', [challengeId]);
    expect(await stored()).toEqual([{ wrong_codes: 5 }]);
    expect(await signIn(challengeId, code)).toBe(403);
    expect(await stored()).toEqual([{ wrong_codes: 5 }]);
    expect(await signIn(await challenge(email), code)).toBe(201);
  });

  test('still signs in after four wrong codes', async () => {
    const { challengeId, code } = await mailedCode(newEmail());
    for (const wrong of wrongCodes(4)) expect(await signIn(challengeId, wrong)).toBe(403);
    expect(await signIn(challengeId, code)).toBe(201);
  });

  test.each([
    'token/1',
    '//evil.example',
    '/\\evil.example',
    '/token//1',
    '/token/1#CODE',
    '/../admin',
    '/token/%2e%2e/1',
    '/token/1\n',
    '/token/\u0000',
    '/tok en',
    '/é',
    'https://evil.example/',
    '',
    '/Call-0900-123456-now',
    '/token/1?note=Call-0900-123456',
    '/token/Call-0900-123456',
    '/token/0900123456',
    '/token/12345678901234567',
    '/claim/1/Call-0900-123456',
    '/wallet/ada.eth',
    '/community/Call-0900-123456',
    '/my-badges/Call-0900-123456',
    '/sign-in',
  ])('does not lead back to %j', async (returnPath) => {
    const problem = await problemOf(postChallenge({ email: newEmail(), returnPath }));
    expect(problem).toMatchObject({ status: 400, errors: [{ pointer: '/returnPath' }] });
  });

  test.each([
    '/',
    '/badges',
    '/my-badges',
    '/my-badges/',
    '/verify',
    '/token/9007199254740991',
    '/claim/1',
    '/wallet/0x530E000000000000000000000000000000000044',
  ])('leads back to %s', async (returnPath) => {
    const email = newEmail();
    await mailedCode(email, { returnPath });
    const link = `https://badges.example.org/sign-in?${new URLSearchParams({ to: returnPath })}#`;
    expect(mailsTo(email)[0]?.text).toContain(link);
  });

  test('needs an address, and exactly one way to sign in', async () => {
    expect(await problemOf(postChallenge({ email: 'ada' }))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/email' }],
    });
    const id = randomUUID();
    for (const [body, pointers] of [
      [{}, ['/message', '/signature']],
      [{ challengeId: id }, ['/code']],
      [{ code: '0' }, ['/challengeId']],
      [{ challengeId: id, code: '0', message: 'm', signature: '0x' }, ['/message', '/signature']],
      [{ challengeId: 'x', code: '0' }, ['/challengeId']],
    ]) {
      const { status, errors } = await problemOf(fixture.service.call('/v1/sessions', { json: body }));
      expect([status, errors?.map((error) => 'pointer' in error && error.pointer)]).toEqual([400, pointers]);
    }
  });

  test('is deleted when neither it nor its code is valid', async () => {
    const email = newEmail();
    const { challengeId, code } = await mailedCode(email);
    const age = (column: string) =>
      sql(
        `update email_challenges set ${column} = ${column} - interval '15 minutes' where challenge_id = $1`,
        [challengeId],
      );
    const exists = async () => {
      await deleteExpiredEmailChallenges(fixture.service.context.database);
      return (await sql('select from email_challenges where challenge_id = $1', [challengeId])).length > 0;
    };
    expect(await exists()).toBe(true);
    await age('created_at');
    expect(await exists()).toBe(true);
    expect(await signIn(await challenge(email), code)).toBe(201);
    await age('mailed_at');
    expect(await exists()).toBe(false);
  });

  test('runs the same statements for an address that has signed in and for an unknown one', async () => {
    const known = newEmail();
    const { challengeId, code } = await mailedCode(known);
    await createSession(challengeId, code);
    const statementsFor = async (email: string) => {
      const statements: string[] = [];
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => {
          statements.push('sqlFragments' in node ? node.sqlFragments.join('?') : node.kind);
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const { context } = fixture.api;
      const recorded: Context = {
        ...context,
        transaction: (work) => context.transaction((tx) => work(tx.withPlugin(plugin))),
      };
      await createEmailChallenge(recorded, { email }, 'statements');
      return statements;
    };
    const statements = await statementsFor(known);
    expect(statements.join('\n')).toContain('insert into email_challenges');
    expect(await statementsFor(newEmail())).toEqual(statements);
  });
});

describe('the limit', () => {
  const mailsOf = (name: string) =>
    fixture.mailServer.received.filter(({ recipient }) => recipient.startsWith(name)).length;

  /** Lets time pass for everything that was counted. */
  const pass = (time: string) =>
    sql('update requested_mails set requested_at = requested_at - $1::interval', [time]);

  /** How many of five mails to each of the addresses are sent. They are named alike. */
  async function askFor(name: string, emails: string[]): Promise<number> {
    const before = mailsOf(name);
    await Promise.all(emails.flatMap((email) => Array.from({ length: 5 }, () => challenge(email))));
    await waitForMails();
    return mailsOf(name) - before;
  }

  test('of an address is silent, and leaves the code that was mailed to its owner', async () => {
    const name = newName();
    const email = `${name}@example.org`;
    // A stranger uses up the limit, and the challenges.
    for (const spelling of [email, email.toUpperCase(), email, email, email]) {
      const id = await challenge(spelling);
      for (const code of wrongCodes(5)) expect(await signIn(id, code)).toBe(403);
    }
    await waitForMails();
    const code = codeIn(mailsTo(email)[0]);
    const own = await challenge(email);
    await waitForMails();
    expect(await signIn(own, code)).toBe(201);
    const { received } = fixture.mailServer;
    expect(received.filter(({ recipient }) => recipient.toLowerCase() === email)).toHaveLength(3);
  });

  test('of an address is 3 mails in 15 minutes and 10 in 24 hours', async () => {
    const name = newName();
    const counts = [];
    for (const time of ['15 minutes', '15 minutes', '15 minutes', '23 hours', '16 minutes', '1 minute']) {
      counts.push(await askFor(name, [`${name}@example.org`]));
      await pass(time);
    }
    // At the last time, the first three are a day old.
    expect(counts).toEqual([3, 3, 3, 1, 0, 3]);
  });

  test('of a mailbox is 6 mails in 15 minutes and 20 in 24 hours, and not for its plain spelling', async () => {
    const name = newName();
    const tagged = [1, 2, 3].map((tag) => `${name}+${tag}@example.org`);
    const plain = `${name}@example.org`;
    const counts = [];
    for (const time of ['15 minutes', '15 minutes', '15 minutes', '15 minutes']) {
      counts.push(await askFor(name, tagged));
      // One more tag than a stranger has tried before.
      counts.push(await askFor(name, [`${name}+${counts.length}@example.org`]));
      await pass(time);
    }
    expect(counts).toEqual([6, 0, 6, 0, 6, 0, 2, 0]);
    // The owner, who types the address without a tag, gets a code, and it is right.
    const { challengeId, code } = await mailedCode(plain);
    expect(await signIn(challengeId, code)).toBe(201);
    expect(await askFor(name, [plain])).toBe(2);
    // These count for the mailbox, too.
    await pass('23 hours 30 minutes');
    expect(await askFor(name, tagged)).toBe(6);
  });
});

describe('a mail', () => {
  test('also reaches an address that wants no mails, because it has asked for this one', async () => {
    const email = newEmail();
    const parsed = parseEmailAddress(email);
    const { encryption } = fixture.service.context;
    if (typeof parsed === 'string' || encryption === null) throw new Error('no address');
    await sql("insert into mail_unsubscriptions (email_hash, community_id) values ($1, '')", [
      hashMailbox(encryption, parsed),
    ]);
    const { challengeId, code } = await mailedCode(email);
    expect(await signIn(challengeId, code)).toBe(201);
  });

  test('that the server refuses for now comes later, with the same code, and counts once', async () => {
    const email = newEmail();
    fixture.mailServer.refuse = (address) =>
      address === email ? { responseCode: 450, message: 'later' } : null;
    const challengeId = await challenge(email);
    await vi.waitFor(async () => {
      const waiting = 'select from email_challenges where challenge_id = $1 and next_attempt_at > now()';
      expect(
        await sql(`${waiting} and next_attempt_at < now() + interval '31 seconds'`, [challengeId]),
      ).toHaveLength(1);
    }, WAIT_OPTIONS);
    fixture.mailServer.refuse = () => null;
    await retryNow();
    await waitForMails();
    const counted = await sql(
      `select count(*)::int as mails from requested_mails join email_challenges on mailbox_hash = requested_mails.email_hash
       where challenge_id = $1 and kind = 'signIn'`,
      [challengeId],
    );
    expect(counted).toEqual([{ mails: 1 }]);
    expect(await signIn(challengeId, codeIn(mailsTo(email)[0]))).toBe(201);
  });

  test('that was sent before a crash is sent again with the same Message-ID, and its code is right before', async () => {
    const email = newEmail();
    // The process "crashes" between the answer of the mail server and its record.
    await sql(
      `create function fail_to_finish() returns trigger language plpgsql as $$ begin
         if new.link is null then raise exception 'crashed'; end if; return new;
       end $$`,
    );
    await sql(
      'create trigger fail_to_finish before update on email_challenges for each row execute function fail_to_finish()',
    );
    const challengeId = await challenge(email);
    await vi.waitFor(() => expect(mailsTo(email)).toHaveLength(1), WAIT_OPTIONS);
    await sql('drop trigger fail_to_finish on email_challenges');
    await sql('drop function fail_to_finish');
    // The lease of a minute keeps it from other processes.
    expect(
      await sql('select from email_challenges where challenge_id = $1 and next_attempt_at > now()', [
        challengeId,
      ]),
    ).toHaveLength(1);
    await retryNow();
    await waitForMails();
    const [first, second] = mailsTo(email);
    expect(second?.messageId).toBe(first?.messageId);
    expect(codeIn(second)).toBe(codeIn(first));
    expect(first?.messageId).not.toContain(challengeId);
    expect(await signIn(challengeId, codeIn(first))).toBe(201);
  });

  test('is not sent again once its code was used', async () => {
    const email = newEmail();
    const { challengeId, code } = await mailedCode(email);
    // As after a crash before the record that it was sent.
    await sql("update email_challenges set link = '\\x00', next_attempt_at = now() where challenge_id = $1", [
      challengeId,
    ]);
    expect(await signIn(challengeId, code)).toBe(201);
    await retryNow();
    await waitForMails();
    expect(mailsTo(email)).toHaveLength(1);
  });

  test('that was not sent before its challenge expired is not sent, even if it cannot be decrypted', async () => {
    const email = newEmail();
    await sql(
      `insert into email_challenges
         (challenge_id, email, email_hash, mailbox_hash, code_hash, mail_id, language, link, created_at)
       values (gen_random_uuid(), '\\x00', $1, $1, $1, gen_random_uuid(), 'en', '\\x00', now() - interval '15 minutes')`,
      [Buffer.alloc(32)],
    );
    await mailedCode(email);
    expect(await sql('select from email_challenges where link is not null')).toEqual([]);
  });

  async function retryNow(): Promise<void> {
    await sql('update email_challenges set next_attempt_at = now() where next_attempt_at is not null');
    await sql("update mail_turns set next_attempt_at = now(), leased_until = null where community_id = ''");
  }
});
