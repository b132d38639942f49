import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newAddress, newWallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../service/src/testing/services.ts';
import { type BadgeClient, createBadgeClient, type IssueResult, type NewToken } from './index.ts';

let service: TestService;
let badge: BadgeClient;
beforeAll(async () => {
  service = await startTestService();
  badge = createBadgeClient({ url: service.url, apiKey: service.apiKey });
});
afterAll(async () => await service.stop());

const WRONG_CHECKSUM = '0x52908400098527886E0F7030069857D2E4169Ee7';
const FIELDS = { communityId: 'demo', headline: 'Speaker 2026', nftTypeId: 'defaultOrangeRed' };
/** The first contributor of each allowlisted token. */
const FIRST = 'first@example.org';
const creator = newWallet();

async function createToken(token: Pick<NewToken, 'totalClaimCount' | 'contributors'>): Promise<number> {
  const operation = await badge.createToken({ ...FIELDS, ...token, signer: creator } as NewToken & {
    signer: typeof creator;
  });
  return (await operation.wait()).tokenId;
}
const createAllowlisted = () => createToken({ contributors: [FIRST] });
const createOpen = (totalClaimCount: number) => createToken({ totalClaimCount });

async function readAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What the service has stored for an allowlisted token, besides its first contributor. */
async function readAllowlist(tokenId: number) {
  const contributors = await readAll(badge.listContributors({ tokenId, limit: 1_000 }));
  const links = await readAll(badge.listClaimLinks({ tokenId, limit: 1_000 }));
  return {
    contributors: contributors.map(({ contributor }) => contributor).filter((text) => text !== FIRST),
    links: links.map(({ identifier, status }) => `${identifier} ${status}`),
    linkIds: links.map(({ claimLinkId }) => claimLinkId),
  };
}

const statusesOf = (results: IssueResult[]) => results.map(({ status }) => status);
const linked = (recipient: string) => ({
  recipient,
  status: 'linked',
  claimLinkId: expect.any(String),
  code: expect.stringMatching(/^[0-9A-Z]{26}$/),
  url: expect.stringContaining('/claim/'),
});

test('on an allowlisted token, addresses are allowlisted, e-mails get a link, and wrong lines are refused', async () => {
  const tokenId = await createAllowlisted();
  const address = newAddress();
  const recipients = [
    address,
    'ada@example.org',
    '0x12',
    WRONG_CHECKSUM,
    ' Ada@Example.org ',
    'Grace Hopper',
    address.slice(2),
    '',
    `${'x'.repeat(250)}@example.org`,
    address.toLowerCase(),
    FIRST,
  ];
  const seen: IssueResult[] = [];
  const results = await badge.issue({
    tokenId,
    recipients,
    signer: creator,
    onResult: (result) => void seen.push(result),
  });
  const refused = (recipient: string, detail: string) => ({
    recipient,
    status: 'refused',
    error: 'InvalidRequest',
    detail: expect.stringContaining(detail),
  });
  expect(results).toEqual([
    { recipient: address, status: 'allowlisted' },
    linked('ada@example.org'),
    refused('0x12', 'is neither'),
    refused(WRONG_CHECKSUM, 'checksum'),
    linked(' Ada@Example.org '),
    refused('Grace Hopper', 'is neither'),
    refused(address.slice(2), 'is neither'),
    refused('', 'is neither'),
    refused(recipients[8] ?? '', 'must have 1 to 256 characters'),
    { recipient: address.toLowerCase(), status: 'allowlisted' },
    linked(FIRST),
  ]);
  // Equal recipients share a link.
  expect(results[4]).toEqual({ ...results[1], recipient: recipients[4] });
  expect(seen).toHaveLength(recipients.length);
  expect(seen).toEqual(expect.arrayContaining(results));
  const stored = await readAllowlist(tokenId);
  expect(stored.contributors).toEqual([address, 'ada@example.org']);
  expect(stored.links).toEqual(['ada@example.org unused', `${FIRST} unused`]);

  const [, { code = '' } = {}] = results as { code?: string }[];
  const claim = await badge.claim({ tokenId, claimingAddress: newAddress(), claimCode: code });
  await claim.wait();

  const again = await badge.issue({ tokenId, recipients, signer: creator });
  expect(statusesOf(again)).toEqual(
    statusesOf(results).map((status) => (status === 'linked' ? 'alreadyIssued' : status)),
  );
  expect(again[1]).toMatchObject({ claimLinkId: stored.linkIds[0] });
  expect(await readAllowlist(tokenId)).toEqual({
    ...stored,
    links: ['ada@example.org used', `${FIRST} unused`],
  });
});

