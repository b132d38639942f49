import type { ErrorName, Problem, RequestError } from './types.ts';

// What to do about an error, where the detail of the service does not say it.
const HINTS: Partial<Record<ErrorName, string>> = {
  InvalidSignature:
    'Pass a signature of 65 bytes, or of 64 bytes in the compact form of EIP-2098. A contract wallet can sign only if the service has an endpoint of its chain: see `contractWalletChainIds` of getEnvironment().',
  SignatureRequired: 'Pass `signer` to claim(): this token needs the signature of the claimer.',
  ApiKeyRequired: 'Pass `apiKey` to createBadgeClient().',
  InvalidApiKey:
    'Check `apiKey`: it must be complete, without `Bearer`, neither revoked nor expired, and of the service at this `url`.',
  ApiKeyOrSignatureRequired: 'Pass `signer` or `claimCode` to claim(), or `apiKey` to createBadgeClient().',
  ApiKeyNotAllowed:
    "Use a key of this community. createCommunity(), listCommunities() and listAuditLog() without `communityId` need the operator's key; getSession(), listSessions(), signOut() and signOutEverywhere() need a session.",
  InvalidSession:
    'Sign in again with createSignInChallenge() and signIn(), and pass the new `sessionToken` as `apiKey`.',
  RoleNotAllowed:
    'An owner can change the role of a member with setMember(), or create a key with a higher role.',
  SignInRefused:
    'Sign the message of createSignInChallenge() unchanged, once, within ten minutes. Or send the code of the last mail, once, with a challenge of createEmailChallenge() for its address.',
  BadgeRegisterRequestNotSignedByCreator:
    'Do not change a token after it was signed, and sign it with a client of the same service.',
  NotSignedByClaimer:
    'Sign `Claim` for this token with `claimingAddress`, with a client of the same service.',
  NotSignedByOwner:
    'Sign `Burn` for this token with the wallet of the owner, `burningAddress`, with a client of the same service.',
  NotSignedByAdmin: 'Sign `CommunityAdminAirdrop` for this token with `adminAddress`.',
  NotSignedByReceiver: 'Sign `CommunityAdminAirdropReceiverConsent` for this token with `receivingAddress`.',
  NotSignedByCreator: "Sign `AllowlistedAddress` for this token with the token's creator.",
  AddressNotAllowlisted: 'Use another address, or let the creator add this one with addContributors().',
  ClaimCodeInvalid: 'Check `claimCode` and `tokenId`. If both are right, ask for a new link.',
  ClaimCodeUsed: 'The code has no claim left. Ask for a new link.',
  NotCommunityAdmin: "Add the address to the community's `adminAddresses` with updateCommunity().",
  NotFound: 'Check `url`: it is the address of the service, without /v1.',
  CommunityNotFound: 'Check `communityId`: it is the `uniqId` of the community, and case-sensitive.',
  NftTypeNotFound: 'listNftTypes() lists the designs of the community.',
  AllowlistMismatch:
    'addContributors() is for allowlisted tokens, airdrop() for open ones. adminAirdrop() is for both. createClaimLinks() needs `identifiers`, or `count` or `maxClaims` and `signer`, for allowlisted tokens, and only `count` for open ones.',
  ManagedCreatorNotFound: 'The operator gives one with updateCommunity() and `hasManagedCreator`.',
  TokenReplaced: 'Use `replacedByTokenId` as `tokenId`.',
  WebhookDisabled: 'Enable it with updateWebhook() and `isEnabled: true`.',
  WebhookLimitReached: 'Delete a webhook with deleteWebhook().',
  NftTypeExists: 'Leave out `nftTypeId` to get a new id.',
  NftTypeLimitReached: 'Delete a design with deleteNftType().',
  SecretNotRepeated:
    'Find the webhook with listWebhooks() and give it a new secret with rotateWebhookSecret(), or create another API key.',
  IdempotencyKeyReused: 'Use another `idempotencyKey` for another request.',
  ChainUnavailable:
    'Repeat the request later: the chain of the wallet, or of the ENS name, cannot be asked now.',
  RateLimited: 'Send fewer requests, or wait for `retryAfterMs` before the next one.',
  InternalError: 'Give `requestId` to the operator: it is in the log of the service.',
};

/**
 * An error that the service returned. It is also what `wait()` throws if an operation fails.
 * The names are those of the service's error table.
 *
 * @example
 * try {
 *   await badge.claim({ tokenId: 1, signer: account });
 * } catch (error) {
 *   if (error instanceof BadgeApiError && error.name === 'NoTokensLeft') console.log('You are too late.');
 *   else throw error;
 * }
 */
