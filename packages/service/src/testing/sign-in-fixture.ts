import { join } from 'node:path';
import type { CreatedSession, EmailChallenge } from '@badge/protocol';
import { query } from '@badge/test-support/sql';
import type { ParsedMail } from 'mailparser';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import { ENV, WAIT_OPTIONS } from './mail-limits-fixture.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { startOtherProcess, startTestService, type TestService } from './services.ts';

/** Returns the code in a mail with which somebody signs in. */
export const codeIn = (mail: Pick<ParsedMail, 'text'> | undefined) =>
  /\/sign-in\S*#(\S+)$/m.exec(mail?.text ?? '')?.[1] ?? '';

/**
 * Starts a mail server and two processes of a service before the tests, and stops them after. Only `service`
 * sends mails.
 */
export function signInFixture({ mailLimit = 'off' } = {}) {
  let mailServer: MailServer;
  let service: TestService;
  let api: TestService;
  // Each test has a client address of its own, because a client has a limit.
  let client = '';
  let clients = 0;

  beforeAll(async () => {
    mailServer = await startMailServer();
    const env = { ...ENV, BADGE_SMTP_URL: mailServer.url };
    service = await startTestService({ ...env, BADGE_MAIL_LIMIT: mailLimit });
    const BADGE_ENCRYPTION_KEY_FILE = join(service.dataDir, 'encryption-key');
    const BADGE_HOLDER_SEED_FILE = join(service.dataDir, 'holder-seed');
    const files = { BADGE_ENCRYPTION_KEY_FILE, BADGE_HOLDER_SEED_FILE };
    const ofApi = { BADGE_ROLE: 'api', BADGE_MAIL_LIMIT: mailLimit };
    api = await startOtherProcess(service, { ...env, ...files, ...ofApi });
  });
  afterAll(async () => {
    await api.stop();
    await service.stop();
    await mailServer.stop();
  });
  beforeEach(() => {
    clients += 1;
    client = `10.1.0.${clients}`;
  });

  const sql = (text: string, values: unknown[] = []) => query(service.databaseUrl, text, values);

  const postChallenge = (json: object, { at = service, from = client } = {}) =>
    at.call('/v1/sessions/emailChallenge', { json, headers: { 'X-Forwarded-For': from } });

  /** Requests a challenge. Returns its id. */
  async function challenge(email: string, fields: object = {}): Promise<string> {
    const response = await postChallenge({ email, ...fields });
    expect([response.status, response.headers.get('cache-control')]).toEqual([202, 'no-store']);
    return ((await response.json()) as EmailChallenge).challengeId;
  }

  const postSession = (challengeId: string, code: string, at = service) =>
    at.call('/v1/sessions', { json: { challengeId, code } });

  /** Sends a code. Returns the status. */
  const signIn = async (challengeId: string, code: string, at = service) =>
    (await postSession(challengeId, code, at)).status;

  async function createSession(challengeId: string, code: string): Promise<CreatedSession> {
    const response = await postSession(challengeId, code);
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
    return (await response.json()) as CreatedSession;
  }

  const mailsTo = (email: string) => mailServer.received.filter(({ recipient }) => recipient === email);

  /** Waits until nothing is queued. */
  async function waitForMails(): Promise<void> {
    await vi.waitFor(async () => {
      expect(await sql('select from email_challenges where next_attempt_at is not null')).toEqual([]);
    }, WAIT_OPTIONS);
  }

  /** Requests a challenge, and waits for its mail. */
  async function mailedCode(
    email: string,
    fields: object = {},
  ): Promise<{ challengeId: string; code: string }> {
    const before = mailsTo(email).length;
    const challengeId = await challenge(email, fields);
    await waitForMails();
    expect(mailsTo(email)).toHaveLength(before + 1);
    return { challengeId, code: codeIn(mailsTo(email).at(-1)) };
  }

  return {
    get mailServer() {
      return mailServer;
    },
    get service() {
      return service;
    },
    get api() {
      return api;
    },
    sql,
    postChallenge,
    challenge,
    postSession,
    signIn,
    createSession,
    mailsTo,
    waitForMails,
    mailedCode,
  };
}
