import { signedToken } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import { auditLogFixture, isTypical } from '../../src/testing/audit-log-fixture.ts';
import { claimProvocations } from '../../src/testing/claim-provocations.ts';
import { expectOperationsAudited } from '../../src/testing/creations.ts';
import { nftTypeProvocations } from '../../src/testing/nft-type-provocations.ts';

const fixture = auditLogFixture();
const { writes, listNewEntries, expectEntry, expectEntriesOfRepetitions, expectNoWriteWithoutEntry } =
  fixture;

describe.each(Object.entries(writes).filter(([, write]) => !isTypical(write)))(
  '%s',
  (_operationId, write) => {
    const others = write.actors.slice(1);
    test.each(others)('leaves one entry with the actor %s', async (actor) => await expectEntry(write, actor));

    test('that is sent three times leaves three entries if a repetition writes again, otherwise one', async () => {
      await expectEntriesOfRepetitions(write);
    });
    test('changes no table if its entry cannot be written', async () => {
      await expectNoWriteWithoutEntry(write);
    });
  },
);

test('rejected requests leave no entry', async () => {
  // These provocations first create tokens, which leave entries. So their entries are not listed here, but
  // compared with the operations in a later test.
  for (const provoke of Object.values(claimProvocations(() => fixture.service))) {
    expect((await provoke()).status).toBeGreaterThanOrEqual(400);
  }
  const json = await signedToken();
  const entries = await listNewEntries(() =>
    Promise.all([
      ...Object.values(nftTypeProvocations(() => fixture.service)).map((provoke) => provoke()),
      fixture.service.call('/v1/tokens', { json }),
      fixture.service.call('/v1/tokens', { json, key: 'wrong' }),
      fixture.service.call('/v1/tokens', { json: { ...json, headline: '' }, key: fixture.service.apiKey }),
      fixture.service.call('/v1/tokens', {
        json: { ...json, headline: 'not signed' },
        key: fixture.service.apiKey,
      }),
      fixture.service.call('/v1/tokens/1', { method: 'PATCH', key: fixture.service.apiKey }),
      fixture.service.call('/v1/communities', { json: { name: 'n' }, key: fixture.service.adminKey }),
      fixture.service.call('/v1/communities', {
        json: { displayId: 'd', name: 'n' },
        key: fixture.service.apiKey,
      }),
      fixture.service.call('/v1/communities/nobody/apiKeys', {
        json: { name: 'n' },
        key: fixture.service.adminKey,
      }),
    ]),
  );
  expect(entries).toEqual([]);
});

test('after all these requests, every operation has exactly one entry', async () => {
  await expectOperationsAudited(fixture.service.databaseUrl);
});
