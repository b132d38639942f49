import { BadgeApiError, type BadgeClient, type ContributorEntry } from '@badge/sdk';
import { expect, test } from 'vitest';
import { collectOutcomes, type JobInvitation, type JobPart, planJob } from './give-job.ts';
import { countTold } from './notification-counts.ts';
import type { LinePlan } from './plan-lines.ts';
import { runJob } from './run-job.ts';

const HOUR_MS = 3_600_000;

/** A job for an allowlisted badge with these e-mails, and what happens when it runs against a client. */
function prepare(emails: string[], invitation: JobInvitation | null = null) {
  const plans = emails.map((recipient): LinePlan => ({ kind: 'link', isListed: false, recipient }));
  const lines = emails.map((recipient, index) => ({
    line: index + 1,
    name: index === 0 ? 'Ada'.repeat(50) : '',
    recipient,
    email: '',
    language: index === 0 ? 'Español' : 'fr',
  }));
  const badge = { tokenId: 7, isAllowlisted: true, signature: '0x', tokenCreatedAtTimestamp: 1, invitation };
  const { job, parts } = planJob(lines, plans, badge);
  const stored = new Map(parts.map((part) => [part.index, part]));
  const run = (client: Partial<BadgeClient>, caller = 'apiKey/1') =>
    runJob(job, [...stored.values()], {
      badge: client as BadgeClient,
      caller,
      signal: new AbortController().signal,
      keepTrying: (call) => call(),
      savePart: async (part) => {
        stored.set(part.index, part);
      },
    });
  const change = (index: number, fields: Partial<JobPart>) => {
    const part = stored.get(index);
    if (part !== undefined) stored.set(index, { ...part, ...fields });
  };
  return { run, change, outcomes: () => [...collectOutcomes([...stored.values()]).values()], stored };
}

const done = async () => ({ wait: async () => ({}) }) as never;
const textOf = (entry: ContributorEntry) => (typeof entry === 'string' ? entry : entry.contributor);
const linksFor = (identifiers: readonly string[]) =>
  ({ items: identifiers.map((identifier) => ({ identifier, url: `https://x/${identifier}` })) }) as never;

test('whatever was under way is sent again with the same body and key', async () => {
  const { run, outcomes } = prepare(['a@x.org', 'b@x.org']);
  const sent: unknown[] = [];
  let isLost = true;
  const client: Partial<BadgeClient> = {
    addContributors: done,
    createClaimLinks: async (links, options) => {
      sent.push([links, options?.idempotencyKey]);
      if (isLost) throw new Error('lost');
      return linksFor((links.identifiers ?? []).map(textOf));
    },
  };
  await expect(run(client)).rejects.toThrow('lost');
  isLost = false;
  await run(client);
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual(sent[0]);
  expect(outcomes()).toEqual([
    { status: 'linked', url: 'https://x/a@x.org' },
    { status: 'linked', url: 'https://x/b@x.org' },
  ]);
  await run({});
});

test.each([
  ['another caller', 'apiKey/2', 0],
  ['a day later', 'apiKey/1', 24 * HOUR_MS],
])('%s cannot send a key again, so the lost links are revoked first', async (_case, caller, ageMs) => {
  const { run, change } = prepare(['a@x.org']);
  await expect(
    run({ addContributors: done, createClaimLinks: () => Promise.reject(new Error('lost')) }),
  ).rejects.toThrow('lost');
  const sentAtTimestamp = Date.now() - ageMs;
  change(1, { sentAtTimestamp });
  const links = [
    { claimLinkId: 'lost', identifier: 'A@x.org', createdAtTimestamp: sentAtTimestamp + 1 },
    { claimLinkId: 'older', identifier: 'a@x.org', createdAtTimestamp: sentAtTimestamp - HOUR_MS },
    { claimLinkId: 'other', identifier: 'c@x.org', createdAtTimestamp: sentAtTimestamp + 1 },
  ];
  const calls: string[] = [];
  await run(
    {
      listClaimLinks: () => ({ [Symbol.asyncIterator]: () => links.values() }) as never,
      revokeClaimLink: async ({ claimLinkId }) => {
        calls.push(`revoke ${claimLinkId}`);
      },
      createClaimLinks: async ({ identifiers }, options) => {
        calls.push(`create ${options?.idempotencyKey?.slice(-2)}`);
        return linksFor((identifiers ?? []).map(textOf));
      },
    },
    caller,
  );
  expect(calls).toEqual(['revoke lost', 'create -2']);
});

