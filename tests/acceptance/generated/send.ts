import { Agent, type IncomingMessage, request as openRequest } from 'node:http';
import { request as openSecureRequest, Agent as SecureAgent } from 'node:https';
import { buffer } from 'node:stream/consumers';

const RESPONSE_TIMEOUT_MS = 60_000;
const agents = { 'http:': new Agent({ keepAlive: true }), 'https:': new SecureAgent({ keepAlive: true }) };

export interface GeneratedRequest {
  method: string;
  /** The encoded path and query. */
  path: string;
  headers: Record<string, string | string[]>;
  body: Buffer | null;
}

export interface GeneratedResponse {
  status: number;
  headers: Headers;
  /** The body if it is text or JSON, otherwise its size, such as `70 bytes`. */
  text: string;
}

/** Sends a request without the corrections that fetch makes. Rejects if there is no response. */
export function send(baseUrl: string, generated: GeneratedRequest): Promise<GeneratedResponse> {
  const { method, path, headers, body } = generated;
  const { protocol, hostname, port } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (isSecure ? openSecureRequest : openRequest)({
      agent: isSecure ? agents['https:'] : agents['http:'],
      // `URL` writes an IPv6 address in brackets, and `request` expects it without them.
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path,
      headers: { ...headers, ...(body === null ? {} : { 'Content-Length': String(body.length) }) },
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    // If the service closes the connection before it has read the body, an error can follow the response. An
    // error without a listener would end this process. When the response has been read, `reject` has no
    // effect.
    request.once('error', reject);
    request.once('response', (response) => read(response).then(resolve, reject));
    request.end(body ?? undefined);
  });
}

async function read(response: IncomingMessage): Promise<GeneratedResponse> {
  const bytes = await buffer(response);
  const headers = new Headers();
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    headers.append(response.rawHeaders[index] ?? '', response.rawHeaders[index + 1] ?? '');
  }
  const isText = /^text\/|json/.test(headers.get('content-type') ?? '') || bytes.length === 0;
  const text = isText ? bytes.toString() : `${bytes.length} bytes`;
  return { status: response.statusCode ?? 0, headers, text };
}

/** Returns the request as a curl command, with variables instead of the keys. */
export function toCurl(baseUrl: string, generated: GeneratedRequest, keys: Record<string, string>): string {
  const { method, path, headers, body } = generated;
  const quote = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;
  const bodyPipe = body === null ? '' : `printf '%s' ${body.toString('base64')} | base64 -d | `;
  const headerOptions = Object.entries(headers).flatMap(([name, values]) =>
    // curl sends an empty header only if it ends in a semicolon.
    [values].flat().map((value) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
  );
  const start = method === 'HEAD' ? 'curl -I' : `curl -i -X ${method}`;
  const parts = [start, '--path-as-is', quote(`${baseUrl}${path}`), ...headerOptions];
  const command = bodyPipe + [...parts, ...(body === null ? [] : ['--data-binary @-'])].join(' ');
  const isBodyShown = body !== null && body.length < 2_000;
  return Object.entries(keys).reduce(
    (text, [name, key]) => text.replaceAll(key, `'"$${name}"'`),
    isBodyShown ? `# ${JSON.stringify(body.toString())}\n${command}` : command,
  );
}
