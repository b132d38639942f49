import { describe, test } from 'vitest';
import { operatorOnly } from '../operator.ts';
import { badInputChecks, splitRows } from './check-rows.ts';
import { sections } from './sections.ts';

describe.skipIf(operatorOnly.isSkipped)(`bad input${operatorOnly.titleSuffix}`, () => {
  const { expectResponse, expectUnchangedData } = badInputChecks();

  describe.each(sections)('$title', ({ rows }) => {
    test.concurrent.each(splitRows(rows).others)('$call: $case: $response', expectResponse);
  });

  test('no rejected request has changed stored data', expectUnchangedData);
});