export class BadgeApiError extends Error {
  /** The stable name. A newer service may return a name that is not in this type; then decide by `status`. */
  override readonly name: ErrorName;
  /** The HTTP status. For a failed operation: the status that a request with this error would get. */
  readonly status: number;
  /** What is wrong with this request, in English. */
  readonly detail: string;
  /**
   * What is wrong with the path, query, headers or body, at most 100 errors; empty for an error about
   * something else.
   */
  readonly errors: readonly RequestError[];
  /** The id of the request in the log of the service; null for a failed operation. */
  readonly requestId: string | null;
  /** The id of the operation that failed; null if a request failed. */
  readonly operationId: string | null;
  /**
   * The `Idempotency-Key` of the request; null if it had none. The same request with the same key is a safe
   * retry.
   */
  readonly idempotencyKey: string | null;
  /** With `TokenReplaced`: the token that has replaced the one of the request; otherwise null. */
  readonly replacedByTokenId: number | null;
  /** How long the service asks to wait before a retry, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** What to do about the error; null if `detail` says it. */
  readonly hint: string | null;

  constructor(
    problem: Problem,
    source: {
      requestId?: string | null;
      operationId?: string | null;
      idempotencyKey?: string | null;
      retryAfterMs?: number | null;
    } = {},
  ) {
    const hint = HINTS[problem.name] ?? null;
    const errors = problem.errors ?? [];
    const lines = errors.flatMap((error) => {
      const place = 'pointer' in error ? error.pointer : error.parameter;
      // If there is only one error, `detail` already contains it.
      return problem.detail === `${place} ${error.detail}` ? [] : [`  ${place}: ${error.detail}`];
    });
    super([problem.detail, ...lines, ...(hint === null ? [] : [hint])].join('\n'));
    this.name = problem.name;
    this.status = problem.status;
    this.detail = problem.detail;
    this.errors = errors;
    this.requestId = source.requestId ?? null;
    this.operationId = source.operationId ?? null;
    this.idempotencyKey = source.idempotencyKey ?? null;
    this.replacedByTokenId = problem.replacedByTokenId ?? null;
    this.retryAfterMs = source.retryAfterMs ?? null;
    this.hint = hint;
  }
}

/**
 * The service could not be reached, its response was lost, or something else responded, such as a proxy.
 * A request that writes may have been executed nevertheless.
 *
 * @example
 * try {
 *   await badge.airdrop({ tokenId: 1, address: account.address });
 * } catch (error) {
 *   if (!(error instanceof BadgeConnectionError)) throw error;
 *   // Later: the same request with the same key has an effect only once.
 *   await badge.airdrop({ tokenId: 1, address: account.address }, { idempotencyKey: error.idempotencyKey });
 * }
 */
export class BadgeConnectionError extends Error {
  override readonly name = 'BadgeConnectionError';
  /** The `Idempotency-Key` of the request; null if it had none. */
  readonly idempotencyKey: string | null;
  /**
   * The HTTP status, if something other than the service responded, or a `Location` is missing; otherwise
   * null.
   */
  readonly status: number | null;

  constructor(
    message: string,
    source: { cause?: unknown; idempotencyKey?: string | null; status?: number | null } = {},
  ) {
    super(message, source.cause === undefined ? {} : { cause: source.cause });
    this.idempotencyKey = source.idempotencyKey ?? null;
    this.status = source.status ?? null;
  }
}

/**
 * An operation was not final when the timeout of `wait()` ended. It is still settled later.
 *
 * @example
 * try {
 *   await badge.waitForOperation({ operationId, timeoutMs: 10_000 });
 * } catch (error) {
 *   if (error instanceof BadgeTimeoutError) console.log(`Look again later: ${error.operationId}`);
 *   else throw error;
 * }
 */
export class BadgeTimeoutError extends Error {
  override readonly name = 'BadgeTimeoutError';
  /** The id of the operation, for waitForOperation(). */
  readonly operationId: string;

  constructor(operationId: string, timeoutMs: number, cause?: unknown) {
    super(
      `The operation ${operationId} is not final after ${timeoutMs / 1_000} seconds. It is settled later: call waitForOperation() to wait longer.`,
      cause === undefined ? {} : { cause },
    );
    this.operationId = operationId;
  }
}

/**
 * The wallet cannot make this signature, so the client did not ask for it. The message says what to do.
 * What the wallet itself throws, for example when its user declines, is passed on unchanged.
 *
 * @example
 * try {
 *   await badge.claim({ tokenId: 1, signer: provider });
 * } catch (error) {
 *   if (error instanceof BadgeSignerError && error.name === 'WrongChain') console.log(error.message);
 *   else throw error;
 * }
 */
export class BadgeSignerError extends Error {
  /**
   * `WrongAccount`: the wallet has another account. `WrongChain`: the wallet is on another chain.
   * `NoAccount`: the wallet gives no account. `UnsupportedSigner`: `signer` is none of the supported signers.
   */
  override readonly name: 'WrongAccount' | 'WrongChain' | 'NoAccount' | 'UnsupportedSigner';

  constructor(name: BadgeSignerError['name'], message: string) {
    super(message);
    this.name = name;
  }
}
