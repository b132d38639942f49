import { JUDGES } from '@badge/test-support/credential-judges';
import { test } from 'vitest';
import { expectChangesRejected, serveStatusList } from '../../src/testing/judges.ts';

serveStatusList();

// The programs of others need seconds for this.
test.each(Object.entries(JUDGES))(
  '%s rejects a credential of which any signed member was changed',
  async (_name, judge) => {
    await expectChangesRejected(judge);
  },
);
