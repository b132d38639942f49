import type { Changes } from './rewrite.ts';

const SIGNATURE = 'insertOperations(db: Database, operations: NewOperation[]): Promise<InsertResult[]> {';

/** The answer leaves inside the transaction, which commits a moment later. */
export const ANSWER_BEFORE_COMMIT: Changes = {
  'storage/operations.ts': [
    [
      `export async function ${SIGNATURE}`,
      `export function ${SIGNATURE}
  return new Promise((resolve, reject) => {
    db.transaction().execute(async (tx) => {
      resolve(await insertInTransaction(tx, operations));
      await sql\`select pg_sleep(0.03)\`.execute(tx);
    }).catch(reject);
  });
}
async function insertInTransaction(db: Database, operations: NewOperation[]): Promise<InsertResult[]> {`,
    ],
  ],
};
