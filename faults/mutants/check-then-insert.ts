import type { Changes } from './rewrite.ts';

/** A request's duplicate is looked for, and what is not found is inserted a moment later. */
export const CHECK_THEN_INSERT: Changes = {
  'storage/operations.ts': [
    [
      'let open = operations;',
      `for (const [identity, operationId] of await findByIdentity(db, operations)) {
      accepted.set(identity, { operationId });
    }
    await sql\`select pg_sleep(0.1)\`.execute(db);
    const byIdentity = new Map(operations.map((operation) => [hex(operation), operation]));
    let open = [...byIdentity.values()].filter((operation) => !accepted.has(hex(operation)));`,
    ],
    ['on conflict (request_identity) do nothing', ''],
  ],
};
