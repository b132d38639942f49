import type { ColumnValues } from '../storage/archive.ts';
import {
  address,
  encrypted,
  hash,
  hex,
  integer,
  type JsonSchema,
  json,
  type Kind,
  listOf,
  oneOf,
  orNull,
  text,
  timestamp,
  timestampOrAlways,
  timestampOrNever,
  truth,
  uuid,
} from './kinds.ts';

interface Field {
  column: string;
  kind: Kind;
}

/** Which lines the archive of one community has, and what of them. */
export interface CommunityPart {
  /** The column that says the community, or the row of `through` that does. */
  column: string;
  /** The table with that column and `community_id`. */
  through?: string;
  /** The columns that are null, and why. */
  hidden?: Record<string, string>;
  /** The columns that are null unless they are an address: otherwise they name a person. */
  onlyAddresses?: string[];
  /** The columns that the lines are sorted by, if others than `order`. */
  order?: string[];
  /** The values that a column must have. Null: it must be null. */
  only?: ColumnValues;
  /** The same of a column of `through`. */
  throughOnly?: ColumnValues;
}

/** A file of an archive, with a line for each row of a table. */
export interface Noun {
  /** The name of the file, without `.ndjson`. */
  name: string;
  table: string;
  /** What a line is. */
  description: string;
  /** The columns that the lines are sorted by. */
  order: string[];
  fields: Record<string, Field>;
  /** The columns that no line has, and why. */
  leftOut: Record<string, string>;
  /** The archive of one community. A text: why it does not have the file. */
  ofCommunity: CommunityPart | string;
  /** The column that the database numbers. */
  numbered?: string;
  /** Whether other tables, or the schema, have made rows of the table, which the lines replace. */
  isReplaced?: boolean;
  /** The rows that another table names are not in an archive. */
  notIn?: { table: string; column: string };
}

const EVIDENCE = orNull(json);
const field = (column: string, kind: Kind): Field => ({ column, kind });
const ROLE = oneOf(['viewer', 'issuer', 'editor', 'owner']);
const KEY = hex([20, 32]);
/** The fields of an event, besides its place. */
const EVENT = {
  eventId: field('event_id', uuid),
  communityId: field('community_id', text),
  type: field('type', text),
  data: field('data', json),
  createdAtTimestamp: field('created_at', timestamp),
};
const TURN = 'The state of a queue. The next turn is as if nothing had failed.';
const CAN_NAME = 'It can name a person.';
/** Why a column of a community's archive is null. */
export const IN_PEOPLE = `${CAN_NAME} \`people.ndjson\` has it.`;
const KEYED = 'It is keyed with the encryption key of the installation.';
const OF_INSTALLATION = 'It is of the whole installation.';
const MAILS = 'The installation sends the mails. `people.ndjson` has who was invited.';
const CHOICE = 'What a person has chosen. The community does not see it.';
/** The lines of the tokens of a community. */
const BY_TOKEN: CommunityPart = { column: 'token_id', through: 'tokens' };
const BY_COMMUNITY: CommunityPart = { column: 'community_id' };
const SETTLED = { column: 'status', values: ['success', 'error'] };

/**
 * Every file of an archive, in the order in which they are written and imported: a line names only what an
 * earlier file has, or its own.
 */
