import type { Changes } from './rewrite.ts';

const SIGNATURE = 'acceptOperations(db: Database, operations: NewOperation[]): Promise<Acceptance[]> {';

/** The answer leaves inside the transaction, which commits a moment later. */
export const ANSWER_BEFORE_COMMIT: Changes = {
  'storage/operations.ts': [
    [
      `export async function ${SIGNATURE}`,
      `export function ${SIGNATURE}
  return new Promise((resolve, reject) => {
    db.transaction().execute(async (tx) => {
      resolve(await acceptInTransaction(tx, operations));
      await sql\`select pg_sleep(0.03)\`.execute(tx);
    }).catch(reject);
  });
}
async function acceptInTransaction(db: Database, operations: NewOperation[]): Promise<Acceptance[]> {`,
    ],
  ],
};
