import { expect, test } from 'vitest';
import { changesList, collectOutcomes, countPeople, planJob } from './give-job.ts';
import type { LinePlan } from './plan-lines.ts';

const BADGE = { tokenId: 7, signature: null, tokenCreatedAtTimestamp: 1 };

function plan(plans: LinePlan[], isAllowlisted: boolean) {
  const lines = plans.map((_, index) => ({ line: index + 1, name: '', recipient: 'typed', email: '' }));
  return planJob(lines, plans, { ...BADGE, isAllowlisted });
}

test('an e-mail is put on the list before it gets a link', () => {
  const people: LinePlan[] = [
    { kind: 'link', recipient: 'ada@example.org', isListed: false },
    { kind: 'wrong', problem: 'badEmail' },
    { kind: 'list', recipient: '0x1' },
    { kind: 'linked', recipient: 'eve@example.org' },
    { kind: 'link', recipient: 'old@example.org', isListed: true },
  ];
  const { job, parts } = plan(people, true);
  expect(parts.map(({ kind, members }) => [kind, members])).toEqual([
    ['none', [2]],
    ['list', [0, 1]],
    ['link', [0, 3]],
  ]);
  expect(job.people.map(({ recipient }) => recipient)).toEqual([
    'ada@example.org',
    '0x1',
    'eve@example.org',
    'old@example.org',
  ]);
  expect(countPeople(parts)).toBe(3);
  expect(changesList(people, true)).toBe(true);
  expect(changesList(people.slice(-2), true)).toBe(false);
  expect(job.wrongLines).toEqual([{ line: 2, name: '', recipient: 'typed', email: '', problem: 'badEmail' }]);
  expect([...collectOutcomes(parts)]).toEqual([[2, { status: 'skipped', reason: 'linked' }]]);
});

test('whoever is invited is not put on the list', () => {
  const people: LinePlan[] = [
    { kind: 'link', recipient: 'ada@example.org', isListed: false },
    { kind: 'list', recipient: '0x1' },
    { kind: 'invited', recipient: 'eve@example.org' },
    { kind: 'link', recipient: 'old@example.org', isListed: true },
  ];
  const lines = people.map((_, index) => ({ line: index + 1, name: '', recipient: 'typed', email: '' }));
  const invitation = { message: 'Thank you', language: 'es' } as const;
  const { job, parts } = planJob(lines, people, { ...BADGE, isAllowlisted: true, invitation });
  expect(parts.map(({ kind, members }) => [kind, members])).toEqual([
    ['none', [2]],
    ['list', [1]],
    ['invite', [0, 3]],
  ]);
  expect(job.invitation).toEqual(invitation);
  // The creator signs for the entry that the service adds.
  expect(changesList(people, true)).toBe(true);
});

test('a long list is split into parts', () => {
  const links = Array.from(
    { length: 250 },
    (_, index): LinePlan => ({ kind: 'link', recipient: `${index}`, isListed: false }),
  );
  const { parts } = plan(links, false);
  expect(parts.map(({ kind, members }) => [kind, members.length])).toEqual([
    ['link', 100],
    ['link', 100],
    ['link', 50],
  ]);
});
