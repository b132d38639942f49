import { describe, test } from 'vitest';
import { lostRightsFixture } from '../../src/testing/lost-rights-fixture.ts';

const { LOSSES, WRITES, quickLosses, expectRejection, ROW_WRITES, expectRejectionAtRow, withIndex } =
  lostRightsFixture();

const otherLosses = (index: number) => LOSSES.filter((loss) => !quickLosses(index).includes(loss));

describe.each(withIndex(WRITES))('%s', (_operationId, write, index) => {
  test.each(otherLosses(index))(
    'is rejected and writes nothing if %s while the request waits',
    async (...loss) => {
      await expectRejection(write, loss);
    },
  );
});

describe.each(withIndex(ROW_WRITES))('%s', (_operationId, write, index) => {
  test.each(otherLosses(index))(
    'is rejected if %s while the request waits for the row of its webhook',
    async (...loss) => {
      await expectRejectionAtRow(write, loss);
    },
  );
});
