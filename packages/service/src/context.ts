import type { ImageRenderer } from '@badge/badge-images';
import type { Eip712Domain, Role } from '@badge/protocol';
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
import type { ManagedCreators } from './signatures/managed-creators.ts';
import type { TypedDataHasher } from './signatures/typed-data-hash.ts';
import type { ValidApiKey } from './storage/api-keys.ts';
import type { BacklogWatcher } from './storage/backlog-watcher.ts';
import type { ClaimState, ClaimSubject } from './storage/claims.ts';
import type { CredentialState, OwnedToken, StatusListChoice } from './storage/credentials.ts';
import type { Database, DatabaseTransaction } from './storage/database.ts';
import type { EventWatcher } from './storage/event-watcher.ts';
import type { KeyState, KeyUse, OperationKey, RecordResponse, Renewal } from './storage/idempotency-keys.ts';
import type { MailLimit } from './storage/mails.ts';
import type { MemberKey, SignedInAddress } from './storage/members.ts';
import type { OperationWatcher } from './storage/operation-watcher.ts';
import type { InsertResult, NewOperation } from './storage/operations.ts';
import type { OperationError } from './storage/schema.ts';
import type { ValidSession } from './storage/sessions.ts';
import type { TokenChange, TokenChangeReader, TokenChanges } from './storage/token-changes.ts';
import type { TokenSummaryRow } from './storage/tokens.ts';

export type {
  DatabaseTransaction,
  OperationError,
  OperationKey,
  RecordResponse,
  Renewal,
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

/** The parts of the service that `domain/` and `worker/` may use. */
export interface Context {
  settings: Settings;
  log: Logger;
  typedData: TypedDataHasher;
  /** Null in a process without a seed. */
  managedCreators: ManagedCreators | null;
  /** Null in a process without a seed. */
  issuerKeys: IssuerKeys | null;
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
  /** Inserts an operation. Concurrent calls share a commit. */
  insertOperation(operation: NewOperation): Promise<InsertResult>;
  /** Finds a valid API key by its SHA-256. Concurrent calls share a query. */
  findApiKey(hash: Buffer): Promise<ValidApiKey | null>;
  /** Finds a valid session by the SHA-256 of its token. Concurrent calls share a query. */
  findSession(hash: Buffer): Promise<ValidSession | null>;
  /** Returns the role of a member of a community; null for who is not a member. Concurrent calls share a query. */
  findMemberRole(key: MemberKey & SignedInAddress): Promise<Role | null>;
  /** Returns the state of an idempotency key, or null if the key is free. Concurrent calls share a query. */
  findKeyState(use: KeyUse): Promise<KeyState | null>;
  /** Finds the columns of a token that most actions need. Concurrent calls share a query. */
  findToken(tokenId: number): Promise<TokenSummaryRow | undefined>;
  /**
   * Returns the state that decides whether a claim is granted now; undefined if the token does not exist. Concurrent calls
   * share a query.
   */
  findClaimState(claim: ClaimSubject): Promise<ClaimState | undefined>;
  /** Returns what a credential depends on; undefined if the token does not exist. Concurrent calls share a query. */
  findCredentialState(owner: OwnedToken): Promise<CredentialState | undefined>;
  /** Records the credential of an owner, as `insertCredentials` does. Concurrent calls share a commit, unless one may wait. */
  insertCredential(owner: OwnedToken & { choice: StatusListChoice; mayWait: boolean }): Promise<void>;
  tokenChanges: TokenChangeReader;
  operationWatcher: OperationWatcher;
  eventWatcher: EventWatcher;
  backlogWatcher: BacklogWatcher;
  images: ImageRenderer;
  /** Counts a request that was refused because of the backlog. */
  countBacklogRefusal(): void;
  /** Counts a request of a webhook. */
  countWebhookRequest(result: 'success' | 'failure'): void;
  /** Counts an attempt to send a mail. */
  countMail(result: MailResult['kind']): void;
}
