import { Agent } from 'node:http';
import { newAddress } from '@badge/test-support/signing';
import { ATTACK_MS, type Attack, countAllExcept, repeatConcurrently } from './attack.ts';
import type { Caller } from './callers.ts';
import { jsonHeaders, sendRequest } from './http.ts';

const CONNECTIONS = 32;
const MIN_BODIES = 20;
const MIB = 1024 ** 2;
// The largest allowed body has 4 MiB. Bodies with this many values have almost as much.
const EMPTY_OBJECTS = 1_390_000;
const NUMBERS = 2_090_000;

export const LARGE_BODIES: Attack = {
  name: 'large JSON bodies from one key',
  effect: `Sends bodies of 1 and 4 MiB on ${CONNECTIONS} connections: with 1.4 million objects, 2 million numbers, or 10,000 contributors and a wrong signature.`,
  countsIf: `${MIN_BODIES} bodies got a response, and at least one of them was refused with 400`,
  durationMs: ATTACK_MS,
  hasHappened: (counts) =>
    (counts[400] ?? 0) > 0 && countAllExcept(counts, 'failed', 'unfinished') >= MIN_BODIES,
  async send({ url, caller }, signal) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const bodies = makeBodies(caller);
    const headers = jsonHeaders(caller.apiKey);
    const request = { url, path: '/v1/tokens', method: 'POST', headers, agent, signal };
    const { localAddress } = caller;
    return await repeatConcurrently(CONNECTIONS, signal, async (index) => {
      const body = bodies[index % bodies.length] ?? '';
      return (await sendRequest({ ...request, localAddress, body })).status;
    });
  },
};

function makeBodies({ communityId }: Caller): Buffer[] {
  const token = {
    creator: newAddress(),
    headline: 'Large',
    communityId,
    nftTypeId: 'defaultOrangeRed',
    isSignatureRequired: false,
    isAllowlistRequired: true,
    contributors: Array.from({ length: 10_000 }, (_, index) => `person-${index}@example.org`),
    signature: `0x${'11'.repeat(64)}1b`,
  };
  const padTo = (sizeBytes: number) => {
    const padding = sizeBytes - JSON.stringify({ ...token, padding: '' }).length;
    return Buffer.from(JSON.stringify({ ...token, padding: 'x'.repeat(padding) }));
  };
  const withArray = (field: string, value: string, times: number) => {
    const start = JSON.stringify({ ...token, contributors: [] }).slice(0, -1);
    return Buffer.from(`${start},"${field}":[${Array(times).fill(value).join(',')}]}`);
  };
  return [
    withArray('customAttributes', '{}', EMPTY_OBJECTS),
    withArray('links', '1', NUMBERS),
    padTo(4 * MIB),
    padTo(MIB),
  ];
}
