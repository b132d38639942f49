import { randomUUID } from 'node:crypto';
import type { ClaimLink, CreatedClaimLink, Invitation, Operation, Problem } from '@badge/protocol';
import { signedToken, signTokenId } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makeResubscribeCode, readResubscribeCode } from '../../src/domain/invitations/rules.ts';
import { countInShare, uncountInShare } from '../../src/domain/mail-share.ts';
import { createApiKey, createSession } from '../../src/testing/access-matrix-roles.ts';
import {
  creator,
  json,
  mailLimitsFixture,
  newName,
  WAIT_OPTIONS,
} from '../../src/testing/mail-limits-fixture.ts';

// What a mailbox and a room can get, and what becomes of the mails of somebody who loses the right to send
// them. Most tests use `api`, which has no worker: its mails stay queued.

const fixture = mailLimitsFixture();

const OTHER = 'other';

async function createToken(communityId = 'demo', fields: object = {}): Promise<number> {
  const body = await signedToken({ headline: 'Room', communityId, ...fields }, creator);
  const headers = { 'Idempotency-Key': randomUUID() };
  const response = await fixture.service.call('/v1/tokens', {
    key: fixture.service.adminKey,
    json: body,
    headers,
  });
  const operation = await json<Operation>(
    fixture.service.call(`${response.headers.get('location')}?wait=30`),
  );
  return operation.resourceId ?? 0;
}

async function createRoom(): Promise<CreatedClaimLink & { tokenId: number }> {
  const contributors = [creator.address];
  const tokenId = await createToken('demo', {
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors,
  });
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const body = { maxClaims: 1_000, signature, expiresAtTimestamp: Date.now() + 3_600_000 };
  const response = fixture.api.call(`/v1/tokens/${tokenId}/claimLinks`, {
    key: fixture.api.adminKey,
    json: body,
  });
  const [link] = (await json<{ items: CreatedClaimLink[] }>(response)).items;
  if (link === undefined) throw new Error('no link');
  return { tokenId, ...link };
}

const post = (tokenId: number, emails: string[], { key = fixture.api.adminKey } = {}) =>
  fixture.api.call(`/v1/tokens/${tokenId}/invitations`, {
    key,
    json: { recipients: emails.map((email) => ({ email })) },
  });

async function invite(tokenId: number, emails: string[], key = fixture.api.adminKey): Promise<Invitation[]> {
  const response = await post(tokenId, emails, { key });
  expect(response.status, await response.clone().text()).toBe(201);
  return (await json<{ items: Invitation[] }>(response)).items;
}

const pathOf = (tokenId: number, { invitationId }: Invitation) =>
  `/v1/tokens/${tokenId}/invitations/${invitationId}`;
const resend = (tokenId: number, invitation: Invitation) =>
  fixture.api.call(`${pathOf(tokenId, invitation)}/resend`, { key: fixture.api.adminKey, method: 'POST' });
const revoke = (tokenId: number, invitation: Invitation) =>
  fixture.api.call(pathOf(tokenId, invitation), { key: fixture.api.adminKey, method: 'DELETE' });

async function statusesOf(tokenId: number): Promise<string[]> {
  const list = fixture.api.call(`/v1/tokens/${tokenId}/invitations`, { key: fixture.api.adminKey });
  return (await json<{ data: Invitation[] }>(list)).data.map(({ status }) => status);
}

async function linksOf(tokenId: number): Promise<string[]> {
  const list = fixture.api.call(`/v1/tokens/${tokenId}/claimLinks`, { key: fixture.api.adminKey });
  return (await json<{ data: ClaimLink[] }>(list)).data.map(({ status }) => status);
}

