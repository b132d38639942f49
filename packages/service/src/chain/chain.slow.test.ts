import { expect, test } from 'vitest';
import { callOnce, chainFixture, LIMITS } from '../testing/chain-fixture.ts';
import { startRpcProxy } from '../testing/rpc-proxy.ts';
import { ChainUnavailable } from './chain.ts';

const { stops, openChain } = chainFixture();

test('if requests wait for an endpoint that does not respond, the chain is unavailable', {
  timeout: 20_000,
}, async () => {
  const silent = await startRpcProxy();
  silent.misbehave(() => undefined);
  stops.push(silent.stop);
  const { chain } = openChain([silent.url], { ...LIMITS, concurrency: 1 });
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => callOnce(chain)));
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ reason: expect.any(ChainUnavailable) });
  }
});
