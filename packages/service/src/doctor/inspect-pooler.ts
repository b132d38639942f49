import { type DatabaseConnection, openDatabase } from '../storage/database.ts';
import { findPoolerProblem } from '../storage/pooler.ts';
import { type Finding, ok, problem } from './finding.ts';

const CHECK = 'BADGE_POOLER_URL';

/**
 * Checks that the pooler leads to the same database as `connection`, and that its sessions have the right
 * settings.
 */
export async function inspectPooler(connection: DatabaseConnection, poolerUrl: string): Promise<Finding> {
  const options = { connections: 1, mayBeReadOnly: true };
  const direct = openDatabase(connection, () => undefined, options);
  const pooled = openDatabase({ connectionString: poolerUrl, isPooler: true }, () => undefined, options);
  try {
    const poolerProblem = await findPoolerProblem(direct, pooled, { mayEndSession: false });
    return poolerProblem === null
      ? ok(CHECK, 'leads to the same database, and its sessions have the right settings')
      : problem(CHECK, poolerProblem.found, poolerProblem.advice);
  } catch (error) {
    return problem(CHECK, `cannot be compared with DATABASE_URL: ${(error as Error).message}`, 'check both');
  } finally {
    await Promise.all([direct.destroy(), pooled.destroy()]);
  }
}
