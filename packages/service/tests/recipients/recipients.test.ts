import type {
  CreatedClaimLink,
  Operation,
  Problem,
  Recipient,
  RecipientHistoryEntry,
  RecipientsPage,
  Token,
} from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import {
  newWallet,
  signedBurn,
  signedClaim,
  signedContributors,
  signTokenId,
} from '@badge/test-support/signing';
import { countWrongTokenCounts } from '@badge/test-support/token-counts';
import { describe, expect, test, vi } from 'vitest';
import { creator, invitationsFixture, newEmail } from '../../src/testing/invitations-fixture.ts';

const fixture = invitationsFixture();
const { createToken, waitForOperation, invite, waitForStatus } = fixture;

const call = (path: string, init: Parameters<typeof fixture.service.call>[1] = {}) =>
  fixture.service.call(path, { key: fixture.service.apiKey, ...init });

async function put(tokenId: number, items: object[]): Promise<Response> {
  return await call(`/v1/tokens/${tokenId}/recipients`, {
    method: 'PUT',
    body: JSON.stringify({ items }),
    headers: { 'Content-Type': 'application/json' },
  });
}

async function patch(tokenId: number, recipientId: string, body: object): Promise<Response> {
  return await call(`/v1/tokens/${tokenId}/recipients/${recipientId}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
}

async function readPage(tokenId: number, search = ''): Promise<RecipientsPage> {
  const response = await call(`/v1/tokens/${tokenId}/recipients${search}`);
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as RecipientsPage;
}

/** The people in the order in which they were added. */
async function list(tokenId: number, filters = ''): Promise<Recipient[]> {
  const { total, data } = await readPage(tokenId, `?order=oldest&limit=1000${filters}`);
  expect(total).toBe(data.length);
  return data;
}

async function history(tokenId: number, recipient: Recipient | undefined): Promise<RecipientHistoryEntry[]> {
  const response = await call(`/v1/tokens/${tokenId}/recipients/${recipient?.recipientId}/history`);
  expect(response.status, await response.clone().text()).toBe(200);
  return ((await response.json()) as { data: RecipientHistoryEntry[] }).data;
}

const readToken = async (tokenId: number) => (await (await call(`/v1/tokens/${tokenId}`)).json()) as Token;

const listed = (...contributors: unknown[]) => ({
  isAllowlistRequired: true,
  totalClaimCount: null,
  contributors,
});

async function send(path: string, json: object): Promise<Operation> {
  const operation = await waitForOperation(await call(path, { json }));
  expect(operation).toMatchObject({ status: 'success' });
  return operation;
}

async function addContributors(tokenId: number, contributors: unknown[]): Promise<Operation> {
  const json = { ...(await signedContributors(tokenId, creator, [])), contributors };
  return await send(`/v1/tokens/${tokenId}/addContributors`, json);
}

async function createLinks(tokenId: number, json: object): Promise<CreatedClaimLink[]> {
  const response = await call(`/v1/tokens/${tokenId}/claimLinks`, { json });
  expect(response.status, await response.clone().text()).toBe(201);
  return ((await response.json()) as { items: CreatedClaimLink[] }).items;
}

const signature = (tokenId: number) => signTokenId(creator, 'AllowlistedAddress', tokenId);

const expectCounts = async () => expect(await countWrongTokenCounts(fixture.service.databaseUrl)).toBe(0);

describe('recipients', () => {
  test('are the people of a list, with the names that creation and addContributors give', async () => {
    const [ada, grace] = [newWallet(), newWallet()];
    const tokenId = await createToken(
      listed(creator.address, { contributor: ada.address, name: 'Ada', note: 'speaks at 9' }, 'handle'),
    );
    expect(await list(tokenId)).toMatchObject([
      { address: ada.address, identifier: null, name: 'Ada', note: 'speaks at 9', email: null },
      { address: null, identifier: 'handle', name: null, way: 'list', status: 'listed' },
    ]);
    await addContributors(tokenId, [
      'handle',
      { contributor: grace.address, name: 'Grace', email: 'grace@example.org' },
      { contributor: ada.address, email: 'ada@example.org' },
    ]);
    const people = await list(tokenId);
    expect(people.map(({ name, email, note }) => [name, email, note])).toEqual([
      ['Ada', 'ada@example.org', 'speaks at 9'],
      [null, null, null],
      ['Grace', 'grace@example.org', null],
    ]);
    expect(await readToken(tokenId)).toMatchObject({
      recipientCount: 3,
      contributorCount: 4,
      isHidden: false,
    });
    await send(`/v1/tokens/${tokenId}/removeContributors`, { contributors: [grace.address] });
    expect(await readToken(tokenId)).toMatchObject({ recipientCount: 2 });
    // The creator counts once it has claimed.
    await send(`/v1/tokens/${tokenId}/claim`, await signedClaim(tokenId, creator));
    expect(await readToken(tokenId)).toMatchObject({ recipientCount: 3 });
    expect(await list(tokenId, '&status=claimed')).toMatchObject([{ address: creator.address, way: 'list' }]);
    await expectCounts();
  });

  test('are the people of links, rooms, open tokens and airdrops, and claims fill in the addresses', async () => {
    const [ada, bob, carol, dan] = [newWallet(), newWallet(), newWallet(), newWallet()];
    const tokenId = await createToken(listed('identified'));
    const links = await createLinks(tokenId, {
      count: 2,
      signature: await signature(tokenId),
      people: [{ name: 'Ada' }, {}],
    });
    const [identified] = await createLinks(tokenId, {
      identifiers: [{ contributor: 'identified', name: 'Iris' }],
    });
    const [room] = await createLinks(tokenId, {
      maxClaims: 5,
      signature: await signature(tokenId),
      expiresAtTimestamp: Date.now() + 3_600_000,
    });
    expect(await list(tokenId)).toMatchObject([
      {
        identifier: 'identified',
        name: 'Iris',
        // It was on the list before, and the link is how it gets the token.
        way: 'link',
        status: 'linked',
        claimLinkId: identified?.claimLinkId,
      },
      { identifier: null, name: 'Ada', way: 'link', status: 'linked', claimLinkId: links[0]?.claimLinkId },
      { identifier: null, name: null, way: 'link', status: 'linked', claimLinkId: links[1]?.claimLinkId },
    ]);
    for (const [wallet, link] of [
      [ada, links[0]],
      [bob, room],
      [carol, identified],
    ] as const) {
      const claim = { claimingAddress: wallet.address, claimCode: link?.code };
      await send(`/v1/tokens/${tokenId}/claim`, claim);
    }
    expect(await list(tokenId, '&status=linked,reserved')).toMatchObject([
      { claimLinkId: links[1]?.claimLinkId },
    ]);
    const statusesOf = async (query: string) =>
      (await readPage(tokenId, `?${query}`)).data.map(({ status }) => status);
    expect(await statusesOf('status=linked,claimed&order=status')).toEqual([
      'linked',
      'claimed',
      'claimed',
      'claimed',
    ]);
    expect(await statusesOf('status=linked,claimed&order=name&search=ADA')).toEqual(['claimed']);
    for (const wrong of ['linked,none', 'linked,', ',linked', 'linked claimed']) {
      const response = await call(`/v1/tokens/${tokenId}/recipients?status=${encodeURIComponent(wrong)}`);
      expect([wrong, response.status]).toEqual([wrong, 400]);
    }
    const [first, second] = links.map((link) => link?.claimLinkId);
    expect(await statusesOf(`claimLinkId=${second},${first}&order=oldest`)).toEqual(['claimed', 'linked']);
    expect(await statusesOf('way=room,reservation')).toEqual(['claimed']);
    const idsOf = async (query: string) => {
      const response = await call(`/v1/tokens/${tokenId}/claimLinks?${query}`);
      return ((await response.json()) as { data: { claimLinkId: string }[] }).data.map(
        (one) => one.claimLinkId,
      );
    };
    const single = [...links, identified].map((link) => link?.claimLinkId);
    expect(await idsOf('isForRoom=true')).toEqual([room?.claimLinkId]);
    expect(await idsOf('isForRoom=false')).toEqual(single);
    expect(await idsOf('order=desc')).toEqual([room?.claimLinkId, ...single.toReversed()]);
    await call(`/v1/tokens/${tokenId}/claimLinks/${links[1]?.claimLinkId}`, { method: 'DELETE' });
    const people = await list(tokenId);
    expect(people.map(({ name, way, status, address }) => [name, way, status, address])).toEqual([
      ['Iris', 'link', 'claimed', carol.address],
      ['Ada', 'link', 'claimed', ada.address],
      [null, 'room', 'claimed', bob.address],
    ]);
    const open = await createToken();
    await send(`/v1/tokens/${open}/claim`, await signedClaim(open, dan));
    expect(await list(open)).toMatchObject([{ way: 'open', status: 'claimed', address: dan.address }]);
    expect(await readToken(open)).toMatchObject({ recipientCount: 1, contributorCount: null });
    await send(`/v1/tokens/${open}/airdrop`, { address: bob.address });
    expect(await list(open, '&way=airdrop')).toMatchObject([{ status: 'claimed', address: bob.address }]);
    await expectCounts();
  });

  test('an address on the list that claims with a link is one person', async () => {
    const [ada, bob] = [newWallet(), newWallet()];
    const tokenId = await createToken(listed({ contributor: ada.address, name: 'Ada' }, bob.address));
    const [first, second] = await createLinks(tokenId, {
      count: 2,
      signature: await signature(tokenId),
      people: [{}, { name: 'Bob' }],
    });
    await send(`/v1/tokens/${tokenId}/claim`, { claimingAddress: ada.address, claimCode: first?.code });
    await send(`/v1/tokens/${tokenId}/claim`, { claimingAddress: bob.address, claimCode: second?.code });
    const people = await list(tokenId);
    expect(people.map(({ name, status, address }) => [name, status, address]).sort()).toEqual([
      ['Ada', 'claimed', ada.address],
      ['Bob', 'claimed', bob.address],
    ]);
    expect(await readToken(tokenId)).toMatchObject({ recipientCount: 2 });
    await expectCounts();
  });

  test('are the people of invitations, from the mail to the claim', async () => {
    const wallet = newWallet();
    const [email, other, third] = [newEmail(), newEmail(), newEmail()];
    const tokenId = await createToken(listed('a'));
    const invited = await invite(tokenId, [email, other, third], { signature: await signature(tokenId) });
    await waitForStatus(tokenId, 'sent', 3);
    const people = await list(tokenId, '&way=invitation');
    expect(people).toMatchObject(
      [email, other, third].map((to, index) => ({
        email: to,
        status: 'invited',
        invitationId: invited[index]?.invitationId,
        claimLinkId: invited[index]?.claimLinkId,
        address: null,
      })),
    );
    expect(people[0]?.sentAtTimestamp).toBeGreaterThan(0);
    const mail = await fixture.waitForMail(email);
    const claimCode = /#([0-9A-Z]{26})/.exec(mail.text ?? '')?.[1];
    await send(`/v1/tokens/${tokenId}/claim`, { claimingAddress: wallet.address, claimCode });
    await call(`/v1/tokens/${tokenId}/invitations/${invited[1]?.invitationId}`, { method: 'DELETE' });
    expect(await list(tokenId, '&way=invitation')).toMatchObject([
      { email, status: 'claimed', address: wallet.address, recipientId: people[0]?.recipientId },
      { email: third, status: 'invited' },
    ]);
    // The list of invitations still says whose the revoked one was.
    expect(await fixture.list(tokenId, '?status=revoked')).toMatchObject([{ email: other }]);
    expect((await history(tokenId, people[0])).map(({ type }) => type)).toEqual(['added', 'sent', 'claimed']);
    // Each mail stays in the history.
    const again = await call(`/v1/tokens/${tokenId}/invitations/${invited[2]?.invitationId}/resend`, {
      json: {},
    });
    expect(again.ok).toBe(true);
    await vi.waitFor(async () => {
      const types = (await history(tokenId, people[2])).map(({ type }) => type);
      expect(types).toEqual(['added', 'sent', 'sent']);
    }, WAIT_OPTIONS);
    // Somebody who is invited again is one person.
    await invite(tokenId, [other], { signature: await signature(tokenId) });
    expect(await list(tokenId, `&search=${other}`)).toHaveLength(1);
    await expectCounts();
  });

  test('keep their state and their history when a token is revoked, reinstated, moved and burnt', async () => {
    const [ada, next, bob] = [newWallet(), newWallet(), newWallet()];
    const tokenId = await createToken(listed({ contributor: ada.address, name: 'Ada' }, bob.address));
    await send(`/v1/tokens/${tokenId}/claim`, await signedClaim(tokenId, ada));
    await send(`/v1/tokens/${tokenId}/owners/${ada.address}/revoke`, { reason: 'by mistake' });
    expect(await list(tokenId, '&status=revoked')).toMatchObject([{ name: 'Ada' }]);
    await send(`/v1/tokens/${tokenId}/owners/${ada.address}/reinstate`, { reason: 'sorry' });
    const [before] = await list(tokenId, '&status=claimed');
    await send(`/v1/tokens/${tokenId}/owners/${ada.address}/move`, {
      toAddress: next.address,
      reason: 'lost',
    });
    expect(await list(tokenId)).toMatchObject([
      { name: 'Ada', status: 'claimed', address: next.address, recipientId: before?.recipientId },
      { name: null, status: 'listed', address: bob.address },
      { name: null, status: 'moved', address: ada.address },
    ]);
    expect(await readToken(tokenId)).toMatchObject({ recipientCount: 2 });
    await send(`/v1/tokens/${tokenId}/owners/${next.address}/move`, {
      toAddress: ada.address,
      reason: 'found',
    });
    expect(await list(tokenId)).toMatchObject([
      { name: 'Ada', status: 'claimed', address: ada.address },
      { name: null, status: 'listed', address: bob.address },
      { name: null, status: 'moved', address: next.address },
    ]);
    // Somebody who is known at the other address stays who he is.
    await send(`/v1/tokens/${tokenId}/owners/${ada.address}/move`, {
      toAddress: bob.address,
      reason: 'given',
    });
    expect(await list(tokenId)).toMatchObject([
      { name: 'Ada', status: 'moved', address: ada.address },
      { name: null, status: 'claimed', address: bob.address },
      { name: null, status: 'moved', address: next.address },
    ]);
    await send(`/v1/tokens/${tokenId}/burn`, await signedBurn(tokenId, bob));
    expect(await list(tokenId, '&status=burnt')).toMatchObject([{ address: bob.address }]);
    const events = await history(tokenId, before);
    expect(events.map(({ type, detail }) => [type, detail])).toEqual([
      ['added', 'list'],
      ['claimed', null],
      ['revoked', 'by mistake'],
      ['reinstated', 'sorry'],
      ['moved', next.address],
      ['moved', ada.address],
      ['moved', bob.address],
    ]);
    await expectCounts();
  });
});

describe('names', () => {
  test('can be said later, of entries and owners, and changed for one person', async () => {
    const owner = newWallet();
    const tokenId = await createToken(listed('handle', creator.address));
    const open = await createToken();
    await send(`/v1/tokens/${open}/claim`, await signedClaim(open, owner));
    expect(await (await put(open, [{ contributor: owner.address, name: 'Olga' }])).json()).toEqual({
      updated: 1,
    });
    expect(await list(open)).toMatchObject([{ name: 'Olga', way: 'open' }]);
    const said = await put(tokenId, [
      { contributor: 'handle', name: 'Hanna', email: 'hanna@example.org' },
      { contributor: creator.address, name: 'The creator' },
    ]);
    expect(await said.json()).toEqual({ updated: 2 });
    const [hanna] = await list(tokenId);
    expect(hanna).toMatchObject({ name: 'Hanna', email: 'hanna@example.org', identifier: 'handle' });
    expect(await readToken(tokenId)).toMatchObject({ recipientCount: 2 });
    const changed = await patch(tokenId, hanna?.recipientId ?? '', { email: null, note: 'two\nlines' });
    expect(await changed.json()).toEqual({ ...hanna, email: null, note: 'two\nlines' });
    await expectCounts();
  });

  test('are written for all or for none', async () => {
    const tokenId = await createToken(listed('known'));
    const response = await put(tokenId, [
      { contributor: 'known', name: 'K' },
      { contributor: 'unknown', name: 'U' },
    ]);
    expect(response.status).toBe(400);
    expect(((await response.json()) as Problem).errors).toMatchObject([{ pointer: '/items/1/contributor' }]);
    expect(await list(tokenId)).toMatchObject([{ identifier: 'known', name: null }]);
    const wrong = await put(tokenId, [{ contributor: 'known', name: 'two\nlines', email: 'no address' }]);
    expect(((await wrong.json()) as Problem).errors).toMatchObject([
      { pointer: '/items/0/name' },
      { pointer: '/items/0/email' },
    ]);
    for (const id of ['x', 'b3b3b3b3-0000-4000-8000-000000000000']) {
      expect((await patch(tokenId, id, { name: 'X' })).status).toBe(404);
    }
  });

  test('the e-mail of somebody with an invitation stays that of the invitation', async () => {
    const email = newEmail();
    const tokenId = await createToken();
    await invite(tokenId, [email]);
    const [person] = await list(tokenId);
    const response = await patch(tokenId, person?.recipientId ?? '', { email: newEmail() });
    expect(response.status).toBe(400);
    expect((await patch(tokenId, person?.recipientId ?? '', { name: 'Ines' })).status).toBe(200);
    expect(await fixture.list(tokenId)).toMatchObject([{ email, name: 'Ines' }]);
  });

  test('a repeated request with other names is another one', async () => {
    const tokenId = await createToken(listed('a'));
    await addContributors(tokenId, [{ contributor: 'b', name: 'One' }]);
    await addContributors(tokenId, [{ contributor: 'b', name: 'Two' }]);
    expect(await list(tokenId, '&search=two')).toMatchObject([{ identifier: 'b' }]);
  });

  test('are refused without an encryption key', async () => {
    const tokenId = await createToken(listed('a'));
    const { context } = fixture.service;
    const { encryption } = context;
    context.encryption = null;
    const names = { contributors: [{ contributor: 'b', name: 'B' }] };
    const responses = [
      await put(tokenId, [{ contributor: 'a', name: 'A' }]),
      await call(`/v1/tokens/${tokenId}/addContributors`, {
        json: { ...(await signedContributors(tokenId, creator, [])), ...names },
      }),
      await call(`/v1/tokens/${tokenId}/claimLinks`, {
        json: { count: 1, signature: await signature(tokenId), people: [{ name: 'C' }] },
      }),
    ];
    context.encryption = encryption;
    for (const response of responses) {
      expect([response.status, ((await response.json()) as Problem).name]).toEqual([
        409,
        'EncryptionUnavailable',
      ]);
    }
  });
});

describe('the list', () => {
  test('is searched by parts of names, e-mails, addresses and identifiers, without case and accents', async () => {
    const wallet = newWallet();
    const tokenId = await createToken(
      listed(
        { contributor: 'one', name: 'Jürgen MÜLLER' },
        { contributor: 'two', name: 'Łucja Strauß', email: 'Lucy@Example.org' },
        { contributor: wallet.address, name: 'أَحْمَد' },
        'Éclair@discord',
        'two\nlines',
      ),
    );
    const find = async (search: string) => {
      const { total, data } = await readPage(tokenId, `?search=${encodeURIComponent(search)}&order=oldest`);
      expect(total).toBe(data.length);
      return data.map(({ identifier, address }) => identifier ?? address);
    };
    expect(await find('muller')).toEqual(['one']);
    expect(await find('gen mül')).toEqual(['one']);
    expect(await find('LUCJA')).toEqual(['two']);
    expect(await find('strauss')).toEqual(['two']);
    expect(await find('lucy@exam')).toEqual(['two']);
    expect(await find('أحمد')).toEqual([wallet.address]);
    expect(await find(wallet.address.slice(4, 20).toUpperCase())).toEqual([wallet.address]);
    expect(await find(` ${wallet.address.toLowerCase()} `)).toEqual([wallet.address]);
    expect(await find(newWallet().address)).toEqual([]);
    const sorted = await readPage(tokenId, `?search=${wallet.address}&order=name`);
    expect(sorted).toMatchObject({ total: 1, data: [{ address: wallet.address }] });
    for (const part of [
      `x${wallet.address.slice(2, 12)}`,
      wallet.address.slice(0, -1),
      wallet.address.slice(-9),
    ]) {
      expect(await find(part)).toEqual([wallet.address]);
    }
    expect(await find('eclair@')).toEqual(['Éclair@discord']);
    expect(await find('o\nli')).toEqual(['two\nlines']);
    expect(await find('nobody')).toEqual([]);
    expect(await find(' ')).toHaveLength(5);
  });

  test('is sorted, filtered, paged with a total, and exported', async () => {
    const tokenId = await createToken(
      listed({ contributor: 'c', name: 'Zoe' }, { contributor: 'b', name: 'ángel' }, 'nameless', {
        contributor: 'a',
        name: 'Berta',
      }),
    );
    await createLinks(tokenId, { identifiers: ['b'] });
    const order = async (query: string) => {
      const { total, data } = await readPage(tokenId, `?${query}`);
      return [total, ...data.map(({ identifier }) => identifier)];
    };
    expect(await order('order=name')).toEqual([4, 'b', 'a', 'c', 'nameless']);
    expect(await order('order=name&limit=2&offset=1')).toEqual([4, 'a', 'c']);
    expect(await order('')).toEqual([4, 'a', 'nameless', 'b', 'c']);
    expect(await order('order=oldest&limit=1&offset=3')).toEqual([4, 'a']);
    expect(await order('order=status&limit=3')).toEqual([4, 'a', 'nameless', 'c']);
    expect(await order('order=status&search=e')).toEqual([4, 'a', 'nameless', 'c', 'b']);
    expect(await order('status=linked')).toEqual([1, 'b']);
    expect(await order('status=linked&search=zoe')).toEqual([0]);
    expect(await order('status=listed&order=name&limit=1')).toEqual([3, 'a']);
    expect(await order('way=link')).toEqual([1, 'b']);
    expect(await order('limit=0')).toEqual([4]);
    const csv = await call(`/v1/tokens/${tokenId}/recipients`, { headers: { Accept: 'text/csv' } });
    const lines = (await csv.text()).trim().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^\uFEFF?recipientId,name,email,identifier,address,note,way,status,/);
    expect(lines[1]).toContain(',Zoe,,c,');
  });

  test('a search in several pieces finds and sorts all', async () => {
    const tokenId = await createToken(listed('a'));
    const contributors = Array.from({ length: 5_000 }, (_, index) => ({
      contributor: `person-${index}`,
      name: `Name ${String((index * 7_919) % 5_000).padStart(4, '0')}`,
    }));
    await addContributors(tokenId, contributors);
    const { total, data } = await readPage(tokenId, '?order=name&offset=2000&limit=3');
    expect(total).toBe(5_001);
    expect(data.map(({ name }) => name)).toEqual(['Name 2000', 'Name 2001', 'Name 2002']);
    const found = await readPage(tokenId, '?search=name%2012&order=name&limit=1');
    expect([found.total, found.data[0]?.name]).toEqual([100, 'Name 1200']);
    const added = await readPage(tokenId, '?search=person-49&order=oldest&offset=110');
    expect(added.total).toBe(111);
    expect(added.data.map(({ identifier }) => identifier)).toEqual(['person-4999']);
  });
});
