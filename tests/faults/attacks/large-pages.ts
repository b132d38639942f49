import { once } from 'node:events';
import { Agent } from 'node:http';
import { type Attack, repeatConcurrently } from './attack.ts';
import { openResponse, sendRequest } from './http.ts';
import { ensureTokens, updateTokens } from './stored-tokens.ts';

const READERS = 16;
const TOKENS = 440;
const LINKS = 615;
const LINK_CHARACTERS = 2_048;
const PAGE_SIZES = [460, 1_000];
const MIN_REQUESTS = 8;

export const LARGE_PAGES: Attack = {
  name: 'large pages of large tokens',
  effect: `Reads pages of 460 and 1,000 tokens on ${READERS} connections. ${TOKENS} of these tokens have 1.26 MB each, a size that only an older release accepted. Every second request reads only the beginning of a page, and then waits.`,
  countsIf: `${MIN_REQUESTS} requests got a page, or were still waiting for one at the end`,
  // The service reads only a few large pages at the same time, and each takes long.
  durationMs: 20_000,
  hasHappened: ({ 200: read = 0, stalled = 0, unfinished = 0 }) =>
    read + stalled + unfinished >= MIN_REQUESTS,
  async prepare(databaseUrl) {
    const links = `to_jsonb(array_fill(repeat('x', ${LINK_CHARACTERS}), array[${LINKS}]))`;
    // The tokens of an earlier attack have these links already, but are hidden.
    const isNew = await ensureTokens(databaseUrl, { name: 'large', count: TOKENS });
    await updateTokens(databaseUrl, 'large', isNew ? `links = ${links}` : 'is_hidden = false');
    return {};
  },
  // Otherwise, pages that are read after the attack could be large.
  restore: async (databaseUrl) => await updateTokens(databaseUrl, 'large', 'is_hidden = true'),
  async send({ url, caller: { localAddress } }, signal) {
    const agent = new Agent({ keepAlive: true, maxSockets: READERS });
    return await repeatConcurrently(READERS, signal, async (index) => {
      const path = `/v1/tokens?order=desc&limit=${PAGE_SIZES[Math.floor(index / 2) % PAGE_SIZES.length]}`;
      const isReadToEnd = index % 2 === 1;
      if (isReadToEnd) return (await sendRequest({ url, path, localAddress, agent, signal })).status;
      const response = await openResponse({ url, path, localAddress, signal });
      response.pause();
      await Promise.race([once(signal, 'abort'), once(response, 'close')]);
      return response.statusCode === 200 ? 'stalled' : (response.statusCode ?? 0);
    });
  },
};
