import type { ImageRenderer } from '@badge/badge-images';
import type { Eip712Domain } from '@badge/protocol';
import type { Logger } from 'pino';
import type { Chain } from './chain/chain.ts';
import type { Ens } from './chain/ens.ts';
import type { EnvironmentName } from './config.ts';
import type { WebhookSender } from './delivery/webhook-sender.ts';
import type { Encryption } from './encryption.ts';
import type { KeptMails } from './mail/kept-mails.ts';
import type { MailResult, MailTransport } from './mail/mail-transport.ts';
import type { Mailbox } from './mail/mailbox.ts';
import type { IssuerKeys } from './signatures/issuer-keys.ts';
import type { KeptAddresses } from './signatures/kept-addresses.ts';
import type { ManagedCreators } from './signatures/managed-creators.ts';
import type { TypedDataHasher } from './signatures/typed-data-hash.ts';
import type { BacklogWatcher } from './storage/backlog-watcher.ts';
import type { OwnedToken, StatusListChoice } from './storage/credentials.ts';
import type { Database, DatabaseTransaction } from './storage/database.ts';
import type { OperationKey, RecordResponse, Repetition } from './storage/idempotency-keys.ts';
import type { LookUps } from './storage/look-ups.ts';
import type { MailLimit } from './storage/mails.ts';
import type { InsertResult, NewOperation } from './storage/operations.ts';
import type { OperationError } from './storage/schema.ts';
import type { TokenChange, TokenChangeReader, TokenChanges } from './storage/token-changes.ts';
import type { Waits } from './storage/waits.ts';

export type {
  DatabaseTransaction,
  OperationError,
  OperationKey,
  RecordResponse,
  Repetition,
  TokenChange,
  TokenChanges,
};

export interface Settings {
  environment: EnvironmentName;
  domain: Eip712Domain;
  /** The base of the absolute URLs in responses, except those of images. Without a trailing slash. */
  publicUrl: string;
  /** The base of the URLs of images. Without a trailing slash. */
  imageUrl: string;
  /** The base of the URLs of new status lists. Without a trailing slash. */
  statusUrl: string;
  /** SHA-256 of the operator's keys: two during a rotation, none in a process without one. */
  adminKeyHashes: Buffer[];
  /** SHA-256 of the keys that may only read the metrics. */
  metricsKeyHashes: Buffer[];
  /** The maximum total size of the files of a community's NFT types. */
  storageQuotaBytes: number;
}

/** How mails are sent. */
export interface MailService {
  transport: MailTransport;
  /** The transport of a sandbox without a mail server, which keeps the mails. */
  kept: KeptMails | null;
  /** The sender of all mails. */
  from: Mailbox;
  /** Null: no limit. */
  limit: MailLimit | null;
}

/** Counts what the metrics show. */
export interface Counters {
  /** A request that was refused because of the backlog. */
  backlogRefusal(): void;
  /** A request of a webhook. */
  webhookRequest(result: 'success' | 'failure'): void;
  /** An attempt to send a mail. */
  mail(result: MailResult['kind']): void;
}

/** The parts of the service that `domain/` and `worker/` may use. */
export interface Context {
  settings: Settings;
  log: Logger;
  typedData: TypedDataHasher;
  /** Null in a process without a seed. */
  managedCreators: ManagedCreators | null;
  /** Null in a process without a seed. */
  issuerKeys: IssuerKeys | null;
  /** Null in a process without a seed. */
  keptAddresses: KeptAddresses | null;
  /** Null in a process without an encryption key. */
  encryption: Encryption | null;
  /** Null in a process that can send no mails. */
  mail: MailService | null;
  /** The chains with endpoints, by id. Contract wallets on other chains cannot be asked. */
  chains: ReadonlyMap<number, Chain>;
  /** Null in a process that does not resolve ENS names. */
  ens: Ens | null;
  /** Sends the requests of webhooks. */
  webhookSender: WebhookSender;
  database: Database;
  transaction<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T>;
  lookUps: LookUps;
  /** Inserts an operation. Concurrent calls share a commit. */
  insertOperation(operation: NewOperation): Promise<InsertResult>;
  /**
   * Records the credential of an owner, as `insertCredentials` does. Concurrent calls share a commit, unless
   * one may wait.
   */
  insertCredential(owner: OwnedToken & { choice: StatusListChoice; mayWait: boolean }): Promise<void>;
  tokenChanges: TokenChangeReader;
  waits: Waits;
  backlogWatcher: BacklogWatcher;
  images: ImageRenderer;
  count: Counters;
}
