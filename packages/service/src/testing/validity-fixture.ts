import type {
  CheckedOwners,
  Eligibility,
  Operation,
  Owner,
  OwnerState,
  Problem,
  Recipient,
  SnapshotScores,
  Token,
  WalletToken,
} from '@badge/protocol';
import { newAddress } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect } from 'vitest';
import { toEvent } from '../domain/events/rules.ts';
import { credentialsFixture } from './credentials-fixture.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Starts a service before the tests, and stops it after. Returns the calls with which badges end. */
export function validityFixture() {
  const fixture = credentialsFixture();

  async function get<T>(path: string): Promise<T> {
    const { service } = fixture;
    const response = await service.call(path, { key: service.apiKey });
    expect(response.status, await response.clone().text()).toBe(200);
    return (await response.json()) as T;
  }
  const send = (path: string, json: object, method = 'POST') =>
    fixture.service.call(path, {
      method,
      key: fixture.service.apiKey,
      body: JSON.stringify(json),
      headers: { 'Content-Type': 'application/json' },
    });
  const patch = async (tokenId: number, change: object) => {
    const response = await send(`/v1/tokens/${tokenId}`, change, 'PATCH');
    expect(response.status, await response.clone().text()).toBe(200);
    return (await response.json()) as Token;
  };
  const nameOf = async (response: Response | Promise<Response>) =>
    ((await (await response).json()) as Partial<Problem>).name;
  const sql = <T = unknown>(text: string, ...values: unknown[]) =>
    query<T & Record<string, unknown>>(fixture.service.databaseUrl, text, values);

  const airdrop = (tokenId: number, address: string) =>
    fixture.airdrop(tokenId, { address: address as `0x${string}` });

  /** Creates an open token, and gives it to addresses. */
  async function give(fields: Record<string, unknown>, addresses = [newAddress()]) {
    const tokenId = await fixture.createToken({ totalClaimCount: 1_000, ...fields });
    for (const address of addresses) await airdrop(tokenId, address);
    return { tokenId, address: addresses[0] ?? '' };
  }

  /** Makes a token and its claims older, as if the time had passed. What has fixed times stays. */
  async function passTime(tokenId: number, ms: number): Promise<void> {
    const interval = `${ms} milliseconds`;
    await sql(
      `update claims set claimed_at = claimed_at - $2::interval, renewed_until = renewed_until - $2::interval,
         announced_end = announced_end - $2::interval, status_changed_at = status_changed_at - $2::interval
       where token_id = $1`,
      tokenId,
      interval,
    );
    await sql(
      'update tokens set created_at = created_at - $2::interval, valid_until = valid_until - $2::interval where token_id = $1',
      tokenId,
      interval,
    );
    await sql(
      'update expiry_turns set next_at = next_at - $2::interval, walked_at = walked_at - $2::interval where token_id = $1',
      tokenId,
      interval,
    );
  }

  const renew = (tokenId: number, addresses: string[], validUntilTimestamp: number) =>
    send(`/v1/tokens/${tokenId}/renew`, { addresses, validUntilTimestamp });

  /** The events about the ends of the badges of a token, in their order. */
  async function eventsOf(tokenId: number) {
    const rows = await sql<{
      event_id: string;
      type: string;
      data: Record<string, unknown>;
      created_at: Date;
    }>(
      `select event_id, type, data, created_at from (
         select position as place, 0 as waits, event_id, type, data, created_at from events
         union all select sequence, 1, event_id, type, data, created_at from event_outbox
       ) e
       where type in ('badge.expired', 'badge.renewed') and (data->>'tokenId')::bigint = $1
       order by waits, place`,
      tokenId,
    );
    return rows.map((row) =>
      toEvent({ ...row, community_id: 'demo' } as Parameters<typeof toEvent>[0]),
    ) as unknown as { type: string; createdAtTimestamp: number; data: Record<string, unknown> }[];
  }

  const ownerOf = (tokenId: number, address: string) =>
    get<OwnerState>(`/v1/tokens/${tokenId}/owners/${address}`);
  const ownersOf = async (tokenId: number, status = 'held') =>
    (await get<{ data: Owner[] }>(`/v1/tokens/${tokenId}/owners?status=${status}`)).data;
  const recipientsOf = async (tokenId: number, parameters = '') =>
    (await get<{ data: Recipient[] }>(`/v1/tokens/${tokenId}/recipients?order=oldest${parameters}`)).data;
  const tokenOf = (tokenId: number) => get<Token>(`/v1/tokens/${tokenId}`);

  /** What everybody sees of the token of an address. */
  async function readSides(tokenId: number, address: string) {
    const { service } = fixture;
    const [owner, publicOwners, wallet, eligibility, gate, scores, recipients, embed, page] =
      await Promise.all([
        ownerOf(tokenId, address),
        service.call(`/v1/tokens/${tokenId}/owners?limit=1000`).then((response) => response.json()),
        get<{ data: WalletToken[] }>(`/v1/wallets/${address}/tokens?tokenId=${tokenId}`),
        get<Eligibility>(`/v1/tokens/${tokenId}/eligibility?address=${address}`),
        service
          .call('/v1/checkOwners', { json: { addresses: [address], tokenIds: [tokenId] } })
          .then((response) => response.json()),
        service
          .call(`/v1/tokens/${tokenId}/snapshotScores`, { json: { addresses: [address] } })
          .then((response) => response.json()),
        recipientsOf(tokenId, `&search=${address}`),
        service.call(`/embed/token/${tokenId}?owner=${address}`).then((response) => response.text()),
        service.call(`/token/${tokenId}?owner=${address}`, { headers: { Accept: 'text/html' } }),
      ]);
    return {
      status: owner.status,
      until: owner.validUntilTimestamp,
      isListed: (publicOwners as { data: Owner[] }).data.some((one) => one.address === address),
      wallet: wallet.data.map(({ claimStatus, isExpired, validUntilTimestamp }) => ({
        claimStatus,
        isExpired,
        until: validUntilTimestamp,
      })),
      ownership: eligibility.ownership,
      eligibleUntil: eligibility.validUntilTimestamp,
      gate: (gate as CheckedOwners).items[0]?.tokenIds.includes(tokenId),
      score: (scores as SnapshotScores).score[0]?.score,
      recipient: recipients.map(({ status, validUntilTimestamp }) => ({
        status,
        until: validUntilTimestamp,
      })),
      isEmbeddedAsExpired: embed.includes('but it has expired'),
      pageStatus: page.status,
    };
  }

  /** What all of them say if the token ends then. */
  const sidesOf = (until: number | null, { isExpired = false } = {}) => ({
    status: isExpired ? 'expired' : 'held',
    until,
    isListed: !isExpired,
    wallet: [{ claimStatus: 'claimed', isExpired, until }],
    ownership: isExpired ? 'expired' : 'held',
    eligibleUntil: until,
    gate: !isExpired,
    score: isExpired ? 0 : 1,
    recipient: [{ status: isExpired ? 'expired' : 'claimed', until }],
    isEmbeddedAsExpired: isExpired,
    pageStatus: 200,
  });

  async function succeed(response: Response | Promise<Response>): Promise<Operation> {
    const accepted = await response;
    expect(accepted.status, await accepted.clone().text()).toBe(202);
    return await fixture.finish(accepted);
  }

  return {
    get service() {
      return fixture.service;
    },
    finish: fixture.finish,
    succeed,
    createToken: fixture.createToken,
    airdrop,
    readCredential: fixture.readCredential,
    get,
    send,
    patch,
    nameOf,
    sql,
    give,
    passTime,
    renew,
    eventsOf,
    ownerOf,
    ownersOf,
    recipientsOf,
    tokenOf,
    readSides,
    sidesOf,
  };
}
