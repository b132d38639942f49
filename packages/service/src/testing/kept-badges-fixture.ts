import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type CreatedSession,
  type Operation,
  type OwnerState,
  parseEmailAddress,
  type Session,
} from '@badge/protocol';
import { signedToken, signTypedData, type Wallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect } from 'vitest';
import { hashEmail } from '../domain/invitations/rules.ts';
import { prepareKeptAddress } from '../domain/kept-addresses.ts';
import { requireEncryption } from '../domain/require-encryption.ts';
import { toChecksumAddress } from '../signatures/address.ts';
import { lockToken } from '../storage/token-locks.ts';
import { signedChallenge } from './access-matrix-fixture.ts';
import { createEmailSession } from './email-sessions.ts';
import { startOtherProcess, startTestService, type TestService } from './services.ts';

/** Somebody who has signed in by e-mail. */
export interface EmailPerson {
  email: string;
  /** The keyed hash of the e-mail. */
  emailHash: Buffer;
  /** The token of the session. */
  key: string;
}

/**
 * Starts two processes on one database before the tests, with the communities `demo` and `other`, and stops
 * them after. Returns calls about people without a wallet.
 */
export function keptBadgesFixture({ role = 'all' } = {}) {
  let services: [TestService, TestService];
  beforeAll(async () => {
    const first = await startTestService({ BADGE_ROLE: role });
    const file = (name: string) => join(first.dataDir, name);
    const second = await startOtherProcess(first, {
      BADGE_ROLE: role,
      BADGE_ENCRYPTION_KEY_FILE: file('encryption-key'),
      BADGE_HOLDER_SEED_FILE: file('holder-seed'),
      BADGE_ISSUER_SEED_FILE: file('issuer-seed'),
    });
    services = [first, second];
    const json = { uniqId: 'other', displayId: 'other', name: 'Other' };
    expect((await first.call('/v1/communities', { key: first.adminKey, json })).status).toBe(201);
  });
  afterAll(async () => {
    await services[1].stop();
    await services[0].stop();
  });

  /** Sends a request that starts an operation. Returns it when it is final, or the name of the refusal. */
  async function settle(
    path: string,
    json: unknown,
    { key = services[0].adminKey, at = services[0] }: { key?: string | null; at?: TestService } = {},
  ): Promise<Operation | string> {
    const response = await at.call(path, key === null ? { json } : { key, json });
    const body = (await response.json()) as { name: string };
    if (response.status !== 202) return body.name;
    const operation = await services[0].call(`${response.headers.get('location')}?wait=20`);
    return (await operation.json()) as Operation;
  }

  /** The same. Returns `success`, or the name of the error or the refusal. */
  async function outcomeOf(...request: Parameters<typeof settle>): Promise<string> {
    const operation = await settle(...request);
    return typeof operation === 'string' ? operation : (operation.error?.name ?? operation.status);
  }

  async function createToken(fields: Record<string, unknown> = {}): Promise<number> {
    const operation = await settle('/v1/tokens', await signedToken(fields));
    if (typeof operation === 'string') throw new Error(operation);
    return Number(operation.resourceId);
  }

  async function signInByEmail(email = `${randomUUID()}@example.org`): Promise<EmailPerson> {
    const [{ context }] = services;
    const parsed = parseEmailAddress(email);
    if (typeof parsed === 'string') throw new Error(parsed);
    const emailHash = hashEmail(requireEncryption(context), parsed);
    return { email, emailHash, key: await createEmailSession(services[0], email) };
  }

  /** The kept address of somebody in a community, which is recorded. */
  async function keptAddressOf({ emailHash }: EmailPerson, communityId = 'demo'): Promise<string> {
    const [{ context }] = services;
    return toChecksumAddress(await prepareKeptAddress(context, context.database, { communityId, emailHash }));
  }

  /** The operator gives a token to an address. */
  const give = (tokenId: number, claimingAddress: string, at?: TestService) =>
    outcomeOf(`/v1/tokens/${tokenId}/claim`, { claimingAddress }, at && { at });

  const read = async <T>(path: string, key?: string): Promise<T> =>
    (await (await services[0].call(path, key === undefined ? {} : { key })).json()) as T;

  /** Signs a wallet in. Returns the token of the session. */
  async function signIn(wallet: Wallet): Promise<string> {
    const json = await signedChallenge(services[0], wallet);
    return ((await (await services[0].call('/v1/sessions', { json })).json()) as CreatedSession).sessionToken;
  }

  /** Sends a PUT or a DELETE below `/v1/sessions/current/`. Returns its status. */
  async function change(method: 'PUT' | 'DELETE', rest: string, key: string): Promise<number> {
    return (await services[0].call(`/v1/sessions/current/${rest}`, { method, key })).status;
  }

  /** Runs `meanwhile` while no operation of the token can be settled. */
  async function whileLocked<Result>(tokenId: number, meanwhile: () => Promise<Result>): Promise<Result> {
    const [{ context }] = services;
    return await context.transaction(async (tx) => {
      await lockToken(tx, tokenId);
      return await meanwhile();
    });
  }

  /** The body with which a person moves its badges to a wallet now. `signer` signs it. */
  async function signedMove(
    person: EmailPerson,
    wallet: Wallet,
    { isDefault, signer = wallet }: { isDefault?: boolean; signer?: Wallet } = {},
  ) {
    const { emailHash, moveNonce } = await readSession(person);
    const signature = await signTypedData(signer, 'ReceiveBadges', { emailHash, nonce: moveNonce });
    return { toAddress: wallet.address, signature, ...(isDefault === undefined ? {} : { isDefault }) };
  }

  const moveBadges = (person: EmailPerson, body: object, at?: TestService) =>
    settle('/v1/sessions/current/moveBadges', body, { key: person.key, ...(at && { at }) });

  /** What has become of the token of an address; undefined if it never had it. */
  async function statusOf(tokenId: number, address: string): Promise<OwnerState['status'] | undefined> {
    const response = await services[0].call(`/v1/tokens/${tokenId}/owners/${address}`);
    return response.status === 404 ? undefined : ((await response.json()) as OwnerState).status;
  }

  const readSession = ({ key }: EmailPerson) => read<Session>('/v1/sessions/current', key);

  return {
    get services() {
      return services;
    },
    settle,
    outcomeOf,
    createToken,
    signInByEmail,
    keptAddressOf,
    give,
    read,
    signIn,
    change,
    whileLocked,
    signedMove,
    moveBadges,
    statusOf,
    readSession,
  };
}
