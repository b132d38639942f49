interface ErrorEntry {
  status: number;
  title: string;
  meaning: string;
}

/** Every error name the service answers with: its HTTP status, its short title and when it is given. */
export const ERRORS = {
  InvalidRequest: {
    status: 400,
    title: 'Invalid request',
    meaning: 'The body, the path or the query is malformed; `errors` lists every error.',
  },
  SignatureRequired: {
    status: 400,
    title: 'Signature required',
    meaning: "The token can be claimed only with the claimer's signature.",
  },
  InvalidSignature: {
    status: 400,
    title: 'Invalid signature',
    meaning: 'The signature is malformed: its shape, its v, the range of r and s, or a high s.',
  },
  ApiKeyRequired: {
    status: 401,
    title: 'API key required',
    meaning: 'The call needs an API key and none was sent.',
  },
  InvalidApiKey: {
    status: 401,
    title: 'Invalid API key',
    meaning: 'The API key is unknown, expired or revoked, or does not fit the community named with it.',
  },
  ApiKeyOrSignatureRequired: {
    status: 401,
    title: 'API key or signature required',
    meaning: "The claim needs the community's API key or the claimer's signature, and neither was sent.",
  },
  ApiKeyNotAllowed: {
    status: 403,
    title: 'API key not allowed',
    meaning: "The API key belongs to another community, or the call needs the operator's key.",
  },
  BadgeRegisterRequestNotSignedByCreator: {
    status: 403,
    title: 'Not signed by the creator',
    meaning: 'The signature over the token fields was not made by `creator` in this signing domain.',
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
      'The `CommunityAdminAirdropReceiverConsent` signature was not made by `receivingAddress` in this signing domain.',
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
  NotCommunityAdmin: {
    status: 403,
    title: 'Not a community admin',
    meaning: "The `adminAddress` is not one of the community's `adminAddresses`.",
  },
  NftTypeNotUserAdded: {
    status: 403,
    title: 'NFT type not added by the community',
    meaning: 'A built-in NFT type cannot be deleted.',
  },
  NotFound: { status: 404, title: 'Not found', meaning: 'There is nothing at this path.' },
  TokenNotFound: { status: 404, title: 'Token not found', meaning: 'There is no token with this id.' },
  CommunityNotFound: {
    status: 404,
    title: 'Community not found',
    meaning: 'There is no community with this id.',
  },
  NftTypeNotFound: {
    status: 404,
    title: 'NFT type not found',
    meaning: 'The community has no NFT type with this id.',
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
  MethodNotAllowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not with this method; `Allow` lists the methods it has.',
  },
  RequestTimeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The headers or the body did not come in time; nothing was executed.',
  },
  ClaimingAddressAlreadyHasToken: {
    status: 409,
    title: 'Already claimed',
    meaning: 'The address, or the identifier, has claimed this token before.',
  },
  NoTokensLeft: { status: 409, title: 'No tokens left', meaning: 'Every claim of the token has been made.' },
  TokenClaimExpired: {
    status: 409,
    title: 'Token claim expired',
    meaning: 'The token can no longer be claimed.',
  },
  TokenNotOwned: {
    status: 409,
    title: 'Token not owned',
    meaning: 'The address does not hold the token.',
  },
  AllowlistMismatch: {
    status: 409,
    title: 'Allowlist mismatch',
    meaning: 'The call is for open tokens and this one is allowlisted, or the other way round.',
  },
  CommunityExists: { status: 409, title: 'Community exists', meaning: 'The `uniqId` is taken.' },
  NftTypeExists: {
    status: 409,
    title: 'NFT type exists',
    meaning: 'The `nftTypeId` is taken, or was once.',
  },
  NftTypeLimitReached: {
    status: 409,
    title: 'NFT type limit reached',
    meaning: 'The community has added 50 NFT types.',
  },
  IdempotencyKeyInUse: {
    status: 409,
    title: 'Idempotency key in use',
    meaning: 'A request with this `Idempotency-Key` is still running.',
  },
  TooLarge: { status: 413, title: 'Too large', meaning: 'The body or file is larger than the call accepts.' },
  UnsupportedMediaType: {
    status: 415,
    title: 'Unsupported media type',
    meaning:
      'The body has another content type than the call accepts, or it is compressed; or the file is of no type that can be uploaded.',
  },
  RangeNotSatisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    meaning: 'The `Range` lies beyond the end; `Content-Range` tells the size.',
  },
  IdempotencyKeyReused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'The `Idempotency-Key` was used with another body.',
  },
  RateLimited: {
    status: 429,
    title: 'Rate limited',
    meaning: 'Too many requests; try again after `Retry-After`.',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The request line and headers are larger than 16 KiB.',
  },
  InternalError: {
    status: 500,
    title: 'Internal error',
    meaning: 'An internal error. The request id in `instance` finds it in the log.',
  },
  Unavailable: {
    status: 503,
    title: 'Unavailable',
    meaning: 'The database is out of reach or the service is shutting down; try again after `Retry-After`.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof ERRORS;

/** One error of a request: where it is (an RFC 6901 pointer into the body, or a parameter) and what it is. */
export type RequestError = { pointer: string; detail: string } | { parameter: string; detail: string };
