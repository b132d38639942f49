import { describe, expect, test } from 'vitest';
import { CHAIN_ID, callOnce, chainFixture } from '../testing/chain-fixture.ts';
import { actAsNode, MISBEHAVIOURS, type RpcProxy, sendError, startRpcProxy } from '../testing/rpc-proxy.ts';
import { ChainUnavailable } from './chain.ts';

const { stops, openChain } = chainFixture();

async function startNode(chainId = CHAIN_ID): Promise<RpcProxy> {
  const node = await startRpcProxy();
  node.misbehave(actAsNode(chainId));
  stops.push(node.stop);
  return node;
}

/** An endpoint that is a node in front of which something is wrong. */
async function startFailing(how: (typeof MISBEHAVIOURS)[keyof typeof MISBEHAVIOURS]): Promise<RpcProxy> {
  const node = await startNode();
  const failing = await startRpcProxy(node.url);
  failing.misbehave(how);
  stops.push(failing.stop);
  return failing;
}

describe.each(Object.entries(MISBEHAVIOURS))('if an endpoint %s', (_, how) => {
  test('the next one is asked, and the failed one last', async () => {
    const [failing, node] = [await startFailing(how), await startNode()];
    const { chain, failures } = openChain([failing.url, node.url]);
    expect(await callOnce(chain)).toEqual({ number: 7, kind: 'returned', data: '0x' });
    expect(failing.methods.length).toBeGreaterThan(0);
    expect(failures).toHaveLength(1);
    // Neither the URL nor what the endpoint sends.
    expect(failures[0]).toMatch(/^1: [\w' .(),-]+$/);
    expect(failures[0]).not.toMatch(/127\.0\.0\.1|http:|limit exceeded|not found/i);
    expect(await callOnce(chain)).toMatchObject({ kind: 'returned' });
  });

  test('and there is no other, the chain is unavailable', async () => {
    const { chain } = openChain([(await startFailing(how)).url]);
    await expect(callOnce(chain)).rejects.toBeInstanceOf(ChainUnavailable);
  });
});

test('an endpoint that has failed to respond is asked last', async () => {
  const failing = await startFailing(MISBEHAVIOURS['closes connections']);
  const { chain } = openChain([failing.url, (await startNode()).url]);
  await callOnce(chain);
  const asked = failing.methods.length;
  await callOnce(chain);
  expect(failing.methods).toHaveLength(asked);
});

test('an endpoint of another chain is asked for nothing but its chain id', async () => {
  const other = await startNode(1);
  const { chain, failures } = openChain([other.url]);
  await expect(callOnce(chain)).rejects.toBeInstanceOf(ChainUnavailable);
  expect(other.methods).toEqual(['eth_chainId']);
  expect(failures).toEqual(['1: it is an endpoint of chain 1, not 80001']);
  expect(await chain.inspect()).toEqual(['it is an endpoint of chain 1, not 80001']);
});

test('the chain id is asked once for several reads, and again after a failure', async () => {
  const node = await startNode();
  const { chain } = openChain([node.url]);
  await callOnce(chain);
  await callOnce(chain);
  expect(node.methods.filter((method) => method === 'eth_chainId')).toHaveLength(1);
  node.misbehave((response) => response.destroy());
  await expect(callOnce(chain)).rejects.toBeInstanceOf(ChainUnavailable);
  node.misbehave(actAsNode(1));
  await expect(callOnce(chain)).rejects.toBeInstanceOf(ChainUnavailable);
  expect(node.methods.at(-1)).toBe('eth_chainId');
});

test('calls are at the hash of the newest block, and have a limit of gas', async () => {
  const node = await startNode();
  let params: unknown[] = [];
  const respond = actAsNode(CHAIN_ID);
  node.misbehave((response, call) => {
    if (call.method === 'eth_call') params = call.params;
    return respond(response, call);
  });
  await callOnce(openChain([node.url]).chain);
  expect(params).toEqual([{ data: '0x', gas: '0x186a0' }, { blockHash: `0x${'ab'.repeat(32)}` }]);
});

// The messages are those of Geth, anvil, Nethermind and Besu.
test.each([
  [3, 'execution reverted', 'failed'],
  [3, 'anything', 'failed'],
  [-32000, 'execution reverted', 'failed'],
  [-32000, 'Execution reverted', 'failed'],
  [-32015, 'Reverted 0x', 'failed'],
  [-32000, 'out of gas', 'failed'],
  [-32603, 'EVM error OutOfGas', 'failed'],
  [-32015, 'OutOfGas', 'failed'],
  [-32603, 'EVM error InvalidFEOpcode', null],
  [-32000, 'invalid opcode: INVALID', null],
  [-32001, 'Block not found', null],
  [-32000, 'header not found', null],
  [-32000, 'missing trie node', null],
  [-32005, 'rate limit exceeded', null],
  [-32603, 'Internal error', null],
  [-32601, 'the method eth_call does not exist', null],
])('the error %i "%s" of a call means: %s', async (code, message, expected) => {
  const node = await startNode();
  const respond = actAsNode(CHAIN_ID);
  node.misbehave((response, call) =>
    call.method === 'eth_call' ? sendError(response, call, { code, message }) : respond(response, call),
  );
  const outcome = callOnce(openChain([node.url]).chain);
  if (expected === null) await expect(outcome).rejects.toBeInstanceOf(ChainUnavailable);
  else expect(await outcome).toMatchObject({ kind: expected });
});
