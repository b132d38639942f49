import { BadgeApiError, BadgeConnectionError } from './errors.ts';
import type { Problem } from './types.ts';

/** The client does not retry if `Retry-After` is longer than this. */
const MAX_RETRY_AFTER_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;

/** One request to the API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below the URL of the service. */
  path: string;
  query?: object;
  /** The body: JSON, or a form for uploads. */
  body?: object;
  idempotencyKey: string | null;
  /** Whether the request has no second effect if it is sent again. */
  isRetrySafe: boolean;
  /** Whether a successful response is a file, not JSON. */
  isFile?: boolean;
  signal?: AbortSignal | undefined;
  /** How long one attempt may take. */
  timeoutMs: number;
  maxRetries: number;
}

/** A successful response. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  /** The parsed body, or a `Blob` if it is a file; undefined if it is empty. */
  body: unknown;
}

export interface TransportOptions {
  url: string;
  apiKey: string | undefined;
  fetch: typeof globalThis.fetch;
}

export type SendRequest = (request: ApiRequest) => Promise<ApiResponse>;

/** Returns a function that sends requests, and retries them after transient errors if that is safe. */
export function createTransport({ url, apiKey, fetch }: TransportOptions): SendRequest {
  return async (request) => {
    const { method, path, query, isRetrySafe, maxRetries, signal } = request;
    const target = `${url}${path}${buildQuery(query)}`;
    const init = buildRequest(request, apiKey);
    let mayBeExecuted = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce(target, init, request);
      } catch (error) {
        const isNotFound = error instanceof BadgeApiError && error.status === 404;
        // An earlier attempt, whose response was lost, may have deleted the resource.
        if (method === 'DELETE' && mayBeExecuted && isNotFound)
          return { status: 204, headers: new Headers(), body: undefined };
        const pauseMs = isRetrySafe && attempt <= maxRetries ? findRetryPause(error, attempt) : null;
        if (pauseMs === null) throw error;
        // A 503 can also mean that the service lost its connection to the database during the commit.
        if (!(error instanceof BadgeApiError) || error.status === 503) mayBeExecuted = true;
        await pause(pauseMs, signal);
      }
    }
  };

  async function sendOnce(
    target: string,
    init: RequestInit,
    { idempotencyKey, signal, timeoutMs, isFile = false }: ApiRequest,
  ): Promise<ApiResponse> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort);
    const timer = setTimeout(abort, timeoutMs);
    try {
      const response = await fetch(target, { ...init, signal: controller.signal });
      const { ok, status, headers } = response;
      if (ok && isFile) return { status, headers, body: await response.blob() };
      const text = await response.text();
      return readResponse(response, text, idempotencyKey);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof BadgeApiError || error instanceof BadgeConnectionError) throw error;
      const message = controller.signal.aborted
        ? `${url} did not respond within ${timeoutMs / 1_000} seconds.`
        : `The connection to ${url} failed (${readCause(error)}). Check \`url\`, and whether the service is running.`;
      throw new BadgeConnectionError(message, { cause: error, idempotencyKey });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }
}

/**
 * Returns how long to wait after attempt number `attempt`, in milliseconds; null if the request must not be
 * retried.
 */
export function findRetryPause(error: unknown, attempt: number): number | null {
  if (!isTransient(error)) return null;
  const retryAfterMs = error instanceof BadgeApiError ? (error.retryAfterMs ?? 0) : 0;
  if (retryAfterMs > MAX_RETRY_AFTER_MS) return null;
  const longestPauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
  // Random, so that different clients do not retry at the same moment.
  return retryAfterMs + longestPauseMs * (0.5 + Math.random() / 2);
}

function isTransient(error: unknown): boolean {
  if (error instanceof BadgeApiError)
    return [408, 429, 503].includes(error.status) || error.name === 'IdempotencyKeyInUse';
  return error instanceof BadgeConnectionError && [null, 502, 503, 504].includes(error.status);
}

/** Resolves after this time. Rejects with the reason of the signal if it is aborted. */
export async function pause(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, pauseMs);
    function abort(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Returns why fetch() failed: in Node the code of its cause, such as ECONNREFUSED. */
function readCause(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return cause?.code ?? message ?? String(error);
}

function buildRequest({ method, body, idempotencyKey }: ApiRequest, apiKey: string | undefined): RequestInit {
  // fetch() throws for some invalid keys, and its error would look like a lost connection.
  if (idempotencyKey !== null && !/^[!-~]{1,255}$/.test(idempotencyKey))
    throw new TypeError('`idempotencyKey` must have 1 to 255 visible ASCII characters.');
  const isForm = body instanceof FormData;
  const headers: Record<string, string> = {
    Accept: 'application/json, application/problem+json',
    ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
    ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
    ...(idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
  // A redirected POST would become a GET.
  const init: RequestInit = { method, headers, redirect: 'manual' };
  return body === undefined ? init : { ...init, body: isForm ? body : JSON.stringify(body) };
}

function buildQuery(query: object = {}): string {
  const parameters = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]): [string, string] => [name, String(value)]);
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
}

function readResponse(response: Response, text: string, idempotencyKey: string | null): ApiResponse {
  const { status, headers } = response;
  const body = parse(text);
  if (response.ok && (text === '' || body !== undefined)) return { status, headers, body };
  if (isProblem(body)) {
    const retryAfterMs = readRetryAfter(headers.get('Retry-After'));
    const requestId = headers.get('X-Request-Id');
    throw new BadgeApiError(body, { requestId, idempotencyKey, retryAfterMs });
  }
  throw new BadgeConnectionError(
    `The response of ${response.url || 'the service'} with status ${status} is not one of Badge. Check \`url\`, and the proxy in front of the service.`,
    { status, idempotencyKey },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(body: unknown): body is Problem {
  const problem = (body ?? {}) as Partial<Problem>;
  return typeof problem.name === 'string' && typeof problem.detail === 'string';
}

// Seconds or an HTTP date.
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const retryAfterMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(retryAfterMs) ? null : Math.max(retryAfterMs, 0);
}