describe('what a community sends again', () => {
  test('of 10 resends at the same time, 3 are accepted, and the others say when it is possible again', async () => {
    const tokenId = await createToken();
    const [invitation] = (await invite(tokenId, [`${newName()}@example.org`])) as [Invitation];
    const responses = await Promise.all(Array.from({ length: 10 }, () => resend(tokenId, invitation)));
    const refused = responses.filter(({ status }) => status !== 202);
    expect(refused).toHaveLength(7);
    for (const response of refused) {
      expect(response.status).toBe(429);
      const seconds = Number(response.headers.get('Retry-After'));
      expect(seconds).toBeGreaterThan(86_300);
      expect(seconds).toBeLessThanOrEqual(86_400);
      expect((await json<Problem>(response)).name).toBe('RateLimited');
    }
    await query(
      fixture.service.databaseUrl,
      "update requested_mails set requested_at = requested_at - interval '1 day'",
    );
    expect((await resend(tokenId, invitation)).status).toBe(202);
  });

  test('revoking and inviting again counts too, over all spellings of a mailbox and all communities', async () => {
    const community = { uniqId: OTHER, displayId: OTHER, name: 'Other' };
    await fixture.service.call('/v1/communities', { key: fixture.service.adminKey, json: community });
    const [tokenId, ofOther] = [await createToken(), await createToken(OTHER)];
    const name = newName();
    const [first] = (await invite(tokenId, [`${name}@gmail.com`])) as [Invitation];
    await revoke(tokenId, first);
    const [again] = (await invite(tokenId, [`${name}@gmail.com`])) as [Invitation];
    expect((await resend(tokenId, again)).status).toBe(202);
    // The first invitation to another token is free.
    const dotted = `${name.slice(0, 3)}.${name.slice(3)}+x@googlemail.com`;
    const [there] = (await invite(ofOther, [dotted.toUpperCase()])) as [Invitation];
    expect((await resend(ofOther, there)).status).toBe(202);
    expect((await resend(ofOther, there)).status).toBe(429);
    await revoke(tokenId, again);
    const refused = await post(tokenId, [`${newName()}@example.org`, dotted]);
    expect(refused.status).toBe(429);
    expect((await json<Problem>(refused)).errors).toMatchObject([{ pointer: '/recipients/1/email' }]);
  });

  test('of the spellings of a mailbox in one request, one is free', async () => {
    const tokenId = await createToken();
    const name = newName();
    const spellings = (count: number) =>
      Array.from({ length: count }, (_, index) => `${name}+${index}@example.org`);
    const refused = await post(tokenId, spellings(5));
    expect((await json<Problem>(refused)).errors).toHaveLength(4);
    expect(await invite(tokenId, spellings(4))).toHaveLength(4);
  });
});

