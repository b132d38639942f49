import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { sendRequest } from '../delivery/send-request.ts';

/** What the requests to one endpoint may use. */
export interface EndpointLimits {
  /** How many connections it has. Further requests wait for one of them. */
  concurrency: number;
  /** From when a request has a connection to the last byte of its response. */
  requestMs: number;
  /** The size of a response, unless the caller allows less. */
  responseBytes: number;
}

export const ENDPOINT_LIMITS: EndpointLimits = {
  requestMs: 3_000,
  concurrency: 8,
  // A block lists the hashes of its transactions.
  responseBytes: 1024 * 1024,
};

/** What a node has responded. */
export type RpcOutcome =
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; code: number; message: string; data: string | null };

/**
 * Thrown if an endpoint has given no usable response. The reason names neither the URL, which can contain a
 * key, nor what the endpoint has sent.
 */
export class EndpointFailure extends Error {
  override name = 'EndpointFailure';
}

/** Thrown if a node has responded with an error, which the request may have caused. */
export class RpcFailure extends EndpointFailure {}

/** Thrown if the time of a whole read is over before the endpoint was late with this request. */
export class ReadTimeout extends EndpointFailure {}

export interface Endpoint {
  /**
   * Sends one request. Rejects with `EndpointFailure`. A response with more than
   * `maxBytes` counts up to there if a text in it is long; otherwise, it is a failure.
   */
  send(request: RpcRequest, signal: AbortSignal): Promise<RpcOutcome>;
  close(): void;
}

export interface RpcRequest {
  method: string;
  params: unknown[];
  maxBytes?: number;
}

/** Sends JSON-RPC requests to one URL, within limits. Redirects are not followed, and no proxy is used. */
export function createEndpoint(url: string, limits: EndpointLimits = ENDPOINT_LIMITS): Endpoint {
  const target = new URL(url);
  const agentOptions = { keepAlive: true, maxSockets: limits.concurrency };
  const agent = target.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  let lastId = 0;

  async function post(body: string, signal: AbortSignal, onConnection: () => void): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt += 1) {
      let isReused = false;
      try {
        const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
        return await sendRequest(target, { method: 'POST', headers, agent, signal }, body, (wasUsed) => {
          isReused = wasUsed;
          onConnection();
        });
      } catch (error) {
        // The server has closed an idle connection at the moment at which it was used again.
        const isStale = isReused && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
        if (!isStale || attempt > limits.concurrency) throw error;
      }
    }
  }

  async function exchange(
    { method, params, maxBytes = limits.responseBytes }: RpcRequest,
    signal: AbortSignal,
    onConnection: () => void,
  ): Promise<RpcOutcome> {
    lastId += 1;
    const id = lastId;
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id, method, params }), signal, onConnection);
    try {
      if (response.statusCode === 429) throw new EndpointFailure('it is throttling (HTTP 429)');
      if (response.statusCode !== 200) throw new EndpointFailure(`it responded HTTP ${response.statusCode}`);
      return parseResponse(await readText(response, Math.min(maxBytes, limits.responseBytes)), id);
    } finally {
      // A response that was read to its end has released its connection.
      if (!response.complete) response.destroy();
    }
  }

  return {
    send: async (request, signal) => {
      const late = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      const startTimer = () => {
        timer ??= setTimeout(() => late.abort(), limits.requestMs);
      };
      try {
        return await exchange(request, AbortSignal.any([signal, late.signal]), startTimer);
      } catch (error) {
        if (error instanceof EndpointFailure) throw error;
        if (late.signal.aborted) throw new EndpointFailure('it did not respond in time');
        if (signal.aborted) throw new ReadTimeout('a read took too long');
        throw new EndpointFailure(describeError(error as NodeJS.ErrnoException));
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

// Only the code: the message of an error can contain the host.
function describeError({ code }: NodeJS.ErrnoException): string {
  return `the connection failed${code === undefined ? '' : ` (${code})`}`;
}

interface ReadText {
  text: string;
  /** Whether there is more. */
  isCut: boolean;
}

async function readText(response: IncomingMessage, maxBytes: number): Promise<ReadText> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8'), isCut: bytes > maxBytes };
}

function parseResponse({ text, isCut }: ReadText, id: number): RpcOutcome {
  const message = isCut ? parseCut(text) : parseJson(text);
  if (message === undefined) {
    throw new EndpointFailure(isCut ? 'its response is too long' : 'its response is not JSON');
  }
  // A cut response may have lost its id.
  if (!isRecord(message) || (message.id !== id && !(isCut && message.id === undefined))) {
    throw new EndpointFailure('its response is not one to this request');
  }
  const { error } = message;
  if (error !== undefined && error !== null) return parseError(error);
  if (message.result === undefined)
    throw new EndpointFailure('its response has neither a result nor an error');
  return { kind: 'result', result: message.result };
}

function parseError(error: unknown): RpcOutcome {
  if (!isRecord(error) || typeof error.code !== 'number' || typeof error.message !== 'string') {
    throw new EndpointFailure('its response has a malformed error');
  }
  const data = typeof error.data === 'string' ? error.data : null;
  return { kind: 'error', code: error.code, message: error.message, data };
}

// The longest escape sequence of JSON is `\u0000`.
const MAX_ESCAPE_LENGTH = 6;

// A contract decides how long a result, or the message and the data of a revert, are. If the response breaks
// off in such a text, everything before counts, without an escape sequence that is incomplete.
function parseCut(text: string): unknown {
  for (let dropped = 0; dropped < MAX_ESCAPE_LENGTH; dropped += 1) {
    const kept = text.slice(0, text.length - dropped);
    const message = parseJson(`${kept}"}`) ?? parseJson(`${kept}"}}`);
    if (message !== undefined) return message;
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
