import { Agent } from 'node:http';
import { ATTACK_MS, type Attack, countAllExcept, repeatConcurrently } from './attack.ts';
import { sendRequest } from './http.ts';
import { insertTokens } from './stored-tokens.ts';

// With fewer connections, a service that drew pictures in the order of arrival would pass on a fast machine.
const CONNECTIONS = 480;
const TOKENS = 3_000;
const MIN_REQUESTS = 80;

export const UNDRAWN_PICTURES: Attack = {
  name: 'undrawn pictures for one address',
  effect: `Requests pictures that were never drawn, on ${CONNECTIONS} connections from one address.`,
  countsIf: `${MIN_REQUESTS} pictures were requested, and one was drawn`,
  durationMs: ATTACK_MS,
  // A request without a response counts too: its picture was requested.
  hasHappened: (counts) => countAllExcept(counts) >= MIN_REQUESTS && (counts[200] ?? 0) > 0,
  prepare: async (databaseUrl) => await insertTokens(databaseUrl, { name: 'undrawn', count: TOKENS }),
  async send({ url, caller: { localAddress }, params: { firstTokenId = 0 } }, signal) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    return await repeatConcurrently(CONNECTIONS, signal, async (index) => {
      const path = `/images/token/${firstTokenId + (index % TOKENS)}.png`;
      return (await sendRequest({ url, path, localAddress, agent, signal })).status;
    });
  },
};
