import type { ImageRenderer } from '@badge/badge-images';
import type { Eip712Domain } from '@badge/protocol';
import type { Logger } from 'pino';
import type { EnvironmentName } from './config.ts';
import type { TypedDataHasher } from './signatures/typed-data-hash.ts';
import type { ValidApiKey } from './storage/api-keys.ts';
import type { BacklogWatcher } from './storage/backlog-watcher.ts';
import type { Database, DatabaseTransaction } from './storage/database.ts';
import type { OperationWatcher } from './storage/operation-watcher.ts';
import type { InsertResult, NewOperation } from './storage/operations.ts';
import type { OperationError } from './storage/schema.ts';

export type { DatabaseTransaction, OperationError };

export interface Settings {
  environment: EnvironmentName;
  domain: Eip712Domain;
  /** Bases of the absolute URLs in answers, without a slash at the end. */
  publicUrl: string;
  imageUrl: string;
  /** SHA-256 of the operator's key; null in a process without one. */
  adminKeyHash: Buffer | null;
}

/** What a verb may use. Inside `transaction` it uses the transaction alone, by type. */
export interface Context {
  settings: Settings;
  log: Logger;
  typedData: TypedDataHasher;
  database: Database;
  transaction<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T>;
  /** Writes an accepted operation; calls that come together are one commit. */
  insertOperation(operation: NewOperation): Promise<InsertResult>;
  /** Finds a valid key by its hash; calls that come together are one query. */
  findApiKey(hash: Buffer): Promise<ValidApiKey | null>;
  operationWatcher: OperationWatcher;
  backlogWatcher: BacklogWatcher;
  images: ImageRenderer;
  /** Counts an operation that was refused for the backlog's age. */
  countBacklogRefusal(): void;
}