export const NOUNS: Noun[] = [
  {
    name: 'communities',
    table: 'communities',
    description: 'A community.',
    order: ['community_id'],
    fields: {
      uniqId: field('community_id', text),
      displayId: field('display_id', text),
      name: field('name', text),
      description: field('description', text),
      logoUrl: field('logo_url', orNull(text)),
      adminAddresses: field('admin_addresses', listOf(address)),
      createdAtTimestamp: field('created_at', timestamp),
      claimLinkCount: field('claim_link_count', integer),
      managedCreator: field('managed_creator', orNull(address)),
      contractWalletChainId: field('contract_wallet_chain_id', orNull(integer)),
      unclaimedAfterDays: field('remind_unclaimed_after', listOf(integer)),
      beforeExpiryDays: field('remind_before_expiry', listOf(integer)),
    },
    leftOut: {},
    ofCommunity: BY_COMMUNITY,
  },
  {
    name: 'members',
    table: 'members',
    description: 'A member of a community, and its role.',
    order: ['sequence'],
    numbered: 'sequence',
    isReplaced: true,
    fields: {
      sequence: field('sequence', integer),
      communityId: field('community_id', text),
      address: field('address', address),
      role: field('role', ROLE),
      addedAtTimestamp: field('added_at', timestamp),
    },
    leftOut: {},
    ofCommunity: BY_COMMUNITY,
  },
  {
    name: 'api-keys',
    table: 'api_keys',
    description: 'An API key. `keyHash` is its SHA-256; the key itself is nowhere.',
    order: ['api_key_id'],
    fields: {
      apiKeyId: field('api_key_id', uuid),
      communityId: field('community_id', text),
      keyHash: field('key_hash', hash),
      prefix: field('prefix', text),
      name: field('name', text),
      role: field('role', ROLE),
      createdBy: field('created_by', orNull(address)),
      createdAtTimestamp: field('created_at', timestamp),
      expiresAtTimestamp: field('expires_at', orNull(timestamp)),
      revokedAtTimestamp: field('revoked_at', orNull(timestamp)),
    },
    leftOut: {},
    ofCommunity: BY_COMMUNITY,
  },
  {
    name: 'kept-addresses',
    table: 'kept_addresses',
    description:
      'An address at which a community keeps the badges of somebody without a wallet. It follows from the seed of kept badges, the community and `emailHash`.',
    order: ['address'],
    fields: {
      address: field('address', address),
      communityId: field('community_id', text),
      emailHash: field('email_hash', hash),
      createdAtTimestamp: field('created_at', timestamp),
    },
    leftOut: {},
    ofCommunity: { ...BY_COMMUNITY, hidden: { email_hash: KEYED } },
  },
  {
    name: 'holders',
    table: 'holders',
    description:
      'What somebody without a wallet has chosen: `moveNonce` is that of the next consent to move badges to a wallet, and `defaultAddress` the wallet that gets later badges.',
    order: ['email_hash'],
    fields: {
      emailHash: field('email_hash', hash),
      moveNonce: field('move_nonce', integer),
      defaultAddress: field('default_address', orNull(address)),
    },
    leftOut: {},
    ofCommunity: CHOICE,
  },
  {
    name: 'refused-communities',
    table: 'refused_communities',
    description: 'A community from which somebody takes no badge that others give.',
    order: ['address', 'community_id'],
    fields: {
      address: field('address', address),
      communityId: field('community_id', text),
    },
    leftOut: {},
    ofCommunity: CHOICE,
  },
  {
    name: 'operations',
    table: 'operations',
    description:
      'A request that was accepted, and its result. `request` is what was asked, if it failed or has undone something.',
    order: ['sequence'],
    numbered: 'sequence',
    fields: {
      sequence: field('sequence', integer),
      operationId: field('operation_id', uuid),
      operationType: field('operation_type', text),
      status: field('status', oneOf(['success', 'error'])),
      communityId: field('community_id', text),
      apiKeyId: field('api_key_id', orNull(uuid)),
      requestIdentity: field('request_identity', orNull(hash)),
      request: field('request', orNull(json)),
      requestBytes: field('request_bytes', integer),
      resourceId: field('resource_id', orNull(integer)),
      txHash: field('tx_hash', orNull(text)),
      error: field('error', orNull(json)),
      warnings: field('warnings', orNull(json)),
      createdAtTimestamp: field('created_at', timestamp),
      completedAtTimestamp: field('completed_at', orNull(timestamp)),
    },
    leftOut: {},
    ofCommunity: {
      ...BY_COMMUNITY,
      only: SETTLED,
      hidden: { request: CAN_NAME, request_identity: CAN_NAME },
    },
  },
  {
    name: 'signatures',
    table: 'signatures',
    description:
      'The signature of the message `{tokenId}` of the type `primaryType`, with which somebody has claimed, burnt or given a badge, or added contributors. `evidence` is what a contract wallet has confirmed.',
    order: ['operation_id', 'primary_type'],
    fields: {
      operationId: field('operation_id', uuid),
      primaryType: field('primary_type', text),
      tokenId: field('token_id', integer),
      signer: field('signer', address),
      signature: field('signature', hex()),
      typedDataVersion: field('typed_data_version', text),
      evidence: field('evidence', EVIDENCE),
    },
    leftOut: {},
    ofCommunity: { column: 'operation_id', through: 'operations', throughOnly: SETTLED },
  },
  {
    name: 'pictures',
    table: 'assets',
    description:
      'An uploaded file. The archive has it as `pictures/` and `assetId`. `sha256` is that of its content.',
    order: ['asset_id'],
    fields: {
      assetId: field('asset_id', uuid),
      contentType: field('content_type', text),
      sizeBytes: field('size_bytes', integer),
      sha256: field('content_hash', hash),
      createdAtTimestamp: field('created_at', timestamp),
    },
    leftOut: { piece_bytes: 'How a file is cut into pieces.' },
    // The files of exports and imports, which are left out with them.
    notIn: { table: 'transfers', column: 'asset_id' },
    ofCommunity: { column: 'asset_id', through: 'nft_types' },
  },
  {
    name: 'nft-types',
    table: 'nft_types',
    description: 'A design that a community has uploaded. That of a deleted one stays if a badge shows it.',
    order: ['sequence'],
    numbered: 'sequence',
    fields: {
      sequence: field('sequence', integer),
      communityId: field('community_id', text),
      nftTypeId: field('nft_type_id', text),
      name: field('name', text),
      alias: field('alias', orNull(text)),
      assetId: field('asset_id', orNull(uuid)),
      createdAtTimestamp: field('created_at', timestamp),
      deletedAtTimestamp: field('deleted_at', orNull(timestamp)),
      isAssetKept: field('is_asset_kept', truth),
    },
    leftOut: {
      removed_bytes: 'Limits how many files are deleted within minutes.',
      removed_at: 'As `removed_bytes`.',
    },
    ofCommunity: BY_COMMUNITY,
  },
  {
    name: 'tokens',
    table: 'tokens',
    description:
      'A badge token. `signature` is that of `creator` over the message `Badge`, whose timestamps are 0 and whose `totalClaimCount` is 0 where the line has null. A token that was imported from another service has neither a signature nor an operation.',
    order: ['token_id'],
    fields: {
      tokenId: field('token_id', integer),
      operationId: field('operation_id', orNull(uuid)),
      communityId: field('community_id', text),
      creator: field('creator', address),
      headline: field('headline', text),
      description: field('description', text),
      startDateTimestamp: field('start_timestamp', orNull(integer)),
      endDateTimestamp: field('end_timestamp', orNull(integer)),
      links: field('links', listOf(text)),
      nftTypeId: field('nft_type_id', text),
      isSignatureRequired: field('is_signature_required', truth),
      isAllowlistRequired: field('is_allowlist_required', truth),
      totalClaimCount: field('total_claim_count', orNull(integer)),
      remainingClaimCount: field('remaining_claim_count', orNull(integer)),
      expirationTimestamp: field('expiration_timestamp', orNull(integer)),
      customAttributes: field('custom_attributes', json),
      signature: field('signature', orNull(hex())),
      typedDataVersion: field('typed_data_version', text),
      evidence: field('evidence', EVIDENCE),
      createdAtTimestamp: field('created_at', timestamp),
      isHidden: field('is_hidden', truth),
      assetContentType: field('asset_content_type', orNull(text)),
      criteria: field('criteria', orNull(text)),
      claimableFromTimestamp: field('claimable_from_timestamp', orNull(integer)),
      validUntilTimestamp: field('valid_until', orNull(timestamp)),
      validityDays: field('validity_days', orNull(integer)),
      replacedByTokenId: field('replaced_by_token_id', orNull(integer)),
      replacedAtTimestamp: field('replaced_at', orNull(timestamp)),
      importedService: field('imported_service', orNull(text)),
      importedId: field('imported_id', orNull(text)),
      importedUrl: field('imported_url', orNull(text)),
      importedAtTimestamp: field('imported_at', orNull(timestamp)),
    },
    leftOut: {},
    ofCommunity: BY_COMMUNITY,
  },
  {
    name: 'expiry-turns',
    table: 'expiry_turns',
    description:
      'When the next owner of a token has an end, and up to which owner the ends were announced. Null is never.',
    order: ['token_id'],
    fields: {
      tokenId: field('token_id', integer),
      nextAtTimestamp: field('next_at', timestampOrNever),
      walkedAtTimestamp: field('walked_at', timestampOrAlways),
      walkedAddress: field('walked_address', hex([0, 20])),
    },
    leftOut: {},
    ofCommunity: TURN,
  },
  {
    name: 'contributors',
    table: 'allowlist_entries',
    description:
      'An entry of an allowlist. `contributorKey` is an address, or the SHA-256 that names an identifier or the code of a link.',
    order: ['token_id', 'contributor_key'],
    fields: {
      tokenId: field('token_id', integer),
      contributorKey: field('contributor_key', KEY),
      identifier: field('identifier', orNull(text)),
      ensName: field('ens_name', orNull(text)),
      position: field('position', integer),
      addedAtTimestamp: field('added_at', timestamp),
    },
    leftOut: {},
    ofCommunity: {
      ...BY_TOKEN,
      // The hash of an identifier would say where it is among the addresses.
      order: ['token_id', 'contributor_key', 'position'],
      onlyAddresses: ['contributor_key'],
      hidden: { identifier: IN_PEOPLE },
    },
  },
  {
    name: 'owners',
    table: 'claims',
    description:
      'Somebody who has a badge, or had it: `burntAtTimestamp` is when it was lost, and `ending` how, if it was not burnt. An owner who was imported from another service has no operation.',
    order: ['token_id', 'address'],
    fields: {
      tokenId: field('token_id', integer),
      address: field('address', address),
      contributorKey: field('contributor_key', orNull(KEY)),
      operationId: field('operation_id', orNull(uuid)),
      claimedAtTimestamp: field('claimed_at', timestamp),
      burntAtTimestamp: field('burnt_at', orNull(timestamp)),
      burnOperationId: field('burn_operation_id', orNull(uuid)),
      ending: field('ending', orNull(oneOf(['revoked', 'moved', 'replaced']))),
      statusChangedAtTimestamp: field('status_changed_at', orNull(timestamp)),
      movedFrom: field('moved_from', orNull(address)),
      renewedUntilTimestamp: field('renewed_until', orNull(timestamp)),
      announcedEndTimestamp: field('announced_end', orNull(timestamp)),
    },
    leftOut: {},
    ofCommunity: { ...BY_TOKEN, onlyAddresses: ['contributor_key'] },
  },
  {
    name: 'hidden-tokens',
    table: 'hidden_tokens',
    description: 'A token that its owner does not want to be seen on pages.',
    order: ['token_id', 'address'],
    fields: {
      tokenId: field('token_id', integer),
      address: field('address', address),
    },
    leftOut: {},
    ofCommunity: CHOICE,
  },
  {
    name: 'claim-link-signatures',
    table: 'claim_link_signatures',
    description: 'The signature of the creator with which links were added to an allowlist.',
    order: ['claim_link_signature_id'],
    fields: {
      claimLinkSignatureId: field('claim_link_signature_id', uuid),
      tokenId: field('token_id', integer),
      signer: field('signer', address),
      signature: field('signature', hex()),
      typedDataVersion: field('typed_data_version', text),
      createdAtTimestamp: field('created_at', timestamp),
      evidence: field('evidence', EVIDENCE),
    },
    leftOut: {},
    ofCommunity: BY_TOKEN,
  },
  {
    name: 'claim-links',
    table: 'claim_links',
    description:
      'A link, or a code for a room. `codeHash` is the SHA-256 of its code or, of a code for a room, of the id of the token, a space and the code. The code is nowhere, but that of a room is short and can be found by trying all.',
    order: ['sequence'],
    numbered: 'sequence',
    fields: {
      sequence: field('sequence', integer),
      claimLinkId: field('claim_link_id', uuid),
      tokenId: field('token_id', integer),
      contributorKey: field('contributor_key', hash),
      identifier: field('identifier', orNull(text)),
      codeHash: field('code_hash', hash),
      claimLinkSignatureId: field('claim_link_signature_id', orNull(uuid)),
      createdAtTimestamp: field('created_at', timestamp),
      expiresAtTimestamp: field('expires_at', orNull(timestamp)),
      revokedAtTimestamp: field('revoked_at', orNull(timestamp)),
      maxClaims: field('max_claims', orNull(integer)),
      claimCount: field('claim_count', integer),
      startsAtTimestamp: field('starts_at', orNull(timestamp)),
      pausedAtTimestamp: field('paused_at', orNull(timestamp)),
      isSignatureRequired: field('is_signature_required', truth),
      maxClaimsPerClient: field('max_claims_per_client', orNull(integer)),
      isUsed: field('is_used', truth),
      hasClients: field('has_clients', truth),
      madeForTokenId: field('made_for_token_id', orNull(integer)),
      furtherOf: field('further_of', orNull(uuid)),
    },
    leftOut: {},
    ofCommunity: { ...BY_TOKEN, hidden: { contributor_key: IN_PEOPLE, identifier: IN_PEOPLE } },
  },
  {
    name: 'claim-link-clients',
    table: 'claim_link_clients',
    description:
      'How often a client has used the code of a room. `clientHash` is keyed with the code, so only who has the code can check an address.',
    order: ['claim_link_id', 'client_hash'],
    fields: {
      claimLinkId: field('claim_link_id', uuid),
      clientHash: field('client_hash', hash),
      claimCount: field('claim_count', integer),
    },
    leftOut: {},
    ofCommunity: 'Who has the code of a room could find the addresses of its clients.',
  },
  {
    name: 'recipients',
    table: 'recipients',
    description:
      'A person of a token, whichever way the token was given. Names, e-mails and notes are encrypted for the row whose id is the hex of `contributorKey`. `emailHash` is keyed with the encryption key.',
    order: ['sequence'],
    numbered: 'sequence',
    fields: {
      sequence: field('sequence', integer),
      recipientId: field('recipient_id', uuid),
      tokenId: field('token_id', integer),
      contributorKey: field('contributor_key', KEY),
      way: field('way', text),
      address: field('address', orNull(address)),
      identifier: field('identifier', orNull(text)),
      claimLinkId: field('claim_link_id', orNull(uuid)),
      invitationId: field('invitation_id', orNull(uuid)),
      name: field('name', orNull(encrypted('personName'))),
      email: field('email', orNull(encrypted('emailAddress'))),
      note: field('note', orNull(encrypted('personNote'))),
      emailHash: field('email_hash', orNull(hash)),
      addedAtTimestamp: field('added_at', timestamp),
      isFormer: field('is_former', truth),
      removedAtTimestamp: field('removed_at', orNull(timestamp)),
    },
    leftOut: {},
    ofCommunity: '`people.ndjson` is in its place.',
  },
  {
    name: 'token-counts',
    table: 'token_counts',
    description: 'The counts of a token that are stored.',
    order: ['token_id'],
    isReplaced: true,
    fields: {
      tokenId: field('token_id', integer),
      claimedCount: field('claimed_count', integer),
      contributorCount: field('contributor_count', integer),
      recipientCount: field('recipient_count', integer),
    },
    leftOut: {},
    ofCommunity: BY_TOKEN,
  },
  {
    name: 'token-counter',
    table: 'token_counter',
    description: 'The highest id of a token. There is one line.',
    order: ['is_only_row'],
    isReplaced: true,
    fields: { lastTokenId: field('last_token_id', integer) },
    leftOut: { is_only_row: 'Always true.' },
    ofCommunity: OF_INSTALLATION,
  },
  {
    name: 'invitation-requests',
    table: 'invitation_requests',
    description: 'What the invitations of one request share.',
    order: ['invitation_request_id'],
    fields: {
      invitationRequestId: field('invitation_request_id', uuid),
      message: field('message', orNull(text)),
      publicUrl: field('public_url', text),
      timeZone: field('time_zone', orNull(text)),
    },
    leftOut: {},
    ofCommunity: MAILS,
  },
  {
    name: 'invitations',
    table: 'invitations',
    description:
      'A mail to a person, or a request for one: invitations, reservations and reminders, also those that wait. `emailHash` and `mailboxHash` are keyed with the encryption key. What is encrypted is for the row whose id is `invitationId`.',
    order: ['sequence'],
    numbered: 'sequence',
    fields: {
      sequence: field('sequence', integer),
      invitationId: field('invitation_id', uuid),
      invitationRequestId: field('invitation_request_id', uuid),
      communityId: field('community_id', text),
      tokenId: field('token_id', integer),
      kind: field('kind', text),
      recipientId: field('recipient_id', orNull(uuid)),
      unconfirmedEmail: field('unconfirmed_email', orNull(encrypted('emailAddress'))),
      emailHash: field('email_hash', orNull(hash)),
      mailboxHash: field('mailbox_hash', orNull(hash)),
      language: field('language', text),
      claimLinkId: field('claim_link_id', orNull(uuid)),
      code: field('code', orNull(encrypted('claimCode'))),
      contributorKey: field('contributor_key', orNull(address)),
      sourceLinkId: field('source_link_id', orNull(uuid)),
      confirmationHash: field('confirmation_hash', orNull(hash)),
      clientHash: field('client_hash', orNull(hash)),
      createdBy: field('created_by', orNull(address)),
      createdByKey: field('created_by_key', orNull(uuid)),
      reminderDays: field('reminder_days', orNull(integer)),
      validUntilTimestamp: field('valid_until', orNull(timestamp)),
      mailId: field('mail_id', uuid),
      state: field('state', text),
      error: field('error', orNull(text)),
      attempts: field('attempts', integer),
      firstAttemptAtTimestamp: field('first_attempt_at', orNull(timestamp)),
      sendAtTimestamp: field('send_at', orNull(timestamp)),
      nextAttemptAtTimestamp: field('next_attempt_at', orNull(timestamp)),
      createdAtTimestamp: field('created_at', timestamp),
      sentAtTimestamp: field('sent_at', orNull(timestamp)),
      earlierSentAtTimestamps: field('earlier_sent_at', listOf(timestamp)),
      revokedAtTimestamp: field('revoked_at', orNull(timestamp)),
      eraseAtTimestamp: field('erase_at', orNull(timestamp)),
    },
    leftOut: {},
    ofCommunity: MAILS,
  },
  {
    name: 'mail-turns',
    table: 'mail_turns',
    description:
      'When a community has mails to send, and until when those were reminded whom its settings name.',
    order: ['community_id'],
    fields: {
      communityId: field('community_id', text),
      nextAttemptAtTimestamp: field('next_attempt_at', orNull(timestamp)),
      remindedUntilTimestamp: field('reminded_until', orNull(timestamp)),
    },
    leftOut: { leased_until: TURN, failures: TURN },
    ofCommunity: MAILS,
  },
  {
    name: 'unsubscriptions',
    table: 'mail_unsubscriptions',
    description: 'Who wants no mails of a community, or of any, if `communityId` is empty.',
    order: ['email_hash', 'community_id'],
    fields: {
      emailHash: field('email_hash', hash),
      communityId: field('community_id', text),
      unsubscribedAtTimestamp: field('unsubscribed_at', timestamp),
    },
    leftOut: {},
    ofCommunity: KEYED,
  },
  {
    name: 'issuer-keys',
    table: 'issuer_keys',
    description: 'The public key of a community, with which its credentials are signed.',
    order: ['community_id', 'generation'],
    fields: {
      communityId: field('community_id', text),
      generation: field('generation', integer),
      publicKey: field('public_key', hash),
      createdAtTimestamp: field('created_at', timestamp),
      replacedAtTimestamp: field('replaced_at', orNull(timestamp)),
    },
    leftOut: {},
    ofCommunity: BY_COMMUNITY,
  },
  {
    name: 'status-lists',
    table: 'status_lists',
    description: 'A list that says which credentials are revoked.',
    order: ['list_id'],
    fields: {
      listId: field('list_id', uuid),
      communityId: field('community_id', text),
      generation: field('generation', integer),
      baseUrl: field('base_url', text),
      entryCount: field('entry_count', integer),
      createdAtTimestamp: field('created_at', timestamp),
    },
    leftOut: {},
    ofCommunity: BY_COMMUNITY,
  },
  {
    name: 'credentials',
    table: 'credentials',
    description: 'A credential that was made, and its place in a status list.',
    order: ['list_id', 'status_index'],
    fields: {
      credentialId: field('credential_id', uuid),
      tokenId: field('token_id', integer),
      address: field('address', address),
      listId: field('list_id', uuid),
      statusIndex: field('status_index', integer),
      createdAtTimestamp: field('created_at', timestamp),
      revokedAtTimestamp: field('revoked_at', orNull(timestamp)),
      validUntilTimestamp: field('valid_until', orNull(timestamp)),
    },
    leftOut: {},
    ofCommunity: { column: 'list_id', through: 'status_lists' },
  },
  {
    name: 'webhooks',
    table: 'webhooks',
    description:
      'A webhook, without its secret. Its owner makes another one, and until then nothing is sent. The URL is encrypted for the row whose id is `webhookId`; that of a deleted one is empty.',
    order: ['sequence'],
    numbered: 'sequence',
    fields: {
      sequence: field('sequence', integer),
      webhookId: field('webhook_id', uuid),
      communityId: field('community_id', text),
      url: field('encrypted_url', encrypted('webhookUrl')),
      createdBy: field('created_by', orNull(address)),
      urlSetBy: field('url_set_by', orNull(address)),
      secretMadeBy: field('secret_made_by', orNull(address)),
      makerLeftAtTimestamp: field('maker_left_at', orNull(timestamp)),
      name: field('name', text),
      events: field('events', orNull(listOf(text))),
      isEnabled: field('is_enabled', truth),
      disabledReason: field('disabled_reason', orNull(text)),
      createdAtTimestamp: field('created_at', timestamp),
      deletedAtTimestamp: field('deleted_at', orNull(timestamp)),
    },
    leftOut: {
      encrypted_secret: 'A secret. The owner of the webhook makes another one.',
      encrypted_former_secret: 'A secret.',
      former_secret_expires_at: 'Of the former secret.',
      failing_since: TURN,
      failures: TURN,
      next_attempt_at: TURN,
      leased_until: TURN,
    },
    ofCommunity: { ...BY_COMMUNITY, hidden: { encrypted_url: 'It is secret, as it often has a key.' } },
  },
  {
    name: 'events',
    table: 'events',
    description: 'An event of the feed. Addresses in `data` are in hex without 0x.',
    order: ['position'],
    fields: {
      position: field('position', integer),
      ...EVENT,
    },
    leftOut: {},
    ofCommunity: BY_COMMUNITY,
  },
  {
    name: 'unplaced-events',
    table: 'event_outbox',
    description: 'An event that gets its place in the feed when a service runs.',
    order: ['sequence'],
    numbered: 'sequence',
    fields: {
      sequence: field('sequence', integer),
      ...EVENT,
    },
    leftOut: {},
    ofCommunity: 'They get their place in the feed within a second.',
  },
  {
    name: 'event-counter',
    table: 'event_counter',
    description: 'The positions of the last event and of the last one that was deleted. There is one line.',
    order: ['is_only_row'],
    isReplaced: true,
    fields: {
      lastPosition: field('last_position', integer),
      lastDeletedPosition: field('last_deleted_position', integer),
    },
    leftOut: { is_only_row: 'Always true.' },
    ofCommunity: OF_INSTALLATION,
  },
  {
    name: 'audit-log',
    table: 'audit_log',
    description: 'Who has written what.',
    order: ['audit_entry_id'],
    numbered: 'audit_entry_id',
    fields: {
      auditEntryId: field('audit_entry_id', integer),
      recordedAtTimestamp: field('recorded_at', timestamp),
      actor: field('actor', text),
      apiKeyId: field('api_key_id', orNull(uuid)),
      address: field('address', orNull(address)),
      action: field('action', text),
      communityId: field('community_id', text),
      resourceType: field('resource_type', text),
      resourceId: field('resource_id', text),
      reason: field('reason', orNull(text)),
    },
    leftOut: {},
    ofCommunity: BY_COMMUNITY,
  },
];