test('people whom the service rejects are left out, and the others get theirs', async () => {
  const { run, outcomes } = prepare(['a@x.org', 'b@x.org', 'c@x.org']);
  const reject = (pointer: string) =>
    new BadgeApiError({
      type: '',
      title: '',
      name: 'InvalidRequest',
      status: 400,
      detail: 'no',
      errors: [{ pointer, detail: 'is not allowed' }],
    } as never);
  const sent: unknown[] = [];
  await run({
    addContributors: async (addition) => {
      sent.push(addition.contributors.map(textOf));
      if (addition.contributors.length === 3) throw reject('/contributors/1');
      return await done();
    },
    createClaimLinks: async ({ identifiers = [] }) => {
      const texts = identifiers.map(textOf);
      sent.push(texts);
      if (texts[0] === 'a@x.org') throw reject('/identifiers/0');
      return linksFor(texts);
    },
  });
  expect(sent).toEqual([
    ['a@x.org', 'b@x.org', 'c@x.org'],
    ['a@x.org', 'c@x.org'],
    ['a@x.org', 'c@x.org'],
    ['c@x.org'],
  ]);
  const refused = { status: 'refused', error: 'InvalidRequest', detail: 'is not allowed' };
  expect(outcomes().sort((a, b) => a.status.localeCompare(b.status))).toEqual([
    { status: 'linked', url: 'https://x/c@x.org' },
    refused,
    refused,
  ]);
});

test('the service is told who people are, and without an encryption key only whom the badge is for', async () => {
  const { run, outcomes } = prepare(['a@x.org', 'b@x.org']);
  const unavailable = { type: '', title: '', name: 'EncryptionUnavailable', status: 409, detail: 'no key' };
  const sent: [unknown, string | null | undefined][] = [];
  let hasKey = true;
  const client: Partial<BadgeClient> = {
    addContributors: async ({ contributors }, options) => {
      sent.push([contributors, options?.idempotencyKey]);
      if (!hasKey && typeof contributors[0] !== 'string') throw new BadgeApiError(unavailable as never);
      return await done();
    },
    createClaimLinks: async ({ identifiers = [] }) => {
      sent.push([identifiers, undefined]);
      return linksFor(identifiers.map(textOf));
    },
  };
  await run(client);
  const named = [
    { contributor: 'a@x.org', name: 'Ada'.repeat(50).slice(0, 100), email: 'a@x.org' },
    { contributor: 'b@x.org', email: 'b@x.org' },
  ];
  expect(sent.map(([people]) => people)).toEqual([named, named]);
  expect(outcomes().map(({ status }) => status)).toEqual(['linked', 'linked']);

  sent.length = 0;
  hasKey = false;
  const nameless = prepare(['a@x.org', 'b@x.org']);
  await nameless.run(client);
  const texts = ['a@x.org', 'b@x.org'];
  expect(sent.map(([people]) => people)).toEqual([named, texts, texts]);
  // A refusal leaves the key free.
  expect(sent[0]?.[1]).toBe(sent[1]?.[1]);
  expect(nameless.outcomes().map(({ status }) => status)).toEqual(['linked', 'linked']);
});

test('owners who got the badge at once are named, and keep it if the service takes no names', async () => {
  const people = ['1', '2'].map((digit) => `0x${digit.repeat(40)}`);
  const plans = people.map((recipient): LinePlan => ({ kind: 'airdrop', recipient }));
  const lines = people.map((recipient, index) => ({
    line: index + 1,
    name: index === 0 ? 'Ada' : '',
    recipient,
    email: index === 0 ? 'a@x.org' : '',
  }));
  const badge = { tokenId: 7, isAllowlisted: false, signature: null, tokenCreatedAtTimestamp: 1 };
  const { job, parts } = planJob(lines, plans, badge);
  const stored = new Map(parts.map((part) => [part.index, part]));
  const named: unknown[] = [];
  await runJob(job, parts, {
    badge: {
      airdrop: done,
      setRecipients: async ({ items }: { items: unknown }) => {
        named.push(items);
        throw new BadgeApiError({ name: 'EncryptionUnavailable', status: 409, detail: 'no key' } as never);
      },
    } as never,
    caller: 'apiKey/1',
    signal: new AbortController().signal,
    keepTrying: (call) => call(),
    savePart: async (part) => {
      stored.set(part.index, part);
    },
  });
  expect(named).toEqual([[{ contributor: people[0], name: 'Ada', email: 'a@x.org' }]]);
  const outcomes = [...collectOutcomes([...stored.values()]).values()];
  expect(outcomes).toEqual([{ status: 'given' }, { status: 'given' }]);
});

test.each([
  ['the same caller', 'apiKey/1', '-1'],
  ['another caller', 'apiKey/2', '-2'],
])(
  'invitations whose response was lost are sent again by %s, and revoke nothing',
  async (_case, caller, key) => {
    const { run, outcomes } = prepare(['a@x.org', 'b@x.org', 'c@x.org'], { message: 'Hi', language: 'ar' });
    const sent: [unknown, string | null | undefined][] = [];
    const statuses = ['sent', 'claimed', 'unsubscribed'] as const;
    let isLost = true;
    const client: Partial<BadgeClient> = {
      createInvitations: async (invitations, options) => {
        sent.push([invitations, options?.idempotencyKey]);
        if (isLost) throw new Error('lost');
        const items = invitations.recipients.map(({ email }, index) => ({ email, status: statuses[index] }));
        return { items } as never;
      },
    };
    await expect(run(client)).rejects.toThrow('lost');
    isLost = false;
    await run(client, caller);
    expect(sent[0]?.[0]).toEqual({
      tokenId: 7,
      recipients: [
        { email: 'a@x.org', name: `${'Ada'.repeat(33)}A`, language: 'es' },
        { email: 'b@x.org', name: null, language: 'ar' },
        { email: 'c@x.org', name: null, language: 'ar' },
      ],
      message: 'Hi',
      signature: '0x',
    });
    expect(sent[1]?.[0]).toEqual(sent[0]?.[0]);
    expect(sent[1]?.[1]?.endsWith(key)).toBe(true);
    expect(outcomes()).toEqual([
      { status: 'invited' },
      { status: 'skipped', reason: 'has' },
      { status: 'skipped', reason: 'unsubscribed' },
    ]);
  },
);

