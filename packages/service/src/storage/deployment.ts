import { sql } from 'kysely';
import { toAddress } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { findTimeout, UnusableDatabase } from './database-errors.ts';

/**
 * The environment, chain and contract of a database. Its signatures are valid for this chain and contract
 * only.
 */
export interface Deployment {
  environment: 'sandbox' | 'production';
  chainId: number;
  /** 0x and 40 lower-case hex digits. */
  verifyingContract: string;
}

/** Describes a deployment in one line, for messages. */
export function describeDeployment({ environment, chainId, verifyingContract }: Deployment): string {
  return `${environment}, chain ${chainId}, contract ${verifyingContract}`;
}

/** Returns the deployment that is recorded in the database; null if it has no record. */
export async function findDeployment(db: Database): Promise<Deployment | null> {
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('deployment') is not null as found`.execute(db);
  if (tables[0]?.found !== true) return null;
  const row = await db.selectFrom('deployment').selectAll().executeTakeFirst();
  if (row === undefined) return null;
  return {
    environment: row.environment,
    chainId: row.chain_id,
    verifyingContract: `0x${row.verifying_contract.toString('hex')}`,
  };
}

/**
 * Throws `UnusableDatabase` if the database records another deployment. A database without a record is
 * accepted.
 */
export async function checkDeployment(db: Database, configured: Deployment): Promise<void> {
  const recorded = await findDeployment(db);
  if (recorded === null || describeDeployment(recorded) === describeDeployment(configured)) return;
  throw new UnusableDatabase(
    `The database belongs to another deployment (${describeDeployment(recorded)}) than this configuration (${describeDeployment(configured)}). ` +
      'Correct BADGE_ENVIRONMENT, BADGE_CHAIN_ID and BADGE_VERIFYING_CONTRACT, or use another database.',
  );
}

/**
 * Records the deployment if the database has no record. Throws `UnusableDatabase` if it records another one.
 */
export async function recordDeployment(db: Database, configured: Deployment): Promise<void> {
  const { environment, chainId, verifyingContract } = configured;
  await db
    .insertInto('deployment')
    .values({
      environment,
      chain_id: chainId,
      verifying_contract: toAddress(Buffer.from(verifyingContract.slice(2), 'hex')),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
    .catch((error: unknown) => {
      if (findTimeout(error) !== 'lock') throw error;
      // An import is one transaction, which begins with this record.
      throw Object.assign(new Error('An archive is imported into the database: wait until it is complete.'), {
        code: '55P03',
      });
    });
  await checkDeployment(db, configured);
}
