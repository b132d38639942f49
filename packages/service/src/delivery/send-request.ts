import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/**
 * Sends a request to a server of others, and returns its response, of which nothing has been read. Redirects
 * are not followed, and no proxy is used, whatever the environment says. `onConnection` is called when the
 * request has a connection, with whether it was used before.
 */
export function sendRequest(
  url: URL,
  { headers, ...options }: RequestOptions & { headers: Record<string, string> },
  body?: string,
  onConnection?: (isReused: boolean) => void,
): Promise<IncomingMessage> {
  const isHttps = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (isHttps ? requestHttps : requestHttp)(url, {
      ...options,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
        'Accept-Encoding': 'identity',
      },
      // Also with NODE_TLS_REJECT_UNAUTHORIZED=0.
      ...(isHttps ? { rejectUnauthorized: true } : {}),
    });
    request.on('socket', () => onConnection?.(request.reusedSocket));
    request.on('response', resolve);
    request.on('error', reject);
    // A response with the status 101 causes neither of these events.
    request.on('close', () => reject(new Error('it was closed without a response')));
    request.end(body);
  });
}
