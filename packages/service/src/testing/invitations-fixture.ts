import { randomUUID } from 'node:crypto';
import type { Invitation, Operation } from '@badge/protocol';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { type MailServer, startMailServer } from './mail-server.ts';
import { startTestService, type TestService } from './services.ts';

export const PUBLIC_URL = 'https://badges.example.org';
// On a busy machine, the first picture takes long, and its mail is tried again.
export const WAIT_OPTIONS = { timeout: 60_000, interval: 50 };
export const creator = newWallet();

export const newEmail = () => `${randomUUID()}@example.org`;

/** Starts a service and a mail server before the tests, and stops them after. */
export function invitationsFixture() {
  let mailServer: MailServer;
  let service: TestService;

  beforeAll(async () => {
    mailServer = await startMailServer();
    service = await startTestService({
      PUBLIC_URL,
      BADGE_SMTP_URL: mailServer.url,
      BADGE_MAIL_FROM: 'Badges <badges@example.org>',
      BADGE_MAIL_LIMIT: 'off',
    });
  });
  afterAll(async () => {
    await service.stop();
    await mailServer.stop();
  });
  afterEach(() => {
    mailServer.refuse = () => null;
  });

  async function createToken(fields: Record<string, unknown> = {}): Promise<number> {
    const json = await signedToken({ headline: 'Speaker 2026', ...fields }, creator);
    // Equal requests without a key would be one.
    const headers = { 'Idempotency-Key': randomUUID() };
    const response = await service.call('/v1/tokens', { key: service.apiKey, json, headers });
    return (await waitForOperation(response)).resourceId ?? 0;
  }

  async function waitForOperation(response: Response): Promise<Operation> {
    expect(response.status).toBe(202);
    const operation = await service.call(`${response.headers.get('location')}?wait=30`);
    return (await operation.json()) as Operation;
  }

  async function post(
    tokenId: number,
    json: object,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return await service.call(`/v1/tokens/${tokenId}/invitations`, { key: service.apiKey, json, headers });
  }

  async function invite(tokenId: number, emails: string[], fields: object = {}): Promise<Invitation[]> {
    const response = await post(tokenId, { recipients: emails.map((email) => ({ email })), ...fields });
    expect(response.status, await response.clone().text()).toBe(201);
    return ((await response.json()) as { items: Invitation[] }).items;
  }

  async function list(tokenId: number, query = ''): Promise<Invitation[]> {
    const response = await service.call(`/v1/tokens/${tokenId}/invitations${query}`, { key: service.apiKey });
    expect(response.status).toBe(200);
    return ((await response.json()) as { data: Invitation[] }).data;
  }

  async function waitForStatus(tokenId: number, status: string, count = 1): Promise<Invitation[]> {
    return await vi.waitFor(async () => {
      const found = await list(tokenId, `?status=${status}`);
      expect(found).toHaveLength(count);
      return found;
    }, WAIT_OPTIONS);
  }

  async function waitForMail(email: string, count = 1) {
    return await vi.waitFor(() => {
      const mails = mailServer.received.filter(({ recipient }) => recipient === email);
      expect(mails).toHaveLength(count);
      const mail = mails.at(-1);
      if (mail === undefined) throw new Error('no mail');
      return mail;
    }, WAIT_OPTIONS);
  }

  /** Lets the time of the next attempt come. */
  async function retryNow(invitationId = ''): Promise<void> {
    await query(
      service.databaseUrl,
      "update invitations set next_attempt_at = now() - interval '10 minutes' where invitation_id = $1",
      [invitationId],
    );
    await query(service.databaseUrl, 'update mail_turns set next_attempt_at = now()');
  }

  async function expectRefusedMail(responseCode: number, status: 'queued' | 'failed'): Promise<void> {
    const tokenId = await createToken();
    const email = newEmail();
    mailServer.refuse = (address) => (address === email ? { responseCode, message: 'not you' } : null);
    const [invitation] = await invite(tokenId, [email]);
    const [refused] = await vi.waitFor(async () => {
      const found = await list(tokenId);
      expect(found).toMatchObject([{ status, error: `${responseCode} not you` }]);
      return found;
    }, WAIT_OPTIONS);
    expect(refused?.invitationId).toBe(invitation?.invitationId);
    if (status === 'failed') return;
    mailServer.refuse = () => null;
    await retryNow(invitation?.invitationId);
    await waitForMail(email);
    expect(await waitForStatus(tokenId, 'sent')).toMatchObject([{ error: null }]);
  }

  return {
    get mailServer() {
      return mailServer;
    },
    get service() {
      return service;
    },
    createToken,
    waitForOperation,
    post,
    invite,
    list,
    waitForStatus,
    waitForMail,
    retryNow,
    expectRefusedMail,
  };
}
