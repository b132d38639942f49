import { Agent } from 'node:http';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { ATTACK_MS, type Attack, repeatAtOnce } from './attack.ts';
import { jsonHeaders, sendRequest } from './http.ts';

const CONNECTIONS = 8;
const CONTRIBUTORS = 10_000;
const MIN_ACCEPTED = 20;

export const LARGE_ALLOWLISTS: Attack = {
  name: 'large allowlists from one key',
  effect: `Creates tokens with ${CONTRIBUTORS.toLocaleString('en')} contributors each, as fast as the service accepts them.`,
  countsIf: `${MIN_ACCEPTED} were accepted, or one was refused with 503`,
  durationMs: ATTACK_MS,
  hasHappened: ({ 202: accepted = 0, 503: refused = 0 }) => accepted >= MIN_ACCEPTED || refused > 0,
  async send({ url, caller: { communityId, apiKey, localAddress }, name }, signal) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const creator = newWallet(name);
    const contributors = Array.from(
      { length: CONTRIBUTORS },
      (_, index) => `0x${index.toString(16).padStart(40, '0')}`,
    );
    const fields = { communityId, isAllowlistRequired: true, totalClaimCount: null, contributors };
    return await repeatAtOnce(CONNECTIONS, signal, async (index) => {
      const body = JSON.stringify(await signedToken({ ...fields, headline: `${name} ${index}` }, creator));
      const headers = jsonHeaders(apiKey);
      const request = { url, path: '/v1/tokens', method: 'POST', headers, body, localAddress, agent, signal };
      return (await sendRequest(request)).status;
    });
  },
};
