import type { Mutant } from './mutant.ts';

const PARAMETERS = `(
  db: Database,
  operations: NewOperation[],
): Promise<(InsertResult | Error)[]> {`;

export const RESPONSE_BEFORE_COMMIT: Mutant = {
  name: 'response before commit',
  defect: 'The response is sent inside the transaction, which commits 30 ms later.',
  breaks: 'I1',
  changes: {
    'storage/operations.ts': [
      [
        `export async function insertOperations${PARAMETERS}`,
        `export function insertOperations${PARAMETERS}
  return new Promise((resolve, reject) => {
    db.transaction().execute(async (tx) => {
      resolve(await insertInTransaction(tx, operations));
      await sql\`select pg_sleep(0.03)\`.execute(tx);
    }).catch(reject);
  });
}
async function insertInTransaction${PARAMETERS}`,
      ],
    ],
  },
};
