import { connect } from 'node:net';
import { ATTACK_MS, type Attack, repeatConcurrently } from './attack.ts';

const CONNECTIONS = 1_000;
// Most connections send as many requests as one connection may have in progress. Every tenth connection sends
// more: over 64 KiB, which is the most that Node parses at once.
const PIPELINED = 10;
const PIPELINED_ABOVE_LIMIT = 2_000;
const PATHS = ['/openapi.json', '/healthz', '/v1/tokens', '/nothing'];

export const PIPELINED_REQUESTS: Attack = {
  name: 'pipelined requests',
  effect: `Sends ${PIPELINED} or ${PIPELINED_ABOVE_LIMIT} requests at once on each of ${CONNECTIONS} connections from one address, again and again.`,
  countsIf: `${CONNECTIONS} connections got a response, were closed or had to wait`,
  durationMs: ATTACK_MS,
  isOnConnections: true,
  hasHappened: ({ responded = 0, closed = 0, unfinished = 0 }) =>
    responded + closed + unfinished >= CONNECTIONS,
  async send({ url, caller: { localAddress } }, signal) {
    const { hostname, port } = new URL(url);
    return await repeatConcurrently(CONNECTIONS, signal, async (index) => {
      const path = PATHS[index % PATHS.length];
      const isAboveLimit = index % 10 === 0;
      const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
      const lastRequest = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`;
      const socket = connect({ host: hostname, port: Number(port), localAddress, signal });
      socket.write(request.repeat((isAboveLimit ? PIPELINED_ABOVE_LIMIT : PIPELINED) - 1) + lastRequest);
      let bytes = 0;
      try {
        for await (const piece of socket) bytes += piece.length;
      } catch (error) {
        // The service closes a connection with too many requests.
        if (!isAboveLimit) throw error;
      }
      return bytes > 0 ? 'responded' : 'closed';
    });
  },
};
