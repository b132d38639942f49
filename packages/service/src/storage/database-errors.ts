import pg from 'pg';

export const READ_ONLY_TRANSACTION = '25006';

/**
 * The server is a standby or read-only. Its data may be old, so requests and the worker do not use a
 * connection to it.
 */
export class DatabaseReadOnly extends Error {
  override name = 'DatabaseReadOnly';
  readonly code = READ_ONLY_TRANSACTION;
}

/**
 * This process must not use the database: its version, encoding, migrations, deployment or pooler are wrong.
 */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase';
}

const TRANSIENT_CLASSES = [
  '08', // connection
  '53', // insufficient resources, such as a full disk
  '57', // intervention of the operator, such as a shutdown or a timeout
  '58', // error outside of PostgreSQL, such as I/O
  '40', // rollback of the transaction, such as a deadlock
  '55', // object not ready, such as a lock timeout
];
const TRANSIENT_CODES = [
  READ_ONLY_TRANSACTION, // on a standby that is not promoted yet
  '25P03', // idle-in-transaction timeout
];
const NETWORK_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT', // the server's Unix socket does not exist
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
];

/**
 * Whether an error says that the database cannot execute the query now: it is unreachable, stopping, full or
 * read-only, or a timeout or deadlock ended the query. The same query can succeed later. False if the query
 * itself is wrong.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (NETWORK_CODES.includes(code)) return true;
  if (/^[0-9A-Z]{5}$/.test(code)) {
    return TRANSIENT_CODES.includes(code) || TRANSIENT_CLASSES.includes(code.slice(0, 2));
  }
  // Some errors of `pg` and Kysely have no code.
  return /timeout|Connection terminated|Client has encountered a connection error|Client was closed|pool after calling end|driver has already been destroyed/.test(
    error.message,
  );
}

/**
 * Whether an error says that the address of the database accepts no new connection, as when a load balancer
 * finds no primary. False if the server responds that it is busy or full, and if DNS cannot resolve the name
 * at the moment.
 */
export function isConnectionRefused(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionRefused);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : '';
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || error.message.includes('Connection terminated');
}

/**
 * Returns the timeout that ended a statement: of its run time (`statement`) or of its wait for a lock
 * (`lock`).
 */
export function findTimeout(error: unknown): 'statement' | 'lock' | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code === '57014') return 'statement'; // query_canceled
  return error.code === '55P03' ? 'lock' : undefined; // lock_not_available
}

/** Whether a pooler has rejected the connection because of its startup parameters. */
export function isRejectedByPooler(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '08P01' && error.message.includes('startup');
}

const CERTIFICATE_CODES = [
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/**
 * Throws the error of a failed connection. If this process refuses the server's certificate, the message says
 * so; Node's message does not.
 */
export function throwConnectionError(error: unknown): never {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  if (!CERTIFICATE_CODES.includes(String(error.code))) throw error;
  throw new Error(`The TLS certificate of the database server is refused: ${error.message.trim()}`, {
    cause: error,
  });
}
