import { BadgeApiError } from '@badge/sdk';
import { expect, test } from 'vitest';
import { emptyFields, type Fields } from './draft.ts';
import { findServiceProblems, readFields } from './read-fields.ts';

const rules = { communityId: 'demo', nftTypeIds: ['a'], reservedNames: ['isHidden'] };
const read = (fields: Partial<Fields>) =>
  readFields({ ...emptyFields('a'), headline: 'A', ...fields }, rules);

test('empty lines of the form become nothing, and the errors of the service find the others', () => {
  const { token, problems, fieldOf } = read({
    links: ['', 'https://example.org', ' '],
    attributes: [
      { name: '', type: 'string', value: '' },
      { name: 'track', type: 'string', value: 'web' },
    ],
  });
  expect(problems.size).toBe(0);
  expect(token.links).toEqual(['https://example.org']);
  expect(token.customAttributes).toEqual([{ fieldName: 'track', type: 'string', value: 'web' }]);
  const problem = {
    name: 'InvalidRequest',
    status: 400,
    title: '',
    detail: '',
    errors: [
      { pointer: '/links/0', detail: 'one' },
      { pointer: '/message/description', detail: 'two' },
      { pointer: '/customAttributes/0/value', detail: 'three' },
      { pointer: '/contributors/7', detail: 'four' },
      { pointer: '', detail: 'five' },
    ],
  } as unknown as ConstructorParameters<typeof BadgeApiError>[0];
  const found = findServiceProblems(new BadgeApiError(problem), fieldOf);
  expect([...found.keys()]).toEqual(['links.1', 'description', 'attributes.1.value']);
});

test('criteria are sent only if there are any', () => {
  expect(read({ criteria: 'Gave a talk.' }).token.criteria).toBe('Gave a talk.');
  expect(read({ criteria: ' ' }).token).not.toHaveProperty('criteria');
  expect([...read({ criteria: 'x'.repeat(1_001) }).problems.keys()]).toEqual(['criteria']);
});

test('a badge ends on a day or some days after its claim, and never unless one of them is given', () => {
  const { token } = read({ validUntil: { day: '2999-01-31', time: '' } });
  // The end of the day, in the time zone of the browser.
  expect(token.validUntilTimestamp).toBe(new Date('2999-02-01T00:00').getTime());
  expect(read({ validityDays: ' 365 ' }).token.validityDays).toBe(365);
  expect(read({}).token).not.toHaveProperty('validUntilTimestamp');
  expect(read({}).token).not.toHaveProperty('validityDays');
});

test.each([
  [{ validityDays: '0' }, 'validityDays', 'days'],
  [{ validityDays: '36501' }, 'validityDays', 'days'],
  [{ validityDays: '1.5' }, 'validityDays', 'days'],
  [{ validityDays: '7', validUntil: { day: '2999-01-31', time: '' } }, 'validityDays', 'twoEnds'],
  [{ validUntil: { day: '', time: '10:00' } }, 'validUntil', 'date'],
  [{ headline: ' ' }, 'headline', 'missing'],
  [{ nftTypeId: 'deleted' }, 'nftTypeId', 'design'],
  [{ count: '1e3' }, 'count', 'count'],
  [{ claimUntil: { day: '', time: '10:00' } }, 'claimUntil', 'date'],
  [{ claimFrom: { day: '', time: '10:00' } }, 'claimFrom', 'date'],
  [
    { claimFrom: { day: '2099-01-02', time: '' }, claimUntil: { day: '2099-01-01', time: '' } },
    'claimUntil',
    'startAfterEnd',
  ],
  [{ attributes: [{ name: ' ISHIDDEN', type: 'string', value: 'a' }] }, 'attributes.0.name', 'reserved'],
  [{ attributes: [{ name: 'n', type: 'number', value: '1 000' }] }, 'attributes.0.value', 'number'],
] as [Partial<Fields>, string, string][])('%j: %s is wrong (%s)', (fields, field, name) => {
  expect([...read(fields).problems].map(([key, problem]) => [key, problem.name])).toEqual([[field, name]]);
});
