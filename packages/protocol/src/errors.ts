interface ErrorEntry {
  status: number;
  title: string;
  meaning: string;
}

/** Every error that the service returns, by name: its HTTP status, a short title, and what it means. */
export const ERRORS = {
  InvalidRequest: {
    status: 400,
    title: 'Invalid request',
    meaning: 'The path, query, headers or body is malformed. `errors` says what is wrong.',
  },
  SignatureRequired: {
    status: 400,
    title: 'Signature required',
    meaning:
      "This token can only be claimed with the claimer's signature, or the claim code requires one from this client.",
  },
  InvalidSignature: {
    status: 400,
    title: 'Invalid signature',
    meaning:
      'The signature is malformed: it is not in hex, its length is wrong, v, r or s is out of range, or s is high. Or it is that of a contract wallet, which cannot be asked; `detail` says why.',
  },
  ApiKeyRequired: {
    status: 401,
    title: 'API key required',
    meaning: 'The endpoint or the request requires an API key, and none was sent.',
  },
  InvalidApiKey: {
    status: 401,
    title: 'Invalid API key',
    meaning:
      'The API key is malformed, unknown, expired or revoked, or HTTP Basic was sent with the id of another community.',
  },
  InvalidSession: {
    status: 401,
    title: 'Invalid session',
    meaning:
      'The session is malformed, unknown, expired or ended, or was not sent as `Authorization: Bearer`. Sign in again.',
  },
  ApiKeyOrSignatureRequired: {
    status: 401,
    title: 'API key or signature required',
    meaning:
      "A claim requires the community's API key, the claimer's signature or a claim code, and none was sent.",
  },
  ApiKeyNotAllowed: {
    status: 403,
    title: 'API key not allowed',
    meaning:
      "The API key belongs to another community, or the endpoint or a field requires the operator's key or a session.",
  },
  RoleNotAllowed: {
    status: 403,
    title: 'Role not allowed',
    meaning:
      'The role of the API key or of the member is too low, or the address of the session is not a member of the community. `detail` names the role that is needed.',
  },
  SignInRefused: {
    status: 403,
    title: 'Sign-in refused',
    meaning:
      'The message is not a challenge of this service, has expired, or was used before. Request another challenge.',
  },
  NotSignedByAddress: {
    status: 403,
    title: 'Not signed by the address',
    meaning: 'The message was not signed by the address that it contains.',
  },
  BadgeRegisterRequestNotSignedByCreator: {
    status: 403,
    title: 'Not signed by the creator',
    meaning: 'The `Badge` signature was not made by `creator` in this signing domain.',
  },
  NotSignedByClaimer: {
    status: 403,
    title: 'Not signed by the claimer',
    meaning: 'The `Claim` signature was not made by `claimingAddress` in this signing domain.',
  },
  NotSignedByOwner: {
    status: 403,
    title: 'Not signed by the owner',
    meaning: 'The `Burn` signature was not made by `burningAddress` in this signing domain.',
  },
  NotSignedByAdmin: {
    status: 403,
    title: 'Not signed by the admin',
    meaning: 'The `CommunityAdminAirdrop` signature was not made by `adminAddress` in this signing domain.',
  },
  NotSignedByReceiver: {
    status: 403,
    title: 'Not signed by the receiver',
    meaning:
      'The `CommunityAdminAirdropReceiverConsent` signature was not made by `receivingAddress` in this signing domain; or the `ReceiveBadges` signature not by `toAddress`, or with another `emailHash` or nonce.',
  },
  NotSignedByCreator: {
    status: 403,
    title: 'Contributors not signed by the creator',
    meaning: "The `AllowlistedAddress` signature was not made by the token's creator in this signing domain.",
  },
  AddressNotAllowlisted: {
    status: 403,
    title: 'Address not allowlisted',
    meaning: "Neither the address nor the identifier is on the token's allowlist.",
  },
  ClaimCodeInvalid: {
    status: 403,
    title: 'Claim code invalid',
    meaning: 'The claim code is unknown, expired or revoked, or belongs to another token.',
  },
  ConfirmationCodeInvalid: {
    status: 403,
    title: 'Confirmation code invalid',
    meaning: 'The confirmation code in a mail is unknown, or was not sent within an hour.',
  },
  NotCommunityAdmin: {
    status: 403,
    title: 'Not a community admin',
    meaning: "The `adminAddress` is not one of the community's `adminAddresses`.",
  },
  NftTypeNotUserAdded: {
    status: 403,
    title: 'NFT type not added by the community',
    meaning: 'Built-in NFT types cannot be deleted.',
  },
  NotFound: { status: 404, title: 'Not found', meaning: 'This path does not exist.' },
  TokenNotFound: {
    status: 404,
    title: 'Token not found',
    meaning: 'There is no token with this id, or (for an image) it has no picture with this extension.',
  },
  CommunityNotFound: {
    status: 404,
    title: 'Community not found',
    meaning: 'There is no community with this id.',
  },
  NftTypeNotFound: {
    status: 404,
    title: 'NFT type not found',
    meaning:
      'The community has no NFT type with this id, or (for an image) there is no picture with this name.',
  },
  OperationNotFound: {
    status: 404,
    title: 'Operation not found',
    meaning: 'There is no operation with this id.',
  },
  ApiKeyNotFound: {
    status: 404,
    title: 'API key not found',
    meaning: 'The community has no API key with this id.',
  },
  MemberNotFound: {
    status: 404,
    title: 'Member not found',
    meaning: 'The address is not a member of the community.',
  },
  ManagedCreatorNotFound: {
    status: 404,
    title: 'Managed creator not found',
    meaning: 'The community has no managed creator.',
  },
  ClaimLinkNotFound: {
    status: 404,
    title: 'Claim link not found',
    meaning: 'The token has no claim link with this id.',
  },
  RecipientNotFound: {
    status: 404,
    title: 'Recipient not found',
    meaning: 'The token has no recipient with this id.',
  },
  InvitationNotFound: {
    status: 404,
    title: 'Invitation not found',
    meaning: 'The token has no invitation with this id, or (for a mail) no mail of it was kept.',
  },
  WebhookNotFound: {
    status: 404,
    title: 'Webhook not found',
    meaning: 'The community has no webhook with this id.',
  },
  WebhookDeliveryNotFound: {
    status: 404,
    title: 'Webhook delivery not found',
    meaning: 'The webhook has no delivery with this id, or its event is not kept any more.',
  },
  OwnerNotFound: {
    status: 404,
    title: 'Owner not found',
    meaning: 'The address has never had this token.',
  },
  StatusListNotFound: {
    status: 404,
    title: 'Status list not found',
    meaning: 'There is no status list with this id.',
  },
  ExportNotFound: {
    status: 404,
    title: 'Export not found',
    meaning:
      'The community has no export with this id, or it has expired; or (for a download) the service has not signed the URL.',
  },
  ImportNotFound: {
    status: 404,
    title: 'Import not found',
    meaning: 'The community has no import with this id, or it has expired.',
  },
  MethodNotAllowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not with this method. `Allow` lists its methods.',
  },
  RequestTimeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The headers or the body took too long to arrive. Nothing was executed.',
  },
  ClaimingAddressAlreadyHasToken: {
    status: 409,
    title: 'Already claimed',
    meaning: 'The address or the identifier has already claimed this token.',
  },
  NoTokensLeft: { status: 409, title: 'No tokens left', meaning: 'The token has no claims left.' },
  TokenClaimExpired: {
    status: 409,
    title: 'Token claim expired',
    meaning: 'The token has expired and can no longer be claimed.',
  },
  TokenNotYetClaimable: {
    status: 409,
    title: 'Token not yet claimable',
    meaning: 'The token cannot be claimed yet.',
  },
  ClaimCodeUsed: {
    status: 409,
    title: 'Claim code used',
    meaning: 'The claim code has no claim left, or its identifier has claimed this token in another way.',
  },
  ClaimCodePaused: {
    status: 409,
    title: 'Claim code paused',
    meaning: 'The community has paused the claim code.',
  },
  ClaimCodeNotStarted: {
    status: 409,
    title: 'Claim code not started',
    meaning: 'The claim code cannot be used yet.',
  },
  ClaimLinkLimitReached: {
    status: 409,
    title: 'Claim link limit reached',
    meaning: 'The token may have at most 100,000 unused claim links.',
  },
  InvitationEnded: {
    status: 409,
    title: 'Invitation ended',
    meaning:
      'The invitation cannot be sent again: it is claimed, revoked or expired, the person has unsubscribed, or the address was erased.',
  },
  InvitationNotScheduled: {
    status: 409,
    title: 'Invitation not scheduled',
    meaning: 'The invitation does not wait for its time any more: it is sent, or was, or is revoked.',
  },
  MailUnavailable: {
    status: 409,
    title: 'Mail unavailable',
    meaning: 'The service has no mail server, or no key to encrypt addresses with.',
  },
  RecipientRefuses: {
    status: 409,
    title: 'Recipient refuses',
    meaning:
      'The recipient takes no badges of this community that others give, and can only claim them itself: a wallet with its signature, a person with an e-mail with a session.',
  },
  TokenNotOwned: {
    status: 409,
    title: 'Token not owned',
    meaning: 'The address does not hold the token.',
  },
  TokenNotRevoked: {
    status: 409,
    title: 'Token not revoked',
    meaning: 'The token of this address is not revoked.',
  },
  ContributorHasClaimed: {
    status: 409,
    title: 'Contributor has claimed',
    meaning: 'A contributor that was to be removed has claimed the token. No contributor was removed.',
  },
  AllowlistMismatch: {
    status: 409,
    title: 'Allowlist mismatch',
    meaning:
      'The endpoint requires an open token and this one is allowlisted, or requires an allowlisted token and this one is open.',
  },
  TokenReplaced: {
    status: 409,
    title: 'Token replaced',
    meaning:
      'Another token has replaced this one: `replacedByTokenId`, which everybody has instead. Only `isHidden` can still be changed, and codes that were made for this token find the other one.',
  },
  ReplacementMismatch: {
    status: 409,
    title: 'Replacement mismatch',
    meaning:
      'The other token cannot replace this one. It must be another token of the same community, creator, `isAllowlistRequired` and `isSignatureRequired`, that nobody has claimed, that has replaced no token and has no contributors but its creator. An open one must have room for all claims. `detail` says what is wrong.',
  },
  ReplacementTooLarge: {
    status: 409,
    title: 'Replacement too large',
    meaning: 'A token with more than 50,000 owners and waiting people cannot be replaced.',
  },
  CommunityExists: { status: 409, title: 'Community exists', meaning: 'The `uniqId` is taken.' },
  LastOwner: {
    status: 409,
    title: 'Last owner',
    meaning: 'The member is the only owner of the community. Only the operator can remove it.',
  },
  OwnerLimitReached: {
    status: 409,
    title: 'Owner limit reached',
    meaning: 'The community already has 100 owners.',
  },
  MemberLimitReached: {
    status: 409,
    title: 'Member limit reached',
    meaning: 'The community already has 1,000 members.',
  },
  CredentialsUnavailable: {
    status: 409,
    title: 'Credentials unavailable',
    meaning:
      'The service has no seed for the keys of issuers, or another one than when the community got its key.',
  },
  ManagedCreatorUnavailable: {
    status: 409,
    title: 'Managed creator unavailable',
    meaning:
      'The service has no seed for managed creators, or another one than when the community got its managed creator.',
  },
  KeptBadgesUnavailable: {
    status: 409,
    title: 'Kept badges unavailable',
    meaning:
      'The service has no seed or no encryption key for keeping badges for an e-mail, or another seed than when it kept the first badge for this e-mail.',
  },
  EncryptionUnavailable: {
    status: 409,
    title: 'Encryption unavailable',
    meaning:
      'The service has no encryption key, so it can store no secret, and no names, e-mails and notes. The operator sets one.',
  },
  WebhookDisabled: {
    status: 409,
    title: 'Webhook disabled',
    meaning:
      'The webhook is disabled, so nothing is sent. Enable it first. If its maker is no longer an owner, give it a new secret instead.',
  },
  WebhookLimitReached: {
    status: 409,
    title: 'Webhook limit reached',
    meaning: 'The community already has 20 webhooks.',
  },
  NftTypeExists: {
    status: 409,
    title: 'NFT type exists',
    meaning: 'The `nftTypeId` is taken, possibly by a deleted NFT type.',
  },
  NftTypeLimitReached: {
    status: 409,
    title: 'NFT type limit reached',
    meaning: 'The community already has 50 NFT types of its own.',
  },
  StorageQuotaReached: {
    status: 409,
    title: 'Storage quota reached',
    meaning: "The file or the claim links do not fit into the community's quota of stored bytes.",
  },
  SecretNotRepeated: {
    status: 409,
    title: 'Secret not repeated',
    meaning:
      'The request with this `Idempotency-Key` was executed, but its secret is not returned again: the webhook has got another secret or another maker since, or the API key was revoked.',
  },
  IdempotencyKeyInUse: {
    status: 409,
    title: 'Idempotency key in use',
    meaning: 'A request with this `Idempotency-Key` is still running.',
  },
  CredentialRevoked: {
    status: 410,
    title: 'Credential revoked',
    meaning:
      'The address had the token, and has lost it: it was burnt, revoked or moved, or another token has replaced it.',
  },
  CursorExpired: {
    status: 410,
    title: 'Cursor expired',
    meaning:
      'Events after this cursor may be missing: events are kept for 30 days, or the database was restored. Read the current state, then the events without `after`.',
  },
  DownloadEnded: {
    status: 410,
    title: 'Download ended',
    meaning:
      'The URL of the download was used, or it has expired. Reading the export again returns another one.',
  },
  TooLarge: {
    status: 413,
    title: 'Too large',
    meaning: 'The body or file is larger than the endpoint accepts.',
  },
  UnsupportedMediaType: {
    status: 415,
    title: 'Unsupported media type',
    meaning:
      'The endpoint does not accept this content type, the body is compressed, or the type of the uploaded file is not supported.',
  },
  RangeNotSatisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    meaning: 'The `Range` is beyond the end of the file. `Content-Range` contains its size.',
  },
  IdempotencyKeyReused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'The `Idempotency-Key` was already used with another body.',
  },
  RateLimited: {
    status: 429,
    title: 'Rate limited',
    meaning:
      'Too many requests, too many bytes of requests, responses or removed files, or too many signatures of contract wallets. `Retry-After` says when to retry.',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The request line and headers exceed 16 KiB.',
  },
  InternalError: {
    status: 500,
    title: 'Internal error',
    meaning:
      'An internal error occurred. The id in `instance`, of the request or of the operation, identifies it in the log.',
  },
  FormatNotSupported: {
    status: 501,
    title: 'Format not supported',
    meaning: 'The endpoint does not return this format. oEmbed returns only `json`.',
  },
  ChainUnavailable: {
    status: 503,
    title: 'Chain unavailable',
    meaning:
      'A contract wallet or an ENS name was to be asked, and no endpoint of its chain has given a usable response. Nothing was decided. `Retry-After` says when to retry.',
  },
  Unavailable: {
    status: 503,
    title: 'Unavailable',
    meaning:
      'The database is unavailable, or the service is overloaded or shutting down. `Retry-After` says when to retry.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof ERRORS;

/**
 * One error in a request: where it is (a JSON pointer into the body, or the name of a parameter or header)
 * and what is wrong.
 */
export type RequestError = { pointer: string; detail: string } | { parameter: string; detail: string };
