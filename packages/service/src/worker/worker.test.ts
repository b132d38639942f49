import { query } from '@badge/test-support/sql';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Body, newBodies, workerFixture } from '../testing/worker-fixture.ts';

const fixture = workerFixture();
const { workers, startWorker, accept, waitUntilFinal, listTokenIds, holdTokenCounter, waitForBlockedWorker } =
  fixture;

const idOf = (location: string) => location.split('/').at(-1);

describe.each([
  ['in a batch with others', 5],
  ['alone in its batch', 1],
])('an operation that cannot be settled, %s', (_title, count) => {
  let locations: string[];
  let bodies: Body[];
  let invalidLocation: string;
  let invalidBody: Body;

  beforeEach(async () => {
    bodies = await newBodies(count);
    locations = await Promise.all(bodies.map(accept));
    const invalidIndex = Math.floor(count / 2);
    invalidLocation = locations[invalidIndex] ?? '';
    invalidBody = bodies[invalidIndex] as Body;
    await query(
      fixture.api.databaseUrl,
      "update operations set request = request - 'headline' where operation_id = $1",
      [idOf(invalidLocation)],
    );
    await startWorker();
  });

  test('ends in error with a problem object, and the others succeed', async () => {
    const otherLocations = locations.filter((location) => location !== invalidLocation);
    const operations = await Promise.all(otherLocations.map(waitUntilFinal));
    expect(operations.map(({ status }) => status)).toEqual(otherLocations.map(() => 'success'));
    expect(operations.map(({ resourceId }) => resourceId).sort()).toEqual(
      otherLocations.map((_, index) => index + 1),
    );
    const detail =
      'The operation could not be settled because of an internal error. The request may be sent again.';
    expect(await waitUntilFinal(invalidLocation)).toEqual({
      operationId: idOf(invalidLocation),
      operationType: 'createToken',
      status: 'error',
      resourceId: null,
      txHash: null,
      error: {
        type: expect.stringContaining('/docs/errors#InternalError'),
        title: 'Internal error',
        status: 500,
        detail,
        instance: invalidLocation,
        name: 'InternalError',
        error: detail,
      },
      warnings: [],
      createdAtTimestamp: expect.any(Number),
      completedAtTimestamp: expect.any(Number),
    });
  });

  test('can be sent again as a new operation', async () => {
    expect((await waitUntilFinal(invalidLocation)).status).toBe('error');
    const again = await accept(invalidBody);
    expect(again).not.toBe(invalidLocation);
    expect((await waitUntilFinal(again)).status).toBe('success');
    expect((await waitUntilFinal(invalidLocation)).status).toBe('error');
    await Promise.all(locations.map(waitUntilFinal));
    expect(await listTokenIds()).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });
});

test('two workers settle every operation exactly once', async () => {
  const locations = await Promise.all((await newBodies(30)).map(accept));
  await Promise.all([startWorker(), startWorker()]);
  const operations = await Promise.all(locations.map(waitUntilFinal));
  expect(new Set(operations.map(({ status }) => status))).toEqual(new Set(['success']));
  expect(new Set(operations.map(({ resourceId }) => resourceId)).size).toBe(30);
  expect(await listTokenIds()).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});

test('a worker settles its current batch before it stops', async () => {
  const lockClient = await holdTokenCounter();
  const locations = await Promise.all((await newBodies(3)).map(accept));
  const worker = await startWorker();
  await waitForBlockedWorker();
  const stopped = worker.stop();
  workers.splice(0);
  await lockClient.end();
  await stopped;
  const rows = await query(fixture.api.databaseUrl, "select from operations where status = 'success'");
  expect(rows).toHaveLength(locations.length);
});
