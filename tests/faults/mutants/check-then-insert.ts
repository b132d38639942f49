import { dropConstraint, type Mutant } from './mutant.ts';

export const CHECK_THEN_INSERT: Mutant = {
  name: 'check-then-insert',
  defect:
    'The service first looks for an equal request. If there is none, it inserts the request 300 ms later.',
  breaks: 'I2',
  // Any fault without kills, because both copies of a request must reach a running process at the same time.
  faultFilter: 'clock two hours off',
  prepareSql: dropConstraint('operations', 'UNIQUE (request_identity)'),
  changes: {
    'storage/operations.ts': [
      [
        'let remaining = operations;',
        `let remaining = operations;
  record(await findReplays(db, operations));
  await sql\`select pg_sleep(0.3)\`.execute(db);`,
      ],
      ['on conflict (request_identity) do nothing', ''],
    ],
  },
};
