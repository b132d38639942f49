import type { Mutant } from './mutant.ts';

export const KEY_IN_ANOTHER_TRANSACTION: Mutant = {
  name: 'key in another transaction',
  defect: 'An idempotency key is recorded 300 ms after its operation was committed.',
  breaks: 'I2',
  changes: {
    'storage/operations.ts': [
      ['from proposed where scope is not null', 'from proposed where false'],
      ['as request_ids from keys', 'as request_ids from proposed'],
      [
        '  return new Map(rows.map((row) => [row.operation_id, { operationId: row.operation_id, isReplay: false }]));',
        `  const inserted = rows.map((row) => row.operation_id);
  if (keyUses.some((use) => use !== null)) await sql\`select pg_sleep(0.3)\`.execute(db);
  for (const { operationId, keyUse } of operations) {
    if (!keyUse || !inserted.includes(operationId)) continue;
    const { scope, bodyHash, requestId, response } = keyUse;
    await sql\`
      insert into idempotency_keys (scope, body_hash, request_id, status, headers, body, locked_until)
      values (\${scope}, \${bodyHash}, \${requestId}, \${response.status}, \${JSON.stringify(response.headers)},
        \${response.body}, now()) on conflict do nothing\`.execute(db);
  }
  return new Map(inserted.map((operationId) => [operationId, { operationId, isReplay: false }]));`,
      ],
    ],
  },
};
