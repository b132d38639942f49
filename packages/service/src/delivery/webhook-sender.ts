import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createAddressGuard, RefusedAddress } from './address-guard.ts';
import { createGuardedLookup, type Resolve, resolveName } from './guarded-lookup.ts';
import { sendRequest } from './send-request.ts';

// docs/api.md states these limits.
const MAX_REQUEST_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** How much of a response can be shown. */
const SHOWN_BYTES = 1_024;
// The outcome for a host that is not reached always comes this long after the start. Our own DNS answers at
// once for names of our network, so otherwise the time would tell which names exist.
const UNREACHABLE_AFTER_MS = 1_000;

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What a request led to. The texts of `detail` contain neither the URL nor an address. */
export type RequestOutcome =
  | { kind: 'response'; status: number; bodyStart: string; retryAfterSeconds: number | null }
  | {
      kind: 'timeout' | 'unreachableHost' | 'badCertificate' | 'noConnection';
      detail: string;
    };

export interface WebhookSender {
  /** Sends a POST request. Never rejects. */
  send(request: OutgoingRequest): Promise<RequestOutcome>;
  /** Whether requests may be sent to an address, which is not a name. */
  isAllowedAddress(address: string): boolean;
  /** Whether a URL may begin with http. */
  mayUseHttp: boolean;
}

/**
 * Sends the requests of webhooks, but not into our own network: each address that a name has at the moment of
 * a connection is checked, and this address is connected to. `allowedRanges` opens ranges of addresses.
 * Redirects are not followed.
 */
export function createWebhookSender({
  allowedRanges,
  isHttpAllowed,
  resolve = resolveName,
  maxRequestMs = MAX_REQUEST_MS,
  unreachableAfterMs = UNREACHABLE_AFTER_MS,
}: {
  allowedRanges: string[];
  /** Whether http can be used for all addresses. Otherwise, only for those in `allowedRanges`. */
  isHttpAllowed: boolean;
  resolve?: Resolve;
  maxRequestMs?: number;
  unreachableAfterMs?: number;
}): WebhookSender {
  const guard = createAddressGuard(allowedRanges);

  async function send({ url: text, headers, body }: OutgoingRequest): Promise<RequestOutcome> {
    const url = new URL(text);
    const isHttps = url.protocol === 'https:';
    const check = (address: string) => {
      if (!guard.isAllowed(address)) throw new RefusedAddress();
      if (!isHttps && !isHttpAllowed && !guard.isOpened(address)) throw new RefusedAddress();
    };
    const signal = AbortSignal.timeout(maxRequestMs);
    const unreachableAtMs = performance.now() + unreachableAfterMs;
    try {
      const hostname = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(hostname) !== 0) check(hostname);
      const response = await sendRequest(
        url,
        {
          method: 'POST',
          headers: {
            ...headers,
            'Content-Type': 'application/json',
            'User-Agent': 'Badge-Webhooks/1',
            Connection: 'close',
          },
          // A connection of its own, so that each request checks the address.
          agent: false,
          lookup: createGuardedLookup({ resolve, check, signal }),
          signal,
        },
        body,
      );
      return { kind: 'response', ...(await readResponse(response, signal)) };
    } catch (error) {
      const outcome = describeError(error as NodeJS.ErrnoException, signal, maxRequestMs);
      if (outcome.kind === 'unreachableHost') await wait(Math.max(0, unreachableAtMs - performance.now()));
      return outcome;
    }
  }

  return {
    send,
    isAllowedAddress: guard.isAllowed,
    mayUseHttp: isHttpAllowed || allowedRanges.length > 0,
  };
}

/** Reads a response, up to a limit. If its body breaks off, its status counts nevertheless. */
async function readResponse(
  response: IncomingMessage,
  signal: AbortSignal,
): Promise<Omit<Extract<RequestOutcome, { kind: 'response' }>, 'kind'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (bytes < SHOWN_BYTES) chunks.push(chunk.subarray(0, SHOWN_BYTES - bytes));
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) break;
    }
  } catch (error) {
    if (signal.aborted) throw error;
  } finally {
    response.destroy();
  }
  return {
    status: response.statusCode ?? 0,
    bodyStart: Buffer.concat(chunks).toString('utf8'),
    retryAfterSeconds: parseRetryAfter(response.headers['retry-after']),
  };
}

// The header contains seconds, or a date.
function parseRetryAfter(value: string | undefined): number | null {
  if (value === undefined) return null;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return seconds > 0 ? seconds : null;
}

function describeError(
  error: NodeJS.ErrnoException,
  signal: AbortSignal,
  maxRequestMs: number,
): RequestOutcome {
  const { code = '', syscall = '' } = error;
  // One text, whether DNS knows the name or not: otherwise it would tell which names of our own network
  // exist.
  if (error instanceof RefusedAddress || syscall.startsWith('query') || code === 'ENOTFOUND') {
    return {
      kind: 'unreachableHost',
      detail: 'The host of the URL has no address that webhooks may be sent to.',
    };
  }
  if (signal.aborted) {
    return {
      kind: 'timeout',
      detail: `There was no complete response within ${maxRequestMs / 1_000} seconds.`,
    };
  }
  if (/CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return { kind: 'badCertificate', detail: `The TLS certificate is refused (${code}).` };
  }
  const reason = code === '' ? '' : ` (${code})`;
  return { kind: 'noConnection', detail: `The connection failed${reason}.` };
}
