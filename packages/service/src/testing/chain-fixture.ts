import { afterEach } from 'vitest';
import { type Chain, createChain } from '../chain/chain.ts';
import { ENDPOINT_LIMITS, type EndpointLimits } from '../chain/endpoint.ts';

export const CHAIN_ID = 80001;
export const LIMITS: EndpointLimits = { ...ENDPOINT_LIMITS, requestMs: 300 };
const CALL = { gas: 100_000, maxBytes: 4_096 };

export const callOnce = (chain: Chain) =>
  chain.read(async (block) => ({ number: block.number, ...(await block.call({ data: '0x' }, CALL)) }));

/** Returns a function that opens a chain until the end of the test. */
export function chainFixture() {
  const stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  function openChain(urls: string[], limits = LIMITS): { chain: Chain; failures: string[] } {
    const failures: string[] = [];
    const onFailure = ({ endpoint, reason }: { endpoint: number; reason: string }) =>
      failures.push(`${endpoint}: ${reason}`);
    const chain = createChain({ chainId: CHAIN_ID, urls, limits, onFailure });
    stops.push(chain.close);
    return { chain, failures };
  }

  return {
    stops,
    openChain,
  };
}
