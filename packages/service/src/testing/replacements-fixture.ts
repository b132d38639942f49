import type {
  ClaimLink,
  CreatedClaimLink,
  Operation,
  Owner,
  Problem,
  Recipient,
  Token,
} from '@badge/protocol';
import { newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect } from 'vitest';
import { startOtherProcess, startTestService, type TestService } from './services.ts';

export const creator = newWallet();

export async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

/** Nothing listens there, so mails stay queued, and their codes stay in the database. */
export const UNREACHABLE_MAIL_SERVER = {
  BADGE_SMTP_URL: 'smtp://127.0.0.1:9',
  BADGE_MAIL_FROM: 'badges@example.org',
};

/**
 * Starts two processes on one database before the tests, and stops them after. Returns the calls with which
 * the tests replace tokens.
 */
export function replacementsFixture({ role = 'all' } = {}) {
  let service: TestService;
  let otherService: TestService;
  beforeAll(async () => {
    const env = { ...UNREACHABLE_MAIL_SERVER, BADGE_TRUST_PROXY: 'loopback', BADGE_ROLE: role };
    service = await startTestService(env);
    // The keys are those of the first.
    otherService = await startOtherProcess(service, { BADGE_DATA_DIR: service.dataDir, ...env });
    // Who confirms a reservation gets a link.
    for (const { context } of [service, otherService]) Object.assign(context, { keptAddresses: null });
  });
  afterAll(async () => {
    await Promise.all([service.stop(), otherService.stop()]);
  });

  const post = (path: string, body: unknown, at = service) =>
    at.call(`/v1/tokens/${path}`, { json: body, key: service.apiKey });
  const get = <T>(path: string, at = service) =>
    json<T>(at.call(`/v1/tokens/${path}`, { key: service.apiKey }));

  async function finish(response: Response, at = service): Promise<Operation> {
    expect(response.status, await response.clone().text()).toBe(202);
    return await json<Operation>(at.call(`${response.headers.get('location')}?wait=30`));
  }

  /** Waits for success, and returns the id of the token. */
  async function succeed(response: Response | Promise<Response>): Promise<number> {
    const operation = await finish(await response);
    expect(operation, JSON.stringify(operation)).toMatchObject({ status: 'success' });
    return Number(operation.resourceId);
  }

  async function createToken(fields: Record<string, unknown> = {}): Promise<number> {
    const body = await signedToken({ totalClaimCount: 1_000, ...fields }, creator);
    return await succeed(service.call('/v1/tokens', { json: body, key: service.apiKey }));
  }

  /** Creates a token with an allowlist: the creator, and others. */
  const createListed = async (...contributors: string[]) =>
    createToken({
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors: [creator.address, ...contributors],
    });

  async function createLinks(tokenId: number, body: object): Promise<CreatedClaimLink[]> {
    const response = await post(`${tokenId}/claimLinks`, body);
    expect(response.status, await response.clone().text()).toBe(201);
    return (await json<{ items: CreatedClaimLink[] }>(response)).items;
  }

  /** Creates the link of a room for a token with an allowlist. */
  async function createRoom(tokenId: number, maxClaims = 100): Promise<CreatedClaimLink> {
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const expiresAtTimestamp = Date.now() + 3_600_000;
    const [link] = await createLinks(tokenId, { maxClaims, signature, expiresAtTimestamp });
    if (link === undefined) throw new Error('no link');
    return link;
  }

  const replace = (tokenId: number, replacementTokenId: number, at = service) =>
    post(`${tokenId}/replace`, { replacementTokenId }, at);

  /** A claim by somebody at a client address of its own, without a key. */
  const claimWithCode = (tokenId: number, claimingAddress: string, claimCode: string, at = service) =>
    at.call(`/v1/tokens/${tokenId}/claim`, {
      json: { claimingAddress, claimCode },
      headers: { 'X-Forwarded-For': clientOf(claimingAddress) },
    });

  const ownersOf = async (tokenId: number, status = 'held', at = service) =>
    (await get<{ data: Owner[] }>(`${tokenId}/owners?limit=1000&status=${status}`, at)).data;
  const addressesOf = async (tokenId: number, status?: string) =>
    (await ownersOf(tokenId, status)).map(({ address }) => address);
  const tokenOf = (tokenId: number, at = service) => get<Token>(String(tokenId), at);
  /** The people of a token, in the order in which they were added. */
  const recipientsOf = async (tokenId: number) =>
    (await get<{ data: Recipient[] }>(`${tokenId}/recipients?limit=1000&order=oldest`)).data;
  const linksOf = async (tokenId: number) => (await get<{ data: ClaimLink[] }>(`${tokenId}/claimLinks`)).data;

  const nameOf = async (response: Response | Promise<Response>) =>
    (await json<Partial<Problem>>(response)).name;

  /** Returns the codes that wait in the mails to a token, and to those that it has replaced. */
  async function codesInMails(): Promise<{ email: string; code: string; tokenId: number }[]> {
    // As if the mails that ask for a confirmation were sent. Otherwise, they are tried while tests confirm.
    await query(
      service.databaseUrl,
      "update invitations set state = 'sent', sent_at = now(), next_attempt_at = null where kind = 'confirmation'",
    );
    const rows = await query<{
      invitation_id: string;
      key: string;
      email: Buffer;
      code: Buffer;
      token_id: string;
    }>(
      service.databaseUrl,
      `select i.invitation_id, i.code, i.token_id, coalesce(i.unconfirmed_email, r.email) as email,
         case when i.kind = 'confirmation' then i.invitation_id::text else encode(r.contributor_key, 'hex') end as key
       from invitations i left join recipients r using (recipient_id)
       where code is not null order by i.sequence`,
    );
    const { encryption } = service.context;
    if (encryption === null) throw new Error('no encryption key');
    return rows.map(({ invitation_id: id, key, email, code, token_id: tokenId }) => ({
      email: encryption.decrypt('emailAddress', key, email),
      code: encryption.decrypt('claimCode', id, code),
      tokenId: Number(tokenId),
    }));
  }

  return {
    get service() {
      return service;
    },
    get otherService() {
      return otherService;
    },
    post,
    get,
    finish,
    succeed,
    createToken,
    createListed,
    createLinks,
    createRoom,
    replace,
    claimWithCode,
    ownersOf,
    addressesOf,
    tokenOf,
    linksOf,
    recipientsOf,
    nameOf,
    codesInMails,
  };
}

/** A client address for each wallet. */
export function clientOf(address: string): string {
  const [a, b, c] = Buffer.from(address.slice(-6), 'hex');
  return `10.${a}.${b}.${c}`;
}