test('people whom the service does not invite are left out, and it can take two for one', async () => {
  const { run, outcomes } = prepare(['a@x.org', 'b@x.org', 'B@x.org.'], { message: '', language: 'en' });
  const problem = { pointer: '/recipients/0/email', detail: 'has already claimed this token' };
  const rejection = {
    type: '',
    title: '',
    name: 'InvalidRequest',
    status: 400,
    detail: 'no',
    errors: [problem],
  };
  await run({
    createInvitations: async ({ recipients, message }) => {
      expect(message).toBe(null);
      if (recipients.length === 3) throw new BadgeApiError(rejection as never);
      return { items: [{ email: 'b@x.org', status: 'queued' }] } as never;
    },
  });
  expect(outcomes()).toEqual([
    { status: 'refused', error: 'InvalidRequest', detail: 'has already claimed this token' },
    { status: 'invited' },
    { status: 'invited' },
  ]);
});

test('whoever is on the list is told after that, with the address, and stays on it if there is no mail', async () => {
  const [told, refusing, claimed, clash] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}`);
  const wallets = [told, refusing, claimed, clash].map((recipient = '') => recipient);
  const plans = wallets.map((recipient): LinePlan => ({ kind: 'list', recipient, told: 'mail' }));
  plans.push({ kind: 'list', recipient: `0x${'5'.repeat(40)}`, told: 'wallet' });
  const lines = plans.map((_, index) => ({
    line: index + 1,
    name: '',
    recipient: '',
    email: index === 4 ? '' : `${index}@x.org`,
  }));
  const invitation = { message: '', language: 'es', timeZone: 'Europe/Madrid' } as const;
  const badge = { tokenId: 7, isAllowlisted: true, signature: '0x', tokenCreatedAtTimestamp: 1, invitation };
  const { job, parts } = planJob(lines, plans, badge);
  expect(parts.map(({ kind, members }) => [kind, members])).toEqual([
    ['list', [0, 1, 2, 3, 4]],
    ['tell', [0, 1, 2, 3]],
  ]);
  const stored = new Map(parts.map((part) => [part.index, part]));
  const calls: unknown[] = [];
  let isLost = true;
  const client: Partial<BadgeClient> = {
    addContributors: async ({ contributors }) => {
      calls.push(contributors.length);
      return await done();
    },
    createInvitations: async (body) => {
      const { recipients } = body;
      calls.push(body);
      if (isLost) throw new Error('lost');
      if (recipients.length === 4) {
        const errors = [{ pointer: '/recipients/3/address', detail: 'has an invitation for another e-mail' }];
        throw new BadgeApiError({
          type: '',
          title: '',
          name: 'InvalidRequest',
          status: 400,
          errors,
        } as never);
      }
      const statuses = ['queued', 'unsubscribed', 'claimed'];
      return {
        items: recipients.map(({ address }, index) => ({ address, status: statuses[index] })),
      } as never;
    },
  };
  const run = () =>
    runJob(job, [...stored.values()], {
      badge: client as BadgeClient,
      caller: 'apiKey/1',
      signal: new AbortController().signal,
      keepTrying: (call) => call(),
      savePart: async (part) => {
        stored.set(part.index, part);
      },
    });
  await expect(run()).rejects.toThrow('lost');
  // Those who are to be told are not done yet.
  expect([...collectOutcomes([...stored.values()])]).toEqual([[4, { status: 'listed' }]]);
  isLost = false;
  await run();
  expect(calls.slice(0, 2)).toEqual([
    5,
    {
      tokenId: 7,
      recipients: wallets.map((address, index) => ({
        email: `${index}@x.org`,
        address,
        name: null,
        language: 'es',
      })),
      message: null,
      signature: null,
      timeZone: 'Europe/Madrid',
    },
  ]);
  expect(calls[2]).toEqual(calls[1]);
  const outcomes = collectOutcomes([...stored.values()]);
  expect(Object.fromEntries(outcomes)).toEqual({
    0: { status: 'told' },
    1: { status: 'listed', untold: 'unsubscribed' },
    2: { status: 'skipped', reason: 'has' },
    3: { status: 'listed', untold: 'taken' },
    4: { status: 'listed' },
  });
  expect(countTold(job.people, outcomes)).toMatchObject({ mail: 1, unsubscribed: 1, taken: 1, wallet: 1 });
});
