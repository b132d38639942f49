import { dropConstraint, type Mutant } from './mutant.ts';

export const CHECK_THEN_INSERT: Mutant = {
  name: 'check-then-insert',
  defect: 'A duplicate request is looked up first, and inserted 300 ms later if it was not found.',
  breaks: 'I2',
  // No kills: both copies of a request must reach a running process at the same time.
  faultFilter: 'clock two hours off',
  prepareSql: dropConstraint('operations', 'UNIQUE (request_identity)'),
  changes: {
    'storage/operations.ts': [
      [
        'let remaining = operations;',
        `const known = await findExistingOperations(db, operations);
    for (const { operationId, requestIdentity } of operations) {
      const found = known.get(requestIdentity?.toString('hex') ?? '');
      if (found) results.set(operationId, { operationId: found, isReplay: true });
    }
    await sql\`select pg_sleep(0.3)\`.execute(db);
    let remaining = operations.filter(hasNoResult);`,
      ],
      ['on conflict (request_identity) do nothing', ''],
    ],
  },
};
