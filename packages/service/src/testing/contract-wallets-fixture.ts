import type { Operation, Problem } from '@badge/protocol';
import { type Anvil, startAnvil } from '@badge/test-support/anvil';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';
import { startTestService, type TestService } from './services.ts';

export const CHAIN_ID = 80001;
export const OTHER_CHAIN_ID = 31_337;

export const problemOf = async (response: Response) => (await response.json()) as Problem;
export const nameOf = async (response: Response) =>
  response.ok ? response.status : (await problemOf(response)).name;

/** Starts two chains, a proxy before one of them and a service before the tests, and stops them after. */
export function contractWalletsFixture() {
  let anvil: Anvil;
  let otherAnvil: Anvil;
  let proxy: RpcProxy;
  let service: TestService;
  beforeAll(async () => {
    [anvil, otherAnvil] = await Promise.all([
      startAnvil({ chainId: CHAIN_ID }),
      startAnvil({ chainId: OTHER_CHAIN_ID }),
    ]);
    proxy = await startRpcProxy(anvil.url);
    service = await startTestService({
      BADGE_CHAIN_RPC_URLS: `${CHAIN_ID}=${proxy.url}, ${OTHER_CHAIN_ID}=${otherAnvil.url}`,
    });
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([proxy.stop(), anvil.stop(), otherAnvil.stop()]);
  });
  beforeEach(() => {
    proxy.misbehave();
    proxy.methods.length = 0;
  });

  async function waitFor(response: Response): Promise<Operation> {
    expect(response.status, await response.clone().text()).toBe(202);
    const operation = await service.call(`${response.headers.get('location')}?wait=30`);
    return (await operation.json()) as Operation;
  }

  const post = (path: string, json: unknown, key?: string) =>
    service.call(path, key === undefined ? { json } : { json, key });

  async function createToken(fields: Record<string, unknown> = {}, creator = newWallet()): Promise<number> {
    const json = await signedToken(fields, creator);
    const { resourceId } = await waitFor(await post('/v1/tokens', json, service.apiKey));
    return resourceId ?? 0;
  }

  async function claimWith(claimingAddress: string, signature: string, to = service): Promise<Response> {
    const json = await signedToken();
    const created = await to.call('/v1/tokens', { json, key: to.apiKey });
    const operation = await to.call(`${created.headers.get('location')}?wait=30`);
    const { resourceId } = (await operation.json()) as Operation;
    return await to.call(`/v1/tokens/${resourceId}/claim`, { json: { claimingAddress, signature } });
  }

  return {
    get anvil() {
      return anvil;
    },
    get otherAnvil() {
      return otherAnvil;
    },
    get proxy() {
      return proxy;
    },
    get service() {
      return service;
    },
    waitFor,
    post,
    createToken,
    claimWith,
  };
}
