import { Agent } from 'node:http';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { ATTACK_MS, type Attack, repeatConcurrently } from './attack.ts';
import { jsonHeaders, sendRequest } from './http.ts';
import { deletePendingOperations, insertPendingCreations } from './stored-tokens.ts';

const CONNECTIONS = 8;
const CONTRIBUTORS = 10_000;
// Almost as many as the service accepts: the pending requests of one community may have 64 MiB together.
const PENDING = 120;
const MIN_ACCEPTED = 20;

export const LARGE_ALLOWLISTS: Attack = {
  name: 'large allowlists from one key',
  effect: `Puts ${PENDING} tokens with ${CONTRIBUTORS.toLocaleString('en')} contributors each into the queue, and creates more as fast as the service accepts them.`,
  countsIf: `${MIN_ACCEPTED} creations were accepted, or one was refused with 503`,
  durationMs: ATTACK_MS,
  hasHappened: ({ 202: accepted = 0, 503: refused = 0 }) => accepted >= MIN_ACCEPTED || refused > 0,
  // On a slow machine, accepting a request takes as long as settling it, so requests alone would not fill the
  // queue.
  async prepare(databaseUrl) {
    await insertPendingCreations(databaseUrl, {
      name: 'pending',
      count: PENDING,
      contributors: CONTRIBUTORS,
    });
    return {};
  },
  restore: deletePendingOperations,
  async send({ url, caller: { communityId, apiKey, localAddress }, uniqueName }, signal) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    // Contributors are short, so that a body has less than 64 KiB and counts as one request for the rate
    // limit.
    const contributors = Array.from({ length: CONTRIBUTORS }, (_, index) => index.toString(36));
    const fields = {
      headline: uniqueName,
      communityId,
      isAllowlistRequired: true,
      totalClaimCount: null,
      contributors,
    };
    const body = Buffer.from(JSON.stringify(await signedToken(fields, newWallet(uniqueName))));
    const request = { url, path: '/v1/tokens', method: 'POST', body, localAddress, agent, signal };
    return await repeatConcurrently(CONNECTIONS, signal, async () => {
      // Each request creates a token of its own, although the bodies are equal.
      const headers = { ...jsonHeaders(apiKey), 'Idempotency-Key': crypto.randomUUID() };
      return (await sendRequest({ ...request, headers })).status;
    });
  },
};