test('an e-mail whose link was revoked gets a new one, and one that has claimed in another way is refused', async () => {
  const tokenId = await createAllowlisted();
  const recipients = ['ada@example.org', FIRST];
  const { items } = await badge.createClaimLinks({ tokenId, identifiers: [FIRST] });
  await badge.revokeClaimLink({ tokenId, claimLinkId: items[0]?.claimLinkId ?? '' });
  const { signature } = await badge.signTokenId({
    primaryType: 'AllowlistedAddress',
    tokenId,
    signer: creator,
  });
  expect(await badge.issue({ tokenId, recipients, signature })).toEqual(recipients.map(linked));

  const other = await createAllowlisted();
  await (await badge.claim({ tokenId: other, claimingAddress: newAddress(), identifier: FIRST })).wait();
  expect(await badge.issue({ tokenId: other, recipients, signer: creator })).toEqual([
    linked('ada@example.org'),
    {
      recipient: FIRST,
      status: 'refused',
      error: 'InvalidRequest',
      detail: 'has already claimed this token',
    },
  ]);
});

test('if the response with the links is lost and one e-mail claims meanwhile, the others get their own links', async () => {
  const tokenId = await createAllowlisted();
  const recipients = ['ada@example.org', 'ben@example.org', 'cai@example.org'];
  let isLost = false;
  const losing = createBadgeClient({
    url: service.url,
    apiKey: service.apiKey,
    fetch: async (...request) => {
      const response = await fetch(...request);
      if (isLost || response.status !== 201) return response;
      isLost = true;
      await (
        await badge.claim({ tokenId, claimingAddress: newAddress(), identifier: 'ada@example.org' })
      ).wait();
      throw new TypeError('the connection was lost');
    },
  });
  const results = await losing.issue({ tokenId, recipients, signer: creator });
  expect(results).toEqual([
    expect.objectContaining({ status: 'refused', detail: 'has already claimed this token' }),
    linked('ben@example.org'),
    linked('cai@example.org'),
  ]);
  const links = await readAll(badge.listClaimLinks({ tokenId, status: 'unused' }));
  expect(links.map(({ identifier, claimLinkId }) => [identifier, claimLinkId])).toEqual(
    results.slice(1).map((result) => [result.recipient, result.status === 'linked' && result.claimLinkId]),
  );
});

test('on an open token, addresses get an airdrop, until none are left, and e-mails are refused', async () => {
  const tokenId = await createOpen(2);
  const [first, second, third] = [newAddress(), newAddress(), newAddress()];
  await (await badge.airdrop({ tokenId, address: first })).wait();
  expect(
    await badge.issue({ tokenId, recipients: [WRONG_CHECKSUM, first, second, 'ada@example.org'] }),
  ).toEqual([
    expect.objectContaining({ status: 'refused', error: 'InvalidRequest' }),
    { recipient: first, status: 'alreadyIssued', claimLinkId: null },
    { recipient: second, status: 'airdropped' },
    expect.objectContaining({ status: 'refused', error: 'AllowlistMismatch' }),
  ]);
  expect(await badge.issue({ tokenId, recipients: [third, second] })).toMatchObject([
    { recipient: third, status: 'refused', error: 'NoTokensLeft' },
    { recipient: second, status: 'alreadyIssued' },
  ]);
  expect(await badge.listClaimLinks({ tokenId })).toMatchObject({ data: [] });
});

test('nothing is sent if the token is unknown, or its creator does not sign', async () => {
  const tokenId = await createAllowlisted();
  const recipients = ['ada@example.org'];
  await expect(badge.issue({ tokenId: 999_999, recipients })).rejects.toMatchObject({
    name: 'TokenNotFound',
  });
  await expect(badge.issue({ tokenId, recipients })).rejects.toThrow(TypeError);
  await expect(badge.issue({ tokenId, recipients, signer: newWallet() })).rejects.toMatchObject({
    name: 'WrongAccount',
  });
  expect((await readAllowlist(tokenId)).contributors).toEqual([]);
});

test('an error that concerns no line makes the remaining lines fail', async () => {
  const tokenId = await createAllowlisted();
  const { signature } = await badge.signTokenId({
    primaryType: 'AllowlistedAddress',
    tokenId,
    signer: newWallet(),
  });
  const recipients = ['', 'ada@example.org', newAddress()];
  expect(await badge.issue({ tokenId, recipients, signature })).toMatchObject([
    { status: 'refused', error: 'InvalidRequest' },
    { recipient: recipients[1], status: 'failed', error: 'NotSignedByCreator' },
    { recipient: recipients[2], status: 'failed', error: 'NotSignedByCreator' },
  ]);
});

