import net from 'node:net';
import { buffer } from 'node:stream/consumers';
import tls from 'node:tls';
import { type ApiResponse, baseUrl } from '../client.ts';

/**
 * Sends bytes unchanged on a new connection, reads until the service closes it, and returns the response.
 * The status is 0 if there is no response. Throws if there is more than one.
 */
export async function writeBytes(request: string | Uint8Array): Promise<ApiResponse> {
  const { protocol, hostname, port } = new URL(baseUrl);
  const socket =
    protocol === 'https:'
      ? tls.connect({ host: hostname, port: Number(port || 443), servername: hostname })
      : net.connect({ host: hostname, port: Number(port || 80) });
  socket.write(typeof request === 'string' ? Buffer.from(request, 'latin1') : request);
  return parseResponse(await buffer(socket));
}

function parseResponse(bytes: Buffer): ApiResponse {
  const headEnd = bytes.indexOf('\r\n\r\n');
  const headers = new Headers();
  if (headEnd === -1)
    return { status: 0, headers, bytes: new Uint8Array(bytes), text: bytes.toString('utf8') };
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const body = bytes.subarray(headEnd + 4);
  const text = body.toString('utf8');
  if (/HTTP\/1\.[01] \d{3} /.test(text)) throw new Error(`more than one response: ${bytes}`);
  const status = Number(statusLine.split(' ')[1]);
  return { status, headers, bytes: new Uint8Array(body), text };
}
