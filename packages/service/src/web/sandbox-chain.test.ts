import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

const CONTRACT = '0x2000000000000000000000000000000000000002';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const call = (body: unknown, at = service) => at.call('/sandbox-chain', { json: body });

test('returns the id of the chain, which a wallet checks before it adds the chain', async () => {
  const response = await call({ jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 7, result: '0x13881' });
});

test('responds to a batch in its order, and returns an error for an unsupported method', async () => {
  const response = await call([
    { jsonrpc: '2.0', id: 'a', method: 'eth_sendRawTransaction', params: ['0x'] },
    { jsonrpc: '2.0', id: 'b', method: 'eth_getBlockByNumber', params: ['latest', false] },
  ]);
  expect(await response.json()).toEqual([
    {
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32601, message: 'The sandbox chain does not support eth_sendRawTransaction.' },
    },
    {
      jsonrpc: '2.0',
      id: 'b',
      result: expect.objectContaining({ number: '0x0', baseFeePerGas: '0x0', transactions: [] }),
    },
  ]);
});

test.for([
  ['a call without a method', { id: 1 }],
  ['an empty batch', []],
  ['a batch of 21 calls', Array.from({ length: 21 }, (_, id) => ({ id, method: 'eth_chainId' }))],
])('returns 400 for %s', async ([, body]) => {
  const response = await call(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ name: 'InvalidRequest' });
});

test.for([
  ['on another chain', { BADGE_CHAIN_ID: '137' }],
  [
    'in production',
    { BADGE_ENVIRONMENT: 'production', BADGE_VERIFYING_CONTRACT: CONTRACT, BADGE_CHAIN_ID: '80001' },
  ],
])('returns 404 %s', async ([, env]) => {
  const other = await startTestService(env as Record<string, string>);
  try {
    expect((await call({ id: 1, method: 'eth_chainId' }, other)).status).toBe(404);
  } finally {
    await other.stop();
  }
});
