import { Agent } from 'node:http';
import { ATTACK_MS, type Attack, countAllExcept, repeatConcurrently } from './attack.ts';
import { sendRequest } from './http.ts';
import { ensureTokens } from './stored-tokens.ts';

const CONNECTIONS = 32;
const TOKENS = 50_000;
const MIN_RESPONSES = 50;

export const SLOW_LISTINGS: Attack = {
  name: 'filters and deep offsets',
  effect: `Lists ${TOKENS.toLocaleString('en')} tokens, half of them hidden, with one filter, with several, and with deep offsets, on ${CONNECTIONS} connections.`,
  countsIf: `${MIN_RESPONSES} requests got a response other than 429`,
  durationMs: ATTACK_MS,
  hasHappened: (counts) => countAllExcept(counts, 'failed', 'unfinished', '429') >= MIN_RESPONSES,
  async prepare(databaseUrl) {
    // The even ids are hidden. `group` divides the others into two groups, and `own` differs in every token.
    const customAttributes = `jsonb_build_array(
      jsonb_build_object('fieldName', 'group', 'type', 'number', 'value', token_id / 2 % 2),
      jsonb_build_object('fieldName', 'own', 'type', 'number', 'value', token_id))`;
    const isHidden = 'token_id % 2 = 0';
    await ensureTokens(databaseUrl, { name: 'listed', count: TOKENS, customAttributes, isHidden });
    return {};
  },
  async send({ url, caller: { communityId, localAddress } }, signal) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const listing = `/v1/communities/${communityId}/tokens`;
    return await repeatConcurrently(CONNECTIONS, signal, async (index) => {
      const paths = [
        `${listing}?missing=${index}`,
        `${listing}?group=1&own=${index}&missing=1`,
        `${listing}?own=${index}`,
        `${listing}?group=1&offset=${TOKENS / 4}`,
        `${listing}?offset=${TOKENS / 2 - 50}`,
        `${listing}?headline=missing&group=1`,
        `/v1/tokens?offset=${TOKENS / 2}`,
      ];
      const path = paths[index % paths.length] ?? listing;
      return (await sendRequest({ url, path, localAddress, agent, signal })).status;
    });
  },
};
