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
    meaning: 'The body, the path or the query is malformed; `errors` lists every fault.',
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
  ApiKeyNotAllowed: {
    status: 403,
    title: 'API key not allowed',
    meaning: 'The API key belongs to another community.',
  },
  BadgeRegisterRequestNotSignedByCreator: {
    status: 403,
    title: 'Not signed by the creator',
    meaning: 'The signature over the token fields was not made by `creator` in this signing domain.',
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
  MethodNotAllowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not with this method; `Allow` lists the methods it has.',
  },
  TooLarge: { status: 413, title: 'Too large', meaning: 'The body is larger than the call accepts.' },
  UnsupportedMediaType: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The body is not sent as JSON in UTF-8, or it is compressed.',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The request line and headers are larger than 16 KiB.',
  },
  InternalError: {
    status: 500,
    title: 'Internal error',
    meaning: 'A fault of the service. The request id in `instance` finds it in the log.',
  },
  Unavailable: {
    status: 503,
    title: 'Unavailable',
    meaning: 'The database is out of reach or the service is shutting down; try again after `Retry-After`.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof ERRORS;

/** One fault of a request: where it is (an RFC 6901 pointer into the body, or a parameter) and what it is. */
export type Fault = { pointer: string; detail: string } | { parameter: string; detail: string };