describe('what strangers ask for', () => {
  test('a mailbox gets three such mails a day, over all its spellings and rooms', async () => {
    const rooms = [await createRoom(), await createRoom()];
    const name = newName();
    for (const [index, { tokenId, code }] of [...rooms, ...rooms, ...rooms].entries()) {
      const path = `/v1/tokens/${tokenId}/reservations`;
      const body = { email: `${name}+${index}@example.org`, claimCode: code };
      expect((await fixture.service.call(path, { json: body })).status).toBe(202);
    }
    const other = { email: `${newName()}@example.org`, claimCode: rooms[0]?.code };
    await fixture.service.call(`/v1/tokens/${rooms[0]?.tokenId}/reservations`, { json: other });
    await vi.waitFor(async () => {
      const queued = await query(
        fixture.service.databaseUrl,
        "select from invitations where next_attempt_at is not null and kind = 'confirmation'",
      );
      expect(queued).toEqual([]);
    }, WAIT_OPTIONS);
    const mails = fixture.mailServer.received.filter(({ recipient }) => recipient.startsWith(name));
    expect(mails).toHaveLength(3);
  });

  test('requests have a limit, of which one client can use half, with the codes of any rooms', async () => {
    // Of 10 mails an hour and 20 a day, 8 and 16 can be asked for, 4 and 8 of them by one client.
    const rooms = [await createRoom(), await createRoom()];
    await query(fixture.service.databaseUrl, 'delete from reservation_counts');
    await query(fixture.service.databaseUrl, 'delete from reservation_clients');
    const countAccepted = async (client: string) => {
      const responses = await Promise.all(
        [...rooms, ...rooms, ...rooms].map(({ tokenId, code }) =>
          fixture.api.call(`/v1/tokens/${tokenId}/reservations`, {
            json: { email: `${newName()}@example.org`, claimCode: code },
            headers: { 'X-Forwarded-For': client },
          }),
        ),
      );
      for (const response of responses.filter(({ status }) => status === 429)) {
        expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
      }
      return responses.filter(({ status }) => status === 202).length;
    };
    const passHour = async () => {
      for (const table of ['reservation_counts', 'reservation_clients'])
        await query(fixture.service.databaseUrl, `update ${table} set hour = hour - interval '1 hour'`);
    };
    expect(await countAccepted('192.0.2.1')).toBe(4);
    expect(await countAccepted('192.0.2.2')).toBe(4);
    expect(await countAccepted('192.0.2.3')).toBe(0);
    await passHour();
    expect(await countAccepted('192.0.2.1')).toBe(4);
    await passHour();
    expect(await countAccepted('192.0.2.1')).toBe(0);
    expect(await countAccepted('192.0.2.3')).toBe(4);
    await query(fixture.service.databaseUrl, "delete from invitations where kind = 'confirmation'");
  });

  test('invitations go first, and neither they nor what strangers cause can use up the share', async () => {
    // Of 5 mails an hour, 4 can be invitations, and 3 can be others.
    const limit = { perHour: 5, perDay: 100 };
    const sent = async (communityId: string, wanted: boolean[]) => {
      const kinds: boolean[] = [];
      for (const isInvitation of wanted) {
        const mail = { communityId, isInvitation };
        if (await fixture.api.context.transaction((tx) => countInShare(tx, limit, mail)))
          kinds.push(isInvitation);
      }
      return kinds;
    };
    const [invitations, others] = [Array(9).fill(true), Array(9).fill(false)];
    expect(await sent('share-1', [...invitations, ...others])).toEqual([true, true, true, true, false]);
    expect(await sent('share-2', [...others, ...invitations])).toEqual([false, false, false, true, true]);
    // A mail that was not sent is counted back in its part.
    for (const isInvitation of [true, false]) {
      const mail = { communityId: 'share-2', isInvitation };
      await fixture.api.context.transaction((tx) => uncountInShare(tx, limit, mail));
    }
    expect(await sent('share-2', [...others, ...invitations])).toEqual([false, true]);
    await query(fixture.service.databaseUrl, "update mail_counts set hour = hour - interval '1 hour'");
    expect(await sent('share-2', [...others, ...invitations])).toEqual([false, false, false, true, true]);
  });

  test('a link that a person asks for again still ends with the right of who invited', async () => {
    const tokenId = await createToken();
    const session = await createSession(fixture.service, { communityId: 'demo', role: 'issuer' });
    const email = `${newName()}@example.org`;
    await invite(tokenId, [email], session);
    const linkResponse = fixture.api.call(`/v1/tokens/${tokenId}/claimLinks`, {
      key: fixture.api.adminKey,
      json: { count: 1 },
    });
    const [link] = (await json<{ items: CreatedClaimLink[] }>(linkResponse)).items;
    const path = `/v1/tokens/${tokenId}/reservations`;
    const read = () =>
      query<{ mail_id: string; creator: string | null }>(
        fixture.service.databaseUrl,
        "select mail_id, encode(created_by, 'hex') as creator from invitations where token_id = $1 and kind = 'invitation'",
        [tokenId],
      );
    const [before] = await read();
    expect(before?.creator).not.toBeNull();
    expect((await fixture.service.call(path, { json: { email, claimCode: link?.code } })).status).toBe(202);
    await vi.waitFor(async () => {
      const [after] = await read();
      expect(after?.mail_id).not.toBe(before?.mail_id);
      expect(after?.creator).toBe(before?.creator);
    }, WAIT_OPTIONS);
  });
});

