import { randomUUID } from 'node:crypto';
import type { ClaimLink, CreatedClaimLink, Operation } from '@badge/protocol';
import { newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import { type MailServer, startMailServer } from './mail-server.ts';
import { startTestService, type TestService } from './services.ts';

// On a busy machine, the first picture takes long, and its mail is tried again.
export const WAIT_OPTIONS = { timeout: 60_000, interval: 50 };
export const creator = newWallet();

export const newEmail = () => `${randomUUID()}@example.org`;

export const codeIn = (path: string, text = '') =>
  new RegExp(`https://badges\\.example\\.org/${path}/\\d+#([0-9A-Z]{26})`).exec(text)?.[1] ?? '';

/**
 * Starts a service and a mail server before the tests, and stops them after. Each test has a client address
 * of its own. Unless the service `keepsBadges`, who confirms gets a second mail with a link.
 */
export function reservationsFixture({ keepsBadges = false } = {}) {
  let mailServer: MailServer;
  let service: TestService;

  beforeAll(async () => {
    mailServer = await startMailServer();
    service = await startTestService({
      PUBLIC_URL: 'https://badges.example.org',
      BADGE_SMTP_URL: mailServer.url,
      BADGE_MAIL_FROM: 'badges@example.org',
      BADGE_TRUST_PROXY: 'loopback',
    });
    if (!keepsBadges) Object.assign(service.context, { keptAddresses: null });
  });
  afterAll(async () => {
    await service.stop();
    await mailServer.stop();
  });

  // Each test has a client address of its own, because a client has a limit.
  let client = '';
  let clients = 0;
  beforeEach(() => {
    clients += 1;
    client = `10.0.0.${clients}`;
  });

  async function createToken(fields: Record<string, unknown>): Promise<number> {
    const json = await signedToken({ headline: 'Room', ...fields }, creator);
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

  async function createLink(tokenId: number, json: object): Promise<CreatedClaimLink> {
    const response = await service.call(`/v1/tokens/${tokenId}/claimLinks`, { key: service.apiKey, json });
    const [link] = ((await response.json()) as { items: CreatedClaimLink[] }).items;
    if (link === undefined) throw new Error('no link');
    return link;
  }

  /** Creates an allowlisted token and a link for a room. */
  async function createRoom(maxClaims: number, fields: object = {}) {
    const contributors = [creator.address];
    const tokenId = await createToken({ isAllowlistRequired: true, totalClaimCount: null, contributors });
    const link = await createLink(tokenId, {
      maxClaims,
      signature: await signTokenId(creator, 'AllowlistedAddress', tokenId),
      expiresAtTimestamp: Date.now() + 3_600_000,
      ...fields,
    });
    return { tokenId, link };
  }

  async function reserve(
    tokenId: number,
    email: string,
    claimCode: string,
    fields: object = {},
  ): Promise<Response> {
    return await service.call(`/v1/tokens/${tokenId}/reservations`, {
      json: { email, claimCode, ...fields },
      headers: { 'X-Forwarded-For': client },
    });
  }

  const confirm = async (tokenId: number, confirmationCode: string) =>
    service.call(`/v1/tokens/${tokenId}/reservations/confirm`, { json: { confirmationCode } });

  const mailsTo = (email: string) => mailServer.received.filter(({ recipient }) => recipient === email);

  async function waitForMail(email: string, count = 1) {
    return await vi.waitFor(() => {
      expect(mailsTo(email)).toHaveLength(count);
      const mail = mailsTo(email).at(-1);
      if (mail === undefined) throw new Error('no mail');
      return mail;
    }, WAIT_OPTIONS);
  }

  async function readLinks(tokenId: number): Promise<ClaimLink[]> {
    const response = await service.call(`/v1/tokens/${tokenId}/claimLinks`, { key: service.apiKey });
    return ((await response.json()) as { data: ClaimLink[] }).data;
  }

  return {
    get service() {
      return service;
    },
    get client() {
      return client;
    },
    set client(address: string) {
      client = address;
    },
    createToken,
    waitForOperation,
    createLink,
    createRoom,
    reserve,
    confirm,
    mailsTo,
    waitForMail,
    readLinks,
  };
}
