import type { Mutant } from './mutant.ts';

const SIGNATURE = 'insertOperations(db: Database, operations: NewOperation[]): Promise<InsertResult[]> {';

export const RESPONSE_BEFORE_COMMIT: Mutant = {
  name: 'response before commit',
  defect: 'The response is sent inside the transaction, which commits 30 ms later.',
  breaks: 'I1',
  changes: {
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
  },
};
