import type { Token } from '@badge/protocol';
import { newAddress } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleFiles } from '../../../../tests/acceptance/sample-files.ts';
import {
  arrivingPerson,
  arrivingToken,
  IMPORTER,
  importInto,
  pictureOf,
} from '../../src/testing/arrivals.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

const json = async <T>(path: string) => (await (await service.call(path)).json()) as T;

async function tokenOf(id: string): Promise<Token> {
  const [row] = await query<{ token_id: string }>(
    service.databaseUrl,
    'select token_id from tokens where imported_id = $1',
    [id],
  );
  return await json(`/v1/tokens/${row?.token_id}`);
}

test('a badge arrives with its picture and its owner, and only once', async () => {
  const png = Buffer.from(sampleFiles['image/png'] ?? []);
  const token = arrivingToken({ headline: 'Arrived', picture: pictureOf(png) });
  const arrivals = [token, arrivingPerson(token, { address: newAddress() })];
  const first = await importInto(service, arrivals);
  const { tokenId, importedFrom, createdByAddress, imageUrl } = await tokenOf(token.source.id);
  expect(first.lines).toEqual([`imported: token ${tokenId}`, 'imported: has the badge']);
  expect(importedFrom).toEqual({ ...token.source, importedAtTimestamp: expect.any(Number) });
  expect(createdByAddress.toLowerCase()).toBe(IMPORTER);
  const picture = await service.call(new URL(imageUrl).pathname);
  expect(Buffer.from(await picture.arrayBuffer()).equals(png)).toBe(true);
  const again = await importInto(service, arrivals);
  expect(again.lines).toEqual([`skipped: is there already as token ${tokenId}`, 'skipped: is there already']);
  expect(again.result).toEqual({ lines: 2, imported: 0, skipped: 2, problems: 0 });
});
