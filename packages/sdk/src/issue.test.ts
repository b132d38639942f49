import { newAddress, newWallet } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { createBadgeClient, type IssueResult } from './index.ts';
import {
  creator,
  FIRST,
  issueFixture,
  readAll,
  statusesOf,
  WRONG_CHECKSUM,
} from './testing/issue-fixture.ts';

const fixture = issueFixture();
const { createAllowlisted, createOpen, readAllowlist } = fixture;

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
  const results = await fixture.badge.issue({
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
  const claim = await fixture.badge.claim({ tokenId, claimingAddress: newAddress(), claimCode: code });
  await claim.wait();

  const again = await fixture.badge.issue({ tokenId, recipients, signer: creator });
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
  const { items } = await fixture.badge.createClaimLinks({ tokenId, identifiers: [FIRST] });
  await fixture.badge.revokeClaimLink({ tokenId, claimLinkId: items[0]?.claimLinkId ?? '' });
  const { signature } = await fixture.badge.signTokenId({
    primaryType: 'AllowlistedAddress',
    tokenId,
    signer: creator,
  });
  expect(await fixture.badge.issue({ tokenId, recipients, signature })).toEqual(recipients.map(linked));

  const other = await createAllowlisted();
  await (
    await fixture.badge.claim({ tokenId: other, claimingAddress: newAddress(), identifier: FIRST })
  ).wait();
  expect(await fixture.badge.issue({ tokenId: other, recipients, signer: creator })).toEqual([
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
    url: fixture.service.url,
    apiKey: fixture.service.apiKey,
    fetch: async (...request) => {
      const response = await fetch(...request);
      if (isLost || response.status !== 201) return response;
      isLost = true;
      await (
        await fixture.badge.claim({ tokenId, claimingAddress: newAddress(), identifier: 'ada@example.org' })
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
  const links = await readAll(fixture.badge.listClaimLinks({ tokenId, status: 'unused' }));
  expect(links.map(({ identifier, claimLinkId }) => [identifier, claimLinkId])).toEqual(
    results.slice(1).map((result) => [result.recipient, result.status === 'linked' && result.claimLinkId]),
  );
});

test('on an open token, addresses get an airdrop, until none are left, and e-mails are refused', async () => {
  const tokenId = await createOpen(2);
  const [first, second, third] = [newAddress(), newAddress(), newAddress()];
  await (await fixture.badge.airdrop({ tokenId, address: first })).wait();
  expect(
    await fixture.badge.issue({ tokenId, recipients: [WRONG_CHECKSUM, first, second, 'ada@example.org'] }),
  ).toEqual([
    expect.objectContaining({ status: 'refused', error: 'InvalidRequest' }),
    { recipient: first, status: 'alreadyIssued', claimLinkId: null },
    { recipient: second, status: 'airdropped' },
    expect.objectContaining({ status: 'refused', error: 'AllowlistMismatch' }),
  ]);
  expect(await fixture.badge.issue({ tokenId, recipients: [third, second] })).toMatchObject([
    { recipient: third, status: 'refused', error: 'NoTokensLeft' },
    { recipient: second, status: 'alreadyIssued' },
  ]);
  expect(await fixture.badge.listClaimLinks({ tokenId })).toMatchObject({ data: [] });
});

test('nothing is sent if the token is unknown, or its creator does not sign', async () => {
  const tokenId = await createAllowlisted();
  const recipients = ['ada@example.org'];
  await expect(fixture.badge.issue({ tokenId: 999_999, recipients })).rejects.toMatchObject({
    name: 'TokenNotFound',
  });
  await expect(fixture.badge.issue({ tokenId, recipients })).rejects.toThrow(TypeError);
  await expect(fixture.badge.issue({ tokenId, recipients, signer: newWallet() })).rejects.toMatchObject({
    name: 'WrongAccount',
  });
  expect((await readAllowlist(tokenId)).contributors).toEqual([]);
});

test('an error that concerns no line makes the remaining lines fail', async () => {
  const tokenId = await createAllowlisted();
  const { signature } = await fixture.badge.signTokenId({
    primaryType: 'AllowlistedAddress',
    tokenId,
    signer: newWallet(),
  });
  const recipients = ['', 'ada@example.org', newAddress()];
  expect(await fixture.badge.issue({ tokenId, recipients, signature })).toMatchObject([
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
  const aborted = fixture.badge.issue(
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
  const failed = fixture.badge.issue({
    tokenId,
    recipients,
    signer: creator,
    onResult: async (result) => {
      if (result.status === 'linked') throw new Error('the disk is full');
    },
  });
  await expect(failed).rejects.toThrow('the disk is full');
  const last = await fixture.badge.issue({ tokenId, recipients, signer: creator });
  // The first run has created 100 links, and the second another batch of 100.
  expect(statusesOf(last).filter((status) => status === 'alreadyIssued')).toHaveLength(200);
  expect((await readAllowlist(tokenId)).links).toEqual(recipients.map((email) => `${email} unused`));
});
