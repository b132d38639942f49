import { ERRORS } from '@badge/protocol';
import { describe, expect, test } from 'vitest';
import {
  accessMatrixChecks,
  type Defect,
  methodOf,
  NAMED_ROWS,
  ONE_DEFECT,
  REFUSABLE_ROWS,
  send,
} from '../../src/testing/access-matrix-checks.ts';

const matrix = accessMatrixChecks();
const { rolesFor, oneRolePerOutcome, expectRefusals, expectAcceptance } = matrix;

const TWO_DEFECTS: Defect[][] = [
  ['malformed', 'unknown'],
  ['unknown', 'forged'],
];

describe.each(REFUSABLE_ROWS)('%s', (_name, row) => {
  test('rejects defective requests of every role', async () => {
    await expectRefusals(row, ONE_DEFECT);
  });
});

describe.each(NAMED_ROWS)('%s', (_name, row) => {
  if (row.unknown !== undefined) {
    test('rejects two defects with the error of the first failed check', async () => {
      await expectRefusals(row, TWO_DEFECTS);
    });
  }

  test('accepts every allowed role', async () => {
    await expectAcceptance(row, rolesFor(row));
  });

  if (methodOf(row) === 'GET') {
    test('returns the same status for HEAD, without a body', async () => {
      const { service } = matrix.fixture;
      const request = await row.request(matrix.fixture);
      const sent = oneRolePerOutcome(row).map(async (role) => {
        const { outcome, text } = await send(service, 'HEAD', role, request);
        const expected = role.outcomes[row.access];
        const status = expected === 'allowed' ? row.status : ERRORS[expected].status;
        expect([role.role, outcome, text]).toEqual([role.role, status, '']);
      });
      await Promise.all(sent);
    });
  }
});
