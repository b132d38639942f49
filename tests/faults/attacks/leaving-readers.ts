import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ATTACK_MS, type Attack } from './attack.ts';
import { ATTACKER } from './callers.ts';
import { ensureTokens, updateTokens } from './stored-tokens.ts';

const TOKENS = 1_000;
const TEXT_CHARACTERS = 1_600;
// 12 connections every 20 ms are 600 per second.
const OPENED_AT_ONCE = 12;
const PAUSE_MS = 20;
// Every second client closes its connection at once, the others after this time.
const STAY_MS = 200;
const MIN_REQUESTED = 1_000;

export const LEAVING_READERS: Attack = {
  name: 'long pages for clients that leave',
  effect: `Opens 600 connections per second from one address. Each requests a page of ${TOKENS.toLocaleString('en')} tokens with 1.8 MB, and is closed at once or after ${STAY_MS} ms.`,
  countsIf: `${MIN_REQUESTED.toLocaleString('en')} pages were requested`,
  durationMs: ATTACK_MS,
  isOnConnections: true,
  hasHappened: ({ requested = 0 }) => requested >= MIN_REQUESTED,
  async prepare(databaseUrl) {
    const attribute = (name: string, value: string) =>
      `jsonb_build_object('fieldName', '${name}', 'type', 'string', 'value', ${value})`;
    const customAttributes = `jsonb_build_array(${attribute('kind', `'long'`)}, ${attribute('text', `repeat('x', ${TEXT_CHARACTERS})`)})`;
    const isNew = await ensureTokens(databaseUrl, { name: 'long page', count: TOKENS, customAttributes });
    if (!isNew) await updateTokens(databaseUrl, 'long page', 'is_hidden = false');
    return {};
  },
  // Otherwise, pages that are read after the attack could be large.
  restore: async (databaseUrl) => await updateTokens(databaseUrl, 'long page', 'is_hidden = true'),
  async send({ url, caller: { localAddress } }, signal) {
    const { hostname, port } = new URL(url);
    const path = `/v1/communities/${ATTACKER.communityId}/tokens?kind=long&limit=${TOKENS}`;
    const counts = { requested: 0, failed: 0 };
    while (!signal.aborted) {
      for (let opened = 0; opened < OPENED_AT_ONCE; opened += 1) {
        const socket = connect({ host: hostname, port: Number(port), localAddress });
        socket.on('error', () => {
          counts.failed += 1;
        });
        socket.on('connect', () => {
          counts.requested += 1;
          socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
          if (opened % 2 === 0) socket.destroySoon();
          else setTimeout(() => socket.destroy(), STAY_MS);
        });
      }
      await wait(PAUSE_MS);
    }
    return counts;
  },
};
