import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newAddress } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import type { IssueResult } from './index.ts';
import { creator, issueFixture, readAll, statusesOf, WRONG_CHECKSUM } from './testing/issue-fixture.ts';

const fixture = issueFixture();
const { createAllowlisted, createOpen, readAllowlist } = fixture;

/** Runs issue() in a process that is killed after this many results. Returns the results. */
async function issueAndKill(issuance: object, killAfter: number): Promise<IssueResult[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'testing/issue-recipients.ts')], {
    env: {
      BADGE_URL: fixture.service.url,
      BADGE_API_KEY: fixture.service.apiKey,
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
  timeout: 180_000,
}, async () => {
  const tokenId = await createAllowlisted();
  const recipients = makeRecipients((index) =>
    index % 2 === 0 ? newAddress() : `person${index}@example.org`,
  );
  const issuance = { tokenId, recipients };
  const known: IssueResult[] = [];
  for (const killAfter of [1, 500, 700]) known.push(...(await issueAndKill(issuance, killAfter)));
  const last = await fixture.badge.issue({ ...issuance, signer: creator });

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
  timeout: 180_000,
}, async () => {
  const tokenId = await createOpen(2_000);
  const recipients = makeRecipients(() => newAddress());
  const issuance = { tokenId, recipients };
  for (const killAfter of [1, 600]) await issueAndKill(issuance, killAfter);
  const last = await fixture.badge.issue(issuance);
  const valid = recipients.filter((_, index) => !isWrong(_, index));
  expect(statusesOf(last).filter((status) => status === 'refused')).toHaveLength(20);
  const owners = await readAll(fixture.badge.listOwners({ tokenId, limit: 1_000 }));
  expect(owners.map(({ address }) => address).sort()).toEqual([...valid].sort());
  const { claimabilityAttributes } = await fixture.badge.getToken({ tokenId });
  expect(claimabilityAttributes.remainingClaimCount).toBe(2_000 - valid.length);
});
