import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@badge/test-support/databases';
import { expect, test } from 'vitest';
import { readConfig } from '../../../packages/service/src/config.ts';
import { exportTo, importFrom } from '../../../packages/service/src/testing/archives.ts';
import { PRODUCTION } from '../service.ts';
import { divideByZipf, makePlan, sizeAt } from './plan.ts';
import { writeArchive } from './write-archive.ts';

const size = sizeAt(0.0005);

test('a generated archive is what an export of its import is, byte by byte', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'badge-generated-'));
  const [file, again] = [join(directory, 'archive.tar'), join(directory, 'again.tar')];
  await writeArchive(file, makePlan(size, 1), () => undefined);
  const config = readConfig({
    ...PRODUCTION,
    LOG_LEVEL: 'silent',
    BADGE_DATA_DIR: directory,
    DATABASE_URL: await createDatabase('empty'),
  });
  await importFrom(file, config);
  await exportTo(again, config);
  expect((await readFile(again)).equals(await readFile(file))).toBe(true);
});

test('a plan has as many of each as its size says, and nobody gets a token twice', () => {
  const plan = makePlan(size, 1);
  const claims = [...plan.receiverOf.entries()].flatMap(([operation, receiver]) =>
    receiver === 0 ? [] : [`${plan.tokenOf[operation]} ${receiver}`],
  );
  expect(new Set(claims).size).toBe(size.claims);
  expect(new Set(claims.map((claim) => claim.split(' ')[1])).size).toBe(size.addresses);
  expect(new Set(plan.communityOf).size).toBe(size.communities);
  expect(Math.max(...plan.ownersOf)).toBe(size.maxOwners);
});

test('the same seed gives the same plan, and another one another', () => {
  expect(makePlan(size, 1)).toEqual({ ...makePlan(size, 1), wayOf: expect.any(Function) });
  expect(makePlan(size, 1).receiverOf).not.toEqual(makePlan(size, 2).receiverOf);
});

test('a few tokens have the most owners, and most have few', () => {
  const { claims, tokens, maxOwners } = sizeAt(1);
  const owners = divideByZipf(claims, tokens, maxOwners);
  expect(owners.reduce((sum, count) => sum + count, 0)).toBe(claims);
  expect(owners.filter((count) => count === maxOwners).length).toBeLessThan(10);
  expect(Math.max(...owners.slice(0, 10))).toBe(maxOwners);
  expect(owners[tokens / 2]).toBeLessThan(claims / tokens / 4);
  expect(owners.at(-1)).toBeGreaterThan(0);
});
