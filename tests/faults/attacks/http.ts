import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export interface HttpRequest {
  /** The base URL of the service. */
  url: string;
  path: string;
  localAddress: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Default: a new connection for this request. */
  agent?: Agent;
  /** Aborts the request, also while the response is being read. */
  signal: AbortSignal;
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request and reads the response. Rejects if the connection breaks. */
export async function sendRequest(options: HttpRequest): Promise<HttpResponse> {
  const response = await openResponse(options);
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) };
}

/** Sends a request. Resolves when the headers of the response have arrived. */
export async function openResponse(options: HttpRequest): Promise<IncomingMessage> {
  const { url, path, body, agent = false, method = 'GET', headers = {}, localAddress, signal } = options;
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  return await new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, url),
      { method, agent, localAddress, signal, headers: { ...headers, ...length } },
      resolve,
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The headers of a JSON request with an API key. */
export function jsonHeaders(apiKey: string): Record<string, string> {
  return { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
}
