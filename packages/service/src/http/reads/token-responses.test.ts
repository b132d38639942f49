import { expect, test } from 'vitest';
import { createTokenResponses, type Dependency } from './token-responses.ts';

const ANY_ID = { lowestId: Number.NEGATIVE_INFINITY, highestId: Number.POSITIVE_INFINITY };
const range = (lowestId: number, highestId = lowestId) => ({ lowestId, highestId });
/** The dependency of a response that contains only this token, and that no other token can join. */
const onToken = (id: number): Dependency => ({
  content: range(id),
  membership: range(id),
  hasOwners: false,
});
const changeOf = (id: number) => ({ ...range(id), changesLists: false, isOfOwners: false });

function createResponses({ maxBytes = 1e6, catchUp = async () => true } = {}) {
  const responses = createTokenResponses(catchUp, maxBytes);
  const put = (key: string, dependency: Dependency, body = key) =>
    responses.read(key, async () => ({
      response: body,
      stored: { body: Buffer.from(body), dependency },
    }));
  /** Returns the body as text. If no response is found, this is the text `undefined`. */
  const find = async (key: string) => String(await responses.find(key));
  return { ...responses, put, find };
}

test('a response is found until one of its tokens changes', async () => {
  const { put, find, apply } = createResponses();
  await put('token 1', onToken(1));
  await put('token 2', onToken(2));
  expect(await find('token 1')).toBe('token 1');
  apply([changeOf(1)]);
  expect(await find('token 1')).toBe('undefined');
  expect(await find('token 2')).toBe('token 2');
});

test.each([
  ['a change of a token in the page drops', { lowestId: 12, highestId: 12, changesLists: false }, false],
  ['a change of a token before the page keeps', { lowestId: 9, highestId: 9, changesLists: false }, true],
  ['hiding a token before the page drops', { lowestId: 9, highestId: 9, changesLists: true }, false],
  ['a new token after the page keeps', { lowestId: 21, highestId: 21, changesLists: true }, true],
  [
    'a change of tokens before, in and after the page drops',
    { lowestId: 1, highestId: 99, changesLists: false },
    false,
  ],
])('%s a full page with the tokens 10 to 20', async (_title, change, isKept) => {
  const { put, find, apply } = createResponses();
  await put('page', { content: range(10, 20), membership: { ...ANY_ID, highestId: 20 }, hasOwners: false });
  apply([{ ...change, isOfOwners: false }]);
  expect((await find('page')) === 'page').toBe(isKept);
});

test('a change of the owners of a token drops only responses that contain its owners', async () => {
  const { put, find, apply } = createResponses();
  for (const id of [1, 2]) await put(`owners ${id}`, { ...onToken(id), hasOwners: true });
  await put('token 1', onToken(1));
  apply([{ ...changeOf(1), isOfOwners: true }]);
  expect(await find('owners 1')).toBe('undefined');
  expect(await find('owners 2')).toBe('owners 2');
  expect(await find('token 1')).toBe('token 1');
});

test('a read that began before a change and returns the old state is not stored', async () => {
  const { read, find, apply } = createResponses();
  const isRead = Promise.withResolvers<void>();
  const reading = read('token 1', async () => {
    await isRead.promise;
    return { response: 'old', stored: { body: Buffer.from('old'), dependency: onToken(1) } };
  });
  apply([changeOf(1)]);
  isRead.resolve();
  expect(await reading).toBe('old');
  expect(await find('token 1')).toBe('undefined');
});

test('a read that began before a change of another token is stored', async () => {
  const { put, find, apply } = createResponses();
  const reading = put('token 1', onToken(1));
  apply([changeOf(2)]);
  await reading;
  expect(await find('token 1')).toBe('token 1');
});

test('a response is not stored if more than 1,000 changes arrive while it is read; other responses are kept and stored', async () => {
  const { read, put, find, apply } = createResponses();
  await put('token 1', onToken(1));
  const isRead = Promise.withResolvers<void>();
  const slowRead = read('token 2', async () => {
    await isRead.promise;
    return { response: 'token 2', stored: { body: Buffer.from('token 2'), dependency: onToken(2) } };
  });
  for (let id = 10; id <= 1_010; id += 1) apply([changeOf(id)]);
  const overlappingRead = put('token 3', onToken(3));
  apply([changeOf(1_011)]);
  await overlappingRead;
  isRead.resolve();
  await slowRead;
  expect([await find('token 1'), await find('token 2'), await find('token 3')]).toEqual([
    'token 1',
    'undefined',
    'token 3',
  ]);
});

test('unknown changes drop all stored responses, and a response that is being read is not stored', async () => {
  const { put, find, apply } = createResponses();
  await put('stored', { ...onToken(1), membership: ANY_ID });
  const reading = put('read', { ...onToken(2), membership: ANY_ID });
  apply('unknown');
  await reading;
  expect([await find('stored'), await find('read')]).toEqual(['undefined', 'undefined']);
});

test('a response that is dropped while the changes are read is not returned', async () => {
  const isCaughtUp = Promise.withResolvers<boolean>();
  const { put, find, apply } = createResponses({ catchUp: () => isCaughtUp.promise });
  await put('token 1', onToken(1));
  const finding = find('token 1');
  apply([changeOf(1)]);
  isCaughtUp.resolve(true);
  expect(await finding).toBe('undefined');
});

test('no response is returned if the changes cannot be read', async () => {
  const { put, find } = createResponses({ catchUp: async () => false });
  await put('token 1', onToken(1));
  expect(await find('token 1')).toBe('undefined');
});

test('the responses have at most the given size; the least recently used are dropped first', async () => {
  // Each response counts as 4 KiB more than its body, so two fit.
  const { put, find } = createResponses({ maxBytes: 32 * 1024 });
  const body = 'x'.repeat(8 * 1024);
  for (const id of [1, 2]) await put(`token ${id}`, onToken(id), body);
  expect(await find('token 1')).toBe(body);
  await put('token 3', onToken(3), body);
  expect([await find('token 1'), await find('token 2')]).toEqual([body, 'undefined']);
});

test('a failed read stores nothing and passes the error on', async () => {
  const { read, find } = createResponses();
  await expect(read('token 1', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await find('token 1')).toBe('undefined');
});