/** The tables that are in an archive in another way. */
export const OTHERWISE_ARCHIVED: Record<string, string> = {
  asset_pieces: 'The files in `pictures/`.',
  deployment: '`deployment` in the manifest.',
};

/** The tables that no archive has, and why. */
export const LEFT_OUT: Record<string, string> = {
  challenge_key: 'A key. Each installation makes its own.',
  email_challenges: 'Codes of mails with which people sign in within minutes.',
  ens_names: 'A cache. Names are looked up again.',
  idempotency_keys: 'Responses for requests that are repeated within a day.',
  kysely_migration: 'Import migrates the new database itself.',
  kysely_migration_lock: 'As `kysely_migration`.',
  mail_counts: 'Counts mails for the limits of an hour and a day.',
  request_counts: 'Counts requests for limits of seconds.',
  requested_mails: 'Counts mails for the limits of a mailbox. The rows live two days.',
  reservation_clients: 'Counts requests for the limits of an hour.',
  reservation_counts: 'Counts requests for the limits of an hour.',
  resubscription_mails: 'Mails that wait for seconds. Who has asked for one asks again.',
  sessions: 'People sign in again.',
  token_changes: 'Tells running processes which responses have changed.',
  token_changes_horizon: 'As `token_changes`.',
  token_list_blocks: 'Follows from the tokens. The database makes it again.',
  token_list_entries: 'Follows from the tokens. The database makes it again.',
  transfers: 'Exports and imports of communities. They and their files are deleted after a day.',
  webhook_deliveries: 'A log that is deleted after days. Both installations would send what waits.',
};

/** The JSON Schema of the lines of a file. */
export function schemaOf({ name, description, fields }: Noun): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `A line of ${name}.ndjson`,
    description,
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([key, { kind }]) => [key, kind.schema])),
    required: Object.keys(fields),
    additionalProperties: false,
  };
}
