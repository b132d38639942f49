import type {
  AuditEntry,
  BadgeImport,
  ChosenEventType,
  CustomAttribute,
  EventType,
  Operation,
  Recipient,
  RequestError,
  Role,
  TokenIdMessageName,
  WebhookAttempt,
  WebhookDeliveryStatus,
} from '@badge/protocol';
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { ContractEvidence } from '../signatures/contract-evidence.ts';

/** The columns of the tables after all migrations. Tables that are used only in raw SQL may be missing. */
export interface Tables {
  communities: {
    community_id: string;
    display_id: string;
    name: string;
    description: string;
    logo_url: string | null;
    /** The owners. A trigger adds them to `members`, and removes those who are no longer here. */
    admin_addresses: Generated<Address[]>;
    created_at: Generated<Date>;
    claim_link_count: Generated<number>;
    /** The address of the key that the service keeps for the community, if it keeps one. */
    managed_creator: Generated<Address | null>;
    /** The chain of the contract wallets. Null: the chain of the signing domain. */
    contract_wallet_chain_id: Generated<number | null>;
    /** In days, as the next one. */
    remind_unclaimed_after: Generated<number[]>;
    remind_before_expiry: Generated<number[]>;
  };
  api_keys: {
    api_key_id: string;
    community_id: string;
    key_hash: Buffer;
    prefix: string;
    name: string;
    created_at: Generated<Date>;
    expires_at: Date | null;
    revoked_at: Date | null;
    role: Generated<Role>;
    /** The member with whose session, or with whose key, the key was created. */
    created_by: Address | null;
  };
  members: {
    community_id: string;
    address: Address;
    /** The owners are those in `communities.admin_addresses`. */
    role: Role;
    sequence: GeneratedAlways<number>;
    added_at: Generated<Date>;
  };
  sessions: {
    session_id: string;
    token_hash: Buffer;
    /** Null for a session by e-mail. */
    address: Address | null;
    /** Null for a session by wallet. */
    email_hash: Buffer | null;
    /** Personal. Encrypted. Null for a session by wallet. */
    encrypted_email: Buffer | null;
    nonce: string;
    created_at: Generated<Date>;
    expires_at: Date;
    ended_at: Date | null;
    /** If a contract wallet has signed in: what it has confirmed. The session counts on this chain only. */
    evidence: JSONColumnType<ContractEvidence> | null;
  };
  operations: {
    operation_id: string;
    sequence: Generated<number>;
    operation_type: Operation['operationType'];
    status: Generated<Operation['status']>;
    community_id: string;
    api_key_id: string | null;
    request_identity: Buffer | null;
    request: JSONColumnType<object> | null;
    request_bytes: number;
    resource_id: number | null;
    tx_hash: string | null;
    error: JSONColumnType<OperationError> | null;
    created_at: Generated<Date>;
    completed_at: Date | null;
    /** What the client should know about the request, although it was accepted. Null: nothing. */
    warnings: JSONColumnType<RequestError[]> | null;
  };
  signatures: {
    operation_id: string;
    primary_type: TokenIdMessageName;
    token_id: number;
    signer: Address;
    signature: Buffer;
    typed_data_version: Generated<string>;
    evidence: JSONColumnType<ContractEvidence> | null;
  };
  tokens: {
    token_id: number;
    /** Null, as is the signature, if the token was imported. */
    operation_id: string | null;
    community_id: string;
    creator: Address;
    headline: string;
    description: string;
    start_timestamp: number | null;
    end_timestamp: number | null;
    links: JSONColumnType<string[]>;
    nft_type_id: string;
    is_signature_required: boolean;
    is_allowlist_required: boolean;
    total_claim_count: number | null;
    remaining_claim_count: number | null;
    expiration_timestamp: number | null;
    custom_attributes: JSONColumnType<CustomAttribute[]>;
    signature: Buffer | null;
    created_at: Date;
    is_hidden: Generated<boolean>;
    asset_content_type: string | null;
    typed_data_version: Generated<string>;
    evidence: JSONColumnType<ContractEvidence> | null;
    /** What somebody has done for the badge. */
    criteria: string | null;
    claimable_from_timestamp: number | null;
    /** When the token ends for its owners. */
    valid_until: Date | null;
    /** How many days after its claim the token ends. */
    validity_days: number | null;
    /** The token to which everybody was moved; if it is replaced too, the last one. */
    replaced_by_token_id: number | null;
    replaced_at: Date | null;
    /** Which badge of which other service the token was, and its page there. */
    imported_service: string | null;
    imported_id: string | null;
    imported_url: string | null;
    imported_at: Date | null;
  };
  /**
   * The counts of tokens. Triggers on the claims and on the allowlist entries keep those of allowlisted
   * tokens; the writes of recipients keep the number of people.
   */
  token_counts: {
    token_id: number;
    claimed_count: number;
    contributor_count: number;
    recipient_count: Generated<number>;
  };
  token_counter: { is_only_row: Generated<boolean>; last_token_id: number };
  allowlist_entries: {
    token_id: number;
    contributor_key: Buffer;
    identifier: string | null;
    /** The ENS name that was added for an address. */
    ens_name: string | null;
    position: number;
    added_at: Date;
  };
  claims: {
    token_id: number;
    address: Address;
    contributor_key: Buffer | null;
    /** Null if the owner was imported. */
    operation_id: string | null;
    claimed_at: Date;
    /** When the address lost the token, in whatever way. */
    burnt_at: Date | null;
    burn_operation_id: string | null;
    /** How the address lost the token. Null: it has burnt it, or it holds it. */
    ending: 'revoked' | 'moved' | 'replaced' | null;
    /** When the address got the token, if it did not claim it: by a move or a reinstatement. */
    status_changed_at: Date | null;
    /** The address that this one got the token from, if the community moved it. */
    moved_from: Address | null;
    /** When the token ends, if it was renewed for this owner. */
    renewed_until: Date | null;
    /** The last end that an event has announced. */
    announced_end: Date | null;
  };
  recipients: {
    recipient_id: Generated<string>;
    sequence: GeneratedAlways<number>;
    token_id: number;
    contributor_key: Buffer;
    way: Recipient['way'];
    /** Who can claim the token, has it, or has had it. */
    address: Address | null;
    identifier: string | null;
    claim_link_id: string | null;
    invitation_id: string | null;
    /** Encrypted, as are the e-mail and the note. */
    name: Buffer | null;
    email: Buffer | null;
    note: Buffer | null;
    /** The keyed hash of the e-mail. */
    email_hash: Buffer | null;
    added_at: Date;
    /** The address lost the token by a move. The person has another row. */
    is_former: Generated<boolean>;
    removed_at: Date | null;
  };
  claim_link_signatures: {
    claim_link_signature_id: string;
    token_id: number;
    signer: Address;
    signature: Buffer;
    typed_data_version: Generated<string>;
    created_at: Generated<Date>;
    evidence: JSONColumnType<ContractEvidence> | null;
  };
  claim_links: {
    claim_link_id: string;
    sequence: GeneratedAlways<number>;
    token_id: number;
    contributor_key: Buffer;
    identifier: string | null;
    code_hash: Buffer;
    claim_link_signature_id: string | null;
    created_at: Generated<Date>;
    expires_at: Date | null;
    revoked_at: Date | null;
    /** Null: a link for one claim. */
    max_claims: number | null;
    claim_count: Generated<number>;
    starts_at: Date | null;
    paused_at: Date | null;
    is_signature_required: Generated<boolean>;
    max_claims_per_client: number | null;
    /** No claim is left. */
    is_used: Generated<boolean>;
    has_clients: Generated<boolean>;
    /** The token that the code was made for, if another one has replaced it. Null: `token_id`. */
    made_for_token_id: number | null;
    /** The link of the invitation, if this is one of a reminder. */
    further_of: string | null;
  };
  assets: {
    asset_id: string;
    content_type: string;
    size_bytes: number;
    piece_bytes: number;
    content_hash: Buffer;
    created_at: Generated<Date>;
  };
  asset_pieces: { asset_id: string; piece: number; bytes: Buffer };
  transfers: {
    transfer_id: Generated<number>;
    kind: 'export' | 'import';
    community_id: string;
    /** `accepted`: its operation is not settled yet. */
    status: Generated<'accepted' | Operation['status']>;
    parameters: JSONColumnType<object>;
    asset_id: string | null;
    percent: number | null;
    line_count: Generated<number>;
    imported_count: Generated<number>;
    skipped_count: Generated<number>;
    problem_count: Generated<number>;
    problems: JSONColumnType<BadgeImport['problems']> | null;
    plan: JSONColumnType<NonNullable<BadgeImport['plan']>> | null;
    error: string | null;
    download_count: Generated<number>;
    created_at: Generated<Date>;
    completed_at: Date | null;
    expires_at: Date;
    leased_until: Date | null;
    attempt_count: Generated<number>;
  };
  nft_types: {
    community_id: string;
    nft_type_id: string;
    sequence: Generated<number>;
    name: string;
    alias: string | null;
    asset_id: string | null;
    created_at: Generated<Date>;
    deleted_at: Date | null;
    /** The type is deleted, but a token shows its asset, so the asset stays. */
    is_asset_kept: Generated<boolean>;
    /** The size of the asset that was removed from a deleted type; null if none was. */
    removed_bytes: number | null;
    removed_at: Date | null;
  };
  deployment: {
    is_only_row: Generated<boolean>;
    environment: 'sandbox' | 'production';
    chain_id: number;
    verifying_contract: Address;
    recorded_at: Generated<Date>;
  };
  idempotency_keys: {
    scope: Buffer;
    body_hash: Buffer;
    request_id: string;
    status: number | null;
    headers: JSONColumnType<Record<string, string>> | null;
    body: string | null;
    created_at: Generated<Date>;
    locked_until: Date;
  };
  /** Events that have a place in the feed. */
  events: {
    position: number;
    event_id: string;
    community_id: string;
    type: EventType;
    /** Addresses are in hex without 0x. */
    data: JSONColumnType<Record<string, unknown>>;
    created_at: Date;
  };
  webhooks: {
    webhook_id: string;
    sequence: GeneratedAlways<number>;
    community_id: string;
    encrypted_url: Buffer;
    /**
     * The member who created it, or was the last to change its URL or its secret. Null: the operator, or
     * unknown.
     */
    created_by: Address | null;
    /** The member who has set the URL. Null: the operator, or unknown. */
    url_set_by: Address | null;
    /** The member who has made the secret. Null: the operator, or unknown. */
    secret_made_by: Address | null;
    /** Since when one of these members is no longer an owner, so that nothing is sent. */
    maker_left_at: Date | null;
    name: string;
    /** Null: all types. */
    events: ChosenEventType[] | null;
    encrypted_secret: Buffer;
    encrypted_former_secret: Buffer | null;
    former_secret_expires_at: Date | null;
    is_enabled: Generated<boolean>;
    disabled_reason: string | null;
    created_at: Generated<Date>;
    deleted_at: Date | null;
    failing_since: Date | null;
    failures: Generated<number>;
    next_attempt_at: Date | null;
    leased_until: Date | null;
  };
  webhook_deliveries: {
    delivery_id: Generated<string>;
    sequence: GeneratedAlways<number>;
    webhook_id: string;
    event_id: string;
    /** Null for a test. */
    event_position: number | null;
    event_type: EventType;
    status: Generated<WebhookDeliveryStatus>;
    attempts: JSONColumnType<WebhookAttempt[]>;
    next_attempt_at: Date | null;
    created_at: Generated<Date>;
  };
  /** The primary names of addresses. */
  ens_names: {
    address: Address;
    /** Null: the address has none, or was not looked up yet. */
    name: string | null;
    looked_up_at: Date | null;
    wanted_at: Generated<Date>;
    leased_until: Date | null;
  };
  audit_log: {
    audit_entry_id: GeneratedAlways<number>;
    recorded_at: Generated<Date>;
    actor: AuditEntry['actor'];
    api_key_id: string | null;
    action: AuditEntry['action'];
    community_id: string;
    resource_type: AuditEntry['resourceType'];
    resource_id: string;
    /** The address of the session that the write was sent with. */
    address: Address | null;
    reason: Generated<string | null>;
  };
}

/** Why an operation ended in error: the error's name and its `detail`. */
export interface OperationError {
  name: string;
  detail: string;
}