test('an abort and an error of onResult end the call, and a second run completes it', async () => {
  const tokenId = await createAllowlisted();
  const recipients = Array.from({ length: 250 }, (_, index) => `person${index}@example.org`);
  const results: IssueResult[] = [];
  const abort = new AbortController();
  const aborted = badge.issue(
    {
      tokenId,
      recipients,
      signer: creator,
      onResult(result) {
        results.push(result);
        if (results.length === 100) abort.abort(new Error('enough'));
      },
    },
    { signal: abort.signal },
  );
  await expect(aborted).rejects.toThrow('enough');
  expect(results).toHaveLength(100);
  const failed = badge.issue({
    tokenId,
    recipients,
    signer: creator,
    onResult: async (result) => {
      if (result.status === 'linked') throw new Error('the disk is full');
    },
  });
  await expect(failed).rejects.toThrow('the disk is full');
  const last = await badge.issue({ tokenId, recipients, signer: creator });
  // The first run has created 100 links, and the second another batch of 100.
  expect(statusesOf(last).filter((status) => status === 'alreadyIssued')).toHaveLength(200);
  expect((await readAllowlist(tokenId)).links).toEqual(recipients.map((email) => `${email} unused`));
});

/** Runs issue() in a process that is killed after this many results. Returns the results. */
async function issueAndKill(issuance: object, killAfter: number): Promise<IssueResult[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'testing/issue-recipients.ts')], {
    env: {
      BADGE_URL: service.url,
      BADGE_API_KEY: service.apiKey,
      ISSUANCE: JSON.stringify({ ...issuance, privateKey: creator.privateKey }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const results: IssueResult[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    results.push(JSON.parse(line));
    if (results.length === killAfter) child.kill('SIGKILL');
  }
  expect((await closed)[1]).toBe('SIGKILL');
  return results;
}

const WRONG = ['ada@', '0x12', WRONG_CHECKSUM, 'Ada'];
/** Whether the recipient at this place of the lists below is wrong: 20 of 1,000 are. */
const isWrong = (_: unknown, index: number) => index % 50 === 0;

function makeRecipients(makeRecipient: (index: number) => string): string[] {
  return Array.from({ length: 1_000 }, (_, index) =>
    isWrong(_, index) ? (WRONG[(index / 50) % WRONG.length] ?? '') : makeRecipient(index),
  );
}

test('after kills, a list of 1,000 for an allowlisted token is complete: one entry and one link each', {
  tags: ['slow'],
  timeout: 180_000,
}, async () => {
  const tokenId = await createAllowlisted();
  const recipients = makeRecipients((index) =>
    index % 2 === 0 ? newAddress() : `person${index}@example.org`,
  );
  const issuance = { tokenId, recipients };
  const known: IssueResult[] = [];
  for (const killAfter of [1, 500, 700]) known.push(...(await issueAndKill(issuance, killAfter)));
  const last = await badge.issue({ ...issuance, signer: creator });

  expect(statusesOf(last.filter(isWrong))).toEqual(Array(20).fill('refused'));
  const valid = recipients.filter((_, index) => !isWrong(_, index));
  const emails = valid.filter((recipient) => recipient.includes('@'));
  const { contributors, links, linkIds } = await readAllowlist(tokenId);
  expect([...contributors].sort()).toEqual([...valid].sort());
  expect(links.sort()).toEqual(emails.map((email) => `${email} unused`).sort());
  // Each kill can lose the codes of one batch.
  const knownIds = [...known, ...last].flatMap((result) =>
    result.status === 'linked' ? result.claimLinkId : [],
  );
  expect(new Set(knownIds).size).toBe(knownIds.length);
  expect(linkIds.length - knownIds.length).toBeLessThanOrEqual(300);
});

test('after kills, a list of 1,000 for an open token is complete: one badge each', {
  tags: ['slow'],
  timeout: 180_000,
}, async () => {
  const tokenId = await createOpen(2_000);
  const recipients = makeRecipients(() => newAddress());
  const issuance = { tokenId, recipients };
  for (const killAfter of [1, 600]) await issueAndKill(issuance, killAfter);
  const last = await badge.issue(issuance);
  const valid = recipients.filter((_, index) => !isWrong(_, index));
  expect(statusesOf(last).filter((status) => status === 'refused')).toHaveLength(20);
  const owners = await readAll(badge.listOwners({ tokenId, limit: 1_000 }));
  expect(owners.map(({ address }) => address).sort()).toEqual([...valid].sort());
  const { claimabilityAttributes } = await badge.getToken({ tokenId });
  expect(claimabilityAttributes.remainingClaimCount).toBe(2_000 - valid.length);
});
