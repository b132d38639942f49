import type { ErrorName, RequestError } from '@badge/protocol';

interface RefusalDetails {
  errors?: RequestError[];
  retryAfterSeconds?: number;
  replacedByTokenId?: number;
}

/**
 * An expected error: the reason to refuse a request or an operation. Its HTTP status comes from the error
 * table, by its name.
 */
export class Refusal extends Error {
  readonly errorName: ErrorName;
  readonly errors: RequestError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The token that has replaced the one of the request. */
  readonly replacedByTokenId: number | undefined;

  constructor(errorName: ErrorName, detail: string, details: RefusalDetails = {}) {
    // Nobody reads the stack trace of a refusal. During a flood of refusals, stack traces took a tenth of the
    // processor time.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = stackTraceLimit;
    this.errorName = errorName;
    this.errors = details.errors;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.replacedByTokenId = details.replacedByTokenId;
  }
}

/**
 * A response lists at most this many errors. The check of a list of contributors stops at one error
 * more, so that the detail can say that there are more.
 */
export const MAX_ERRORS = 100;

/**
 * Returns the refusal of a malformed request. Its detail describes the first error; its `errors` are the
 * first 100.
 */
export function invalidRequest(errors: RequestError[]): Refusal {
  const [first] = errors;
  if (first === undefined) return new Refusal('InvalidRequest', 'The request is malformed.');
  const place = 'pointer' in first ? first.pointer || 'The body' : first.parameter;
  const more = describeMore(errors.length);
  return new Refusal('InvalidRequest', `${place} ${first.detail}${more}`, {
    errors: errors.slice(0, MAX_ERRORS),
  });
}

function describeMore(count: number): string {
  if (count === 1) return '';
  return count > MAX_ERRORS
    ? ` (and more; the field errors has the first ${MAX_ERRORS})`
    : ` (and ${count - 1} more, see the field errors)`;
}

/** Throws if there are any errors. */
export function checkNoErrors(errors: RequestError[]): void {
  if (errors.length > 0) throw invalidRequest(errors);
}

/** `what` says of what there was too much, as a sentence. */
export function rateLimited(what: string, pauseSeconds: number): Refusal {
  return new Refusal('RateLimited', `${what} Retry after the number of seconds in Retry-After.`, {
    retryAfterSeconds: Math.ceil(pauseSeconds),
  });
}

export function nftTypeNotFound(): Refusal {
  return new Refusal('NftTypeNotFound', 'The community has no NFT type with this id.');
}
