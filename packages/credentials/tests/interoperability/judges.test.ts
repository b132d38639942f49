import { JUDGES } from '@badge/test-support/credential-judges';
import { describe, expect, test } from 'vitest';
import {
  expectChangesRejected,
  ourJudge,
  revoke,
  serveStatusList,
  signCredential,
} from '../../src/testing/judges.ts';

serveStatusList();

describe.each(Object.entries({ ...JUDGES, 'this package': ourJudge }))('%s', (_name, judge) => {
  test('accepts a credential, and says that it is revoked once the list says so', async () => {
    revoke([6, 8]);
    const credential = await signCredential();
    expect(await judge(credential)).toBe('valid');
    revoke([6, 7, 8]);
    expect(await judge(credential)).toBe('revoked');
    revoke([]);
  });

  test.each([0, 131_071])('reads the entry %i', async (index) => {
    const credential = await signCredential(index);
    expect(await judge(credential)).toBe('valid');
    revoke([index]);
    expect(await judge(credential)).toBe('revoked');
    revoke([]);
  });
});

test('this package rejects a credential of which any signed member was changed', async () => {
  await expectChangesRejected(ourJudge);
});
