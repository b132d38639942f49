import { afterAll, beforeAll, expect, test } from 'vitest';
import { actAsNode, type RpcProxy, startRpcProxy } from '../testing/rpc-proxy.ts';
import { inspectChains } from './inspect-chains.ts';

let node: RpcProxy;
beforeAll(async () => {
  node = await startRpcProxy();
  node.misbehave(actAsNode(5));
});
afterAll(() => node.stop());

test('each endpoint must respond with its chain id, and no finding contains its URL', async () => {
  const findings = await inspectChains({
    chainEndpoints: [{ chainId: 5, urls: [`${node.url}secret`, 'http://user:secret@127.0.0.1:9/secret'] }],
    ensEndpoints: [`${node.url}secret`],
  });
  expect(findings).toMatchObject([
    { level: 'ok', check: 'BADGE_CHAIN_RPC_URLS', found: 'endpoint 1 of chain 5 responds' },
    {
      level: 'warning',
      check: 'BADGE_CHAIN_RPC_URLS',
      found: expect.stringContaining('endpoint 2 of chain 5'),
    },
    {
      level: 'warning',
      check: 'BADGE_ENS_RPC_URL',
      found: expect.stringContaining('an endpoint of chain 5, not 1'),
    },
  ]);
  expect(JSON.stringify(findings)).not.toMatch(/secret|127\.0\.0\.1/);
});

test('without endpoints, there is nothing to find', async () => {
  expect(await inspectChains({ chainEndpoints: [], ensEndpoints: [] })).toEqual([]);
});