describe('an unsubscription', () => {
  const CALL = '/v1/communities/demo/resubscriptions';
  const pathIn = (text = '') => /https:\/\/badges\.example\.org(\/unsubscribe\?\S+)/.exec(text)?.[1] ?? '';
  const postForm = (path: string, body: string) =>
    fixture.service.call(path, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  const mailsTo = (email: string) =>
    fixture.mailServer.received.filter(({ recipient }) => recipient === email);

  // Invites an address, and unsubscribes it with the link in its mail.
  async function unsubscribe(email: string, scope: string): Promise<string> {
    await invite(await createToken(), [email]);
    await vi.waitFor(() => expect(mailsTo(email)).toHaveLength(1), WAIT_OPTIONS);
    const path = pathIn(mailsTo(email)[0]?.text);
    const page = await postForm(path, `scope=${scope}`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('name="email"');
    return path;
  }

  // Waits for a job that was added later. Jobs of a community run one after the other, nearly always in their
  // order.
  async function passJobs(): Promise<void> {
    const email = `${newName()}@example.org`;
    await unsubscribe(email, 'community');
    expect((await fixture.service.call(CALL, { json: { email } })).status).toBe(202);
    await vi.waitFor(() => expect(mailsTo(email)).toHaveLength(2), WAIT_OPTIONS);
  }

  test.each(['community', 'all'])(
    'by a forwarded mail (%s) is undone by who gets the mail',
    async (scope) => {
      const name = newName();
      const email = `${name}@example.org`;
      const forwarded = await unsubscribe(email, scope);
      const other = await createToken();
      const unsubscribed = await invite(other, [email, `${name}+tag@example.org`]);
      expect(unsubscribed.map(({ status }) => status)).toEqual(['unsubscribed', 'unsubscribed']);

      // The link in a mail offers it too, and so does the address of the page alone.
      for (const path of [forwarded, '/unsubscribe?community=demo&language=es']) {
        expect(await (await fixture.service.call(path)).text()).toContain('name="email"');
      }
      // Whether an address is unsubscribed cannot be learned from the response.
      const stranger = `${newName()}@example.org`;
      const texts = [];
      for (const address of [stranger, `${name}+other@example.org`]) {
        const fields = String(new URLSearchParams({ email: address }));
        const response = await postForm('/unsubscribe?community=demo&language=es', fields);
        expect(response.status).toBe(200);
        texts.push(await response.text());
      }
      expect(texts[0]).toBe(texts[1]);
      await vi.waitFor(() => expect(mailsTo(`${name}+other@example.org`)).toHaveLength(1), WAIT_OPTIONS);
      const [mail] = mailsTo(`${name}+other@example.org`);
      expect(mail?.subject).toContain('volver a recibir correos');
      expect(mail?.attachments).toEqual([]);
      expect(mailsTo(stranger)).toEqual([]);

      const path = pathIn(mail?.text);
      for (const wrong of [
        path.replace('community=demo', 'community=other'),
        path.replace(/code=..../, 'code=AAAA'),
        forwarded.replace('person=', 'code='),
      ]) {
        const response = await postForm(wrong, '');
        expect([403, 404]).toContain(response.status);
        expect(await response.text()).toMatch(/^<!doctype html>/);
      }
      // Scanners of mails only read the page.
      expect((await fixture.service.call(path)).status).toBe(200);
      expect(await statusesOf(other)).toEqual(['unsubscribed', 'unsubscribed']);
      // A second use changes nothing.
      for (const _ of [1, 2]) expect((await postForm(path, '')).status).toBe(200);
      const [again] = await invite(other, [email]);
      expect(again?.status).not.toBe('unsubscribed');
      await vi.waitFor(() => expect(mailsTo(email)).toHaveLength(2), WAIT_OPTIONS);
    },
  );

  test('is undone by two calls; the code is for its community, and for an hour', async () => {
    const email = `${newName()}@example.org`;
    await unsubscribe(email, 'all');
    const response = await fixture.service.call(CALL, { json: { email } });
    expect([response.status, await response.json()]).toEqual([202, {}]);
    await vi.waitFor(() => expect(mailsTo(email)).toHaveLength(2), WAIT_OPTIONS);
    const url = new URL(pathIn(mailsTo(email)[1]?.text), 'https://badges.example.org');
    const confirmationCode = url.searchParams.get('code') ?? '';
    const confirm = async (code: string) => {
      const { status } = await fixture.service.call(`${CALL}/confirm`, { json: { confirmationCode: code } });
      return [status, (await invite(await createToken(), [email]))[0]?.status];
    };
    const { encryption } = fixture.service.context;
    if (encryption === null) throw new Error('the service has no key');
    const known = readResubscribeCode(encryption, {
      communityId: 'demo',
      code: confirmationCode,
      nowTimestamp: 0,
    });
    if (known === null) throw new Error('the code is wrong');
    const made = (communityId: string, expiresAtTimestamp: number) =>
      makeResubscribeCode(encryption, { communityId, hashes: known, expiresAtTimestamp });
    expect(await confirm('A')).toEqual([403, 'unsubscribed']);
    expect(await confirm(made('demo', Date.now() - 1))).toEqual([403, 'unsubscribed']);
    expect(await confirm(made('other', Date.now() + 60_000))).toEqual([403, 'unsubscribed']);
    expect(await confirm(confirmationCode)).toEqual([200, 'queued']);
  });

  test('brings a mailbox at most 3 mails in 24 hours, and nothing when it is undone', async () => {
    const name = newName();
    const email = `${name}@example.org`;
    await unsubscribe(email, 'community');
    const tags = ['a', 'b', 'c', 'd'].map((tag) => `${name}+${tag}@example.org`);
    for (const address of tags) {
      expect((await fixture.service.call(CALL, { json: { email: address } })).status).toBe(202);
    }
    const sent = () => tags.flatMap(mailsTo);
    await vi.waitFor(() => expect(sent()).toHaveLength(3), WAIT_OPTIONS);
    await passJobs();
    expect(sent()).toHaveLength(3);
    const path = pathIn(sent()[0]?.text);
    expect((await postForm(path, '')).status).toBe(200);
    const before = fixture.mailServer.received.length;
    expect((await fixture.service.call(CALL, { json: { email } })).status).toBe(202);
    await passJobs();
    expect(fixture.mailServer.received.slice(before).map(({ recipient }) => recipient)).not.toContain(email);
  });

  test('is forgotten after an hour, even if the mail cannot be decrypted', async () => {
    const mailId = randomUUID();
    await query(
      fixture.service.databaseUrl,
      `insert into resubscription_mails (mail_id, community_id, recipient, language, public_url, requested_at)
       values ($1, 'demo', '\\x00', 'en', '', now() - interval '61 minutes')`,
      [mailId],
    );
    await passJobs();
    const mails = 'select from resubscription_mails where mail_id = $1';
    await vi.waitFor(
      async () => expect(await query(fixture.service.databaseUrl, mails, [mailId])).toEqual([]),
      WAIT_OPTIONS,
    );
  });

  test('cannot be undone with what is not an address', async () => {
    const page = await postForm('/unsubscribe?community=demo', 'email=ada');
    expect(page.status).toBe(400);
    expect(await page.text()).toContain('This is not an e-mail address');
    expect((await fixture.service.call(CALL, { json: { email: 'ada' } })).status).toBe(400);
  });
});

describe('queued mails', () => {
  // The worker of `service` must not send the mails of these tests.
  const COMMUNITY = 'cancelled';
  let owner = '';
  beforeAll(async () => {
    const community = { uniqId: COMMUNITY, displayId: COMMUNITY, name: 'Cancelled' };
    await fixture.service.call('/v1/communities', { key: fixture.service.adminKey, json: community });
    owner = await createSession(fixture.service, { communityId: COMMUNITY, role: 'owner' });
    fixture.mailServer.refuse = (address) =>
      address.endsWith('@later.example') ? { responseCode: 450, message: 'later' } : null;
  });

  const newEmails = (count: number) => Array.from({ length: count }, () => `${newName()}@later.example`);
  const cancel = (body: object, key = owner) =>
    fixture.api.call(`/v1/communities/${COMMUNITY}/cancelMails`, { key, json: body });

  async function addMember(role: string) {
    const session = await createSession(fixture.service, { communityId: COMMUNITY, role: role as 'issuer' });
    const { address } = await json<{ address: string }>(
      fixture.api.call('/v1/sessions/current', { key: session }),
    );
    return { session, path: `/v1/communities/${COMMUNITY}/members/${address}`, address };
  }

  test('are cancelled for a token, an address or a member, with their links and one audit entry', async () => {
    const member = await addMember('issuer');
    const [tokenId, otherId] = [await createToken(COMMUNITY), await createToken(COMMUNITY)];
    const [first = '', ...others] = newEmails(4);
    await invite(tokenId, [first, ...others]);
    await invite(otherId, [first]);
    await invite(otherId, newEmails(2), member.session);
    expect(await json(cancel({ email: first.toUpperCase() }))).toEqual({ cancelledCount: 2 });
    expect(await json(cancel({ createdByAddress: member.address, tokenId }))).toEqual({ cancelledCount: 0 });
    expect(await json(cancel({ createdByAddress: member.address }))).toEqual({ cancelledCount: 2 });
    expect(await json(cancel({ tokenId }))).toEqual({ cancelledCount: 3 });
    expect(await json(cancel({ tokenId }))).toEqual({ cancelledCount: 0 });
    for (const id of [tokenId, otherId]) {
      expect(new Set([...(await statusesOf(id)), ...(await linksOf(id))])).toEqual(new Set(['revoked']));
    }
    const log = await fixture.api.call(`/v1/auditLog?communityId=${COMMUNITY}&action=cancelMails`, {
      key: owner,
    });
    const text = await log.text();
    expect(text.match(/"action":"cancelMails"/g)).toHaveLength(5);
    expect(text).not.toContain('@');
    const [waiting] = await query<{ count: number }>(
      fixture.service.databaseUrl,
      'select count(*)::int from invitations where community_id = $1 and (next_attempt_at is not null or code is not null)',
      [COMMUNITY],
    );
    expect(waiting?.count).toBe(0);
  });

  test('need at least one field, a right address, and a token of the community', async () => {
    expect((await json<Problem>(cancel({}))).errors).toMatchObject([{ pointer: '' }]);
    expect((await json<Problem>(cancel({ email: 'ada' }))).errors).toMatchObject([{ pointer: '/email' }]);
    expect((await json<Problem>(cancel({ tokenId: await createToken() }))).name).toBe('TokenNotFound');
  });

  test.each([
    ['removed', { method: 'DELETE' }],
    [
      'made a viewer',
      { method: 'PUT', body: '{"role":"viewer"}', headers: { 'Content-Type': 'application/json' } },
    ],
  ])(
    'of a member who is %s are cancelled in the same transaction, unless an owner keeps them',
    async (_what, init) => {
      for (const keepMails of ['', '?keepMails=true']) {
        const member = await addMember('issuer');
        const tokenId = await createToken(COMMUNITY);
        await invite(tokenId, newEmails(keepMails === '' ? 270 : 2), member.session);
        const ended = await fixture.api.call(`${member.path}${keepMails}`, { ...init, key: owner });
        expect(ended.ok).toBe(true);
        const status = keepMails === '' ? 'revoked' : 'queued';
        const found = await query<{ status: string; kept: boolean }>(
          fixture.service.databaseUrl,
          `select distinct case when revoked_at is null then state else 'revoked' end as status,
           created_by is distinct from $2 as kept
         from invitations where token_id = $1`,
          [tokenId, Buffer.from(member.address.slice(2), 'hex')],
        );
        expect(found).toEqual([{ status, kept: keepMails !== '' }]);
        expect(new Set(await linksOf(tokenId))).toEqual(new Set([keepMails === '' ? 'revoked' : 'unused']));
      }
    },
  );

  test('of an API key that is revoked are cancelled, unless an owner keeps them', async () => {
    for (const [keepMails, status] of [
      ['', 'revoked'],
      ['?keepMails=true', 'queued'],
    ]) {
      const { apiKey, apiKeyId } = await createApiKey(fixture.service, COMMUNITY, 'issuer');
      const tokenId = await createToken(COMMUNITY);
      await invite(tokenId, newEmails(2), apiKey);
      const path = `/v1/communities/${COMMUNITY}/apiKeys/${apiKeyId}${keepMails}`;
      expect((await fixture.api.call(path, { method: 'DELETE', key: owner })).status).toBe(204);
      expect(new Set(await statusesOf(tokenId))).toEqual(new Set([status]));
    }
  });

  test('of somebody who has lost the right in another way are not sent', async () => {
    const member = await addMember('issuer');
    const tokenId = await createToken(COMMUNITY);
    const [email = ''] = newEmails(1);
    const [invitation] = (await invite(tokenId, [email], member.session)) as [Invitation];
    await query(fixture.service.databaseUrl, 'delete from members where address = $1', [
      Buffer.from(member.address.slice(2), 'hex'),
    ]);
    await query(
      fixture.service.databaseUrl,
      "update invitations set next_attempt_at = now() - interval '10 minutes' where invitation_id = $1",
      [invitation.invitationId],
    );
    await vi.waitFor(async () => {
      await query(fixture.service.databaseUrl, 'update mail_turns set next_attempt_at = now()');
      expect(await statusesOf(tokenId)).toEqual(['revoked']);
      expect(await linksOf(tokenId)).toEqual(['revoked']);
    }, WAIT_OPTIONS);
  });
});
