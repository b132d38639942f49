import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Contributor, EnsNames, Operation, Problem } from '@badge/protocol';
import { type Anvil, startAnvil } from '@badge/test-support/anvil';
import { deploy } from '@badge/test-support/contract-wallets';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import {
  newAddress,
  newWallet,
  signedClaim,
  signedContributors,
  signedToken,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { encodeFunctionData, type Hex, parseAbi, toHex } from 'viem';
import { packetToBytes } from 'viem/ens';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../src/testing/rpc-proxy.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const UNIVERSAL_RESOLVER: Hex = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee';
const ABI = parseAbi([
  'function setAddress(bytes name, address to)',
  'function setGateway(bytes name, string url)',
  'function setPrimaryName(address from, string name)',
]);

let anvil: Anvil;
let proxy: RpcProxy;
let service: TestService;
let plain: TestService;
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 1 });
  const address = await deploy(anvil, 'UniversalResolver');
  const bytecode = (await anvil.client.getCode({ address })) ?? '0x';
  await anvil.client.setCode({ address: UNIVERSAL_RESOLVER, bytecode });
  proxy = await startRpcProxy(anvil.url);
  [service, plain] = await Promise.all([
    startTestService({ BADGE_ENS_RPC_URL: proxy.url }),
    startTestService(),
  ]);
});
afterAll(async () => {
  await Promise.all([service.stop(), plain.stop()]);
  await proxy.stop();
  await anvil.stop();
});
beforeEach(() => {
  proxy.misbehave();
  proxy.methods.length = 0;
});

const send = (data: Hex) => anvil.send({ to: UNIVERSAL_RESOLVER, data });
const encodeName = (name: string) => toHex(packetToBytes(name));
const setAddress = (name: string, to: string) =>
  send(encodeFunctionData({ abi: ABI, functionName: 'setAddress', args: [encodeName(name), to as Hex] }));
const setPrimaryName = (from: string, name: string) =>
  send(encodeFunctionData({ abi: ABI, functionName: 'setPrimaryName', args: [from as Hex, name] }));

const allowlisted = (contributors: string[]) => ({
  isAllowlistRequired: true,
  totalClaimCount: undefined,
  contributors,
});

async function create(contributors: string[], at = service, creator = newWallet()): Promise<Response> {
  const json = await signedToken(allowlisted(contributors), creator);
  return await at.call('/v1/tokens', { json, key: at.apiKey });
}

async function waitFor(response: Response, at = service): Promise<Operation> {
  expect(response.status, await response.clone().text()).toBe(202);
  expect(await response.clone().json()).toEqual({});
  const operation = await at.call(`${response.headers.get('location')}?wait=30`);
  return (await operation.json()) as Operation;
}

async function listContributors(tokenId: number | null, at = service): Promise<Contributor[]> {
  const page = await at.call(`/v1/tokens/${tokenId}/contributors`, { key: at.apiKey });
  return ((await page.json()) as { data: Contributor[] }).data;
}

describe('an ENS name among the contributors', () => {
  test('is resolved when it is added, and its address can claim', async () => {
    const [ada, grace] = [newWallet(), newWallet()];
    await setAddress('ada.eth', ada.address);
    await setAddress('grace.eth', grace.address);
    const creator = newWallet();
    const created = await waitFor(
      await create([' Ada.ETH', 'bob@example.org', 'handle.with.dots'], service, creator),
    );
    expect(created).toMatchObject({ status: 'success', warnings: [] });
    const tokenId = created.resourceId ?? 0;
    const addition = await signedContributors(tokenId, creator, ['grace.eth', ada.address]);
    const path = `/v1/tokens/${tokenId}`;
    await waitFor(await service.call(`${path}/addContributors`, { json: addition, key: service.apiKey }));
    expect(await listContributors(tokenId)).toEqual([
      { contributor: 'ada.eth', address: ada.address, hasClaimed: false },
      { contributor: 'bob@example.org', address: null, hasClaimed: false },
      { contributor: 'handle.with.dots', address: null, hasClaimed: false },
      { contributor: 'grace.eth', address: grace.address, hasClaimed: false },
    ]);
    // Another address of the name changes nothing.
    await setAddress('ada.eth', newAddress());
    const claimed = await waitFor(
      await service.call(`${path}/claim`, { json: await signedClaim(tokenId, ada) }),
    );
    expect(claimed.status).toBe('success');
    expect((await listContributors(tokenId))[0]).toEqual({
      contributor: 'ada.eth',
      address: ada.address,
      hasClaimed: true,
    });
  });

  test('counts once, whether its address is listed too or not', async () => {
    const address = newAddress();
    await setAddress('twice.eth', address);
    await setAddress('also.twice.eth', address);
    const { resourceId } = await waitFor(await create([address, 'twice.eth', 'also.twice.eth', 'TWICE.eth']));
    expect(await listContributors(resourceId)).toEqual([
      { contributor: 'twice.eth', address, hasClaimed: false },
    ]);
  });

  test('is removed by the name, without a call', async () => {
    await setAddress('gone.eth', newAddress());
    const { resourceId } = await waitFor(await create(['gone.eth', 'stays']));
    await setAddress('gone.eth', newAddress());
    // Before there was an endpoint, the name was added as text.
    await query(
      service.databaseUrl,
      `insert into allowlist_entries (token_id, contributor_key, identifier, position, added_at)
       values ($1, sha256('Gone.eth'), 'Gone.eth', 100, now())`,
      [resourceId],
    );
    proxy.methods.length = 0;
    const json = { contributors: ['Gone.eth'] };
    const path = `/v1/tokens/${resourceId}/removeContributors`;
    await waitFor(await service.call(path, { json, key: service.apiKey }));
    expect(await listContributors(resourceId)).toMatchObject([{ contributor: 'stays' }]);
    expect(proxy.methods).toEqual([]);
  });

  test('that does not resolve is refused with its pointer, and no URL that a contract names is asked', async () => {
    let asked = 0;
    const gateway = createServer((_, response) => {
      asked += 1;
      response.end('{"data":"0x"}');
    });
    gateway.listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/{sender}/{data}`;
    await setAddress('right.eth', newAddress());
    await send(
      encodeFunctionData({ abi: ABI, functionName: 'setGateway', args: [encodeName('off.chain.eth'), url] }),
    );
    const refused = await create(['right.eth', 'missing.eth', 'off.chain.eth']);
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as Problem).errors).toEqual([
      { pointer: '/contributors/1', detail: 'is an ENS name without an Ethereum address' },
      { pointer: '/contributors/2', detail: expect.stringContaining('CCIP-Read') },
    ]);
    expect(asked).toBe(0);
    gateway.close();
  });

  test.each(['ada_l.eth', 'a..eth', 'аda.eth', '-.-.eth ok', 'xn--a.eth'])(
    '%j is resolved only if it is a valid name',
    async (name) => {
      const refused = await create([name]);
      if (name.includes(' ')) return expect(refused.status).toBe(202);
      expect(((await refused.json()) as Problem).errors).toMatchObject([{ pointer: '/contributors/0' }]);
    },
  );

  test('of a request with more than 100 names is refused', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `n${index}.eth`);
    const refused = await create(['a', ...names]);
    expect(((await refused.json()) as Problem).errors).toMatchObject([{ pointer: '/contributors/101' }]);
    expect(proxy.methods).toEqual([]);
  });

  test('is neither refused nor accepted while no endpoint responds', async () => {
    proxy.misbehave((response) => response.destroy());
    const refused = await create(['ada.eth']);
    expect([refused.status, ((await refused.json()) as Problem).name]).toEqual([503, 'ChainUnavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('without an endpoint is accepted as text, with a warning', async () => {
    const creator = newWallet();
    const created = await waitFor(await create(['bob', 'ada.eth', 'Grace.ETH'], plain, creator), plain);
    const detail = expect.stringContaining('does not resolve names');
    expect(created.warnings).toEqual([
      { pointer: '/contributors/1', detail },
      { pointer: '/contributors/2', detail },
    ]);
    const addition = await signedContributors(created.resourceId ?? 0, creator, ['new.eth']);
    const path = `/v1/tokens/${created.resourceId}/addContributors`;
    const added = await waitFor(await plain.call(path, { json: addition, key: plain.apiKey }), plain);
    expect(added.warnings).toEqual([{ pointer: '/contributors/0', detail }]);
    expect(await listContributors(created.resourceId, plain)).toMatchObject([
      { contributor: 'bob', address: null },
      { contributor: 'ada.eth', address: null },
      { contributor: 'Grace.ETH', address: null },
      { contributor: 'new.eth', address: null },
    ]);
  });
});

describe('the primary name of an address', () => {
  const readNames = async (addresses: string[], at = service) => {
    const response = await at.call('/v1/ensNames', { json: { addresses } });
    expect(response.status, await response.clone().text()).toBe(200);
    return ((await response.json()) as EnsNames).items;
  };
  const lookedUp = async (addresses: string[]) => {
    const hex = addresses.map((address) => Buffer.from(address.slice(2), 'hex'));
    await vi.waitFor(async () => {
      const rows = await query(
        service.databaseUrl,
        'select from ens_names where address = any($1) and looked_up_at is not null',
        [hex],
      );
      expect(rows).toHaveLength(addresses.length);
    }, WAIT_OPTIONS);
  };

  test('is looked up later, where forward and reverse agree, and kept for a day', async () => {
    const [named, mismatched, unnormalised, nameless] = [
      newAddress(),
      newAddress(),
      newAddress(),
      newAddress(),
    ] as const;
    const addresses = [named, mismatched, unnormalised, nameless];
    await setAddress('named.eth', named);
    await setPrimaryName(named, 'named.eth');
    await setPrimaryName(mismatched, 'named.eth');
    await setAddress('upper.eth', unnormalised);
    await setPrimaryName(unnormalised, 'Upper.eth');
    await waitFor(await create(addresses));

    const nothing = addresses.map((address) => ({ address, name: null }));
    proxy.methods.length = 0;
    expect(await readNames(addresses)).toEqual(nothing);
    await lookedUp(addresses);
    const found = [{ address: named, name: 'named.eth' }, ...nothing.slice(1)];
    proxy.methods.length = 0;
    expect(await readNames([named.toLowerCase(), ...addresses.slice(1)])).toEqual(found);
    expect(proxy.methods).toEqual([]);

    const age = (hours: number) =>
      query(
        service.databaseUrl,
        `update ens_names set looked_up_at = now() - $1 * interval '1 hour', wanted_at = now() - $1 * interval '1 hour'`,
        [hours],
      );
    await setPrimaryName(named, '');
    await age(13);
    // It is shown once more, and looked up again.
    expect(await readNames([named])).toEqual([{ address: named, name: 'named.eth' }]);
    await vi.waitFor(async () => {
      expect(await readNames([named])).toEqual([{ address: named, name: null }]);
    }, WAIT_OPTIONS);
    await setPrimaryName(named, 'named.eth');
    proxy.misbehave((response) => response.destroy());
    await query(service.databaseUrl, "update ens_names set name = 'named.eth'");
    await age(25);
    expect(await readNames([named])).toEqual([{ address: named, name: null }]);
  });

  test('is not looked up for an address that the service does not know', async () => {
    const stranger = newAddress();
    await setAddress('stranger.eth', stranger);
    await setPrimaryName(stranger, 'stranger.eth');
    expect(await readNames([stranger])).toEqual([{ address: stranger, name: null }]);
    const hex = Buffer.from(stranger.slice(2), 'hex');
    expect(await query(service.databaseUrl, 'select from ens_names where address = $1', [hex])).toEqual([]);
  });

  test('is null without an endpoint', async () => {
    const address = newAddress();
    expect(await readNames([address, address], plain)).toEqual([
      { address, name: null },
      { address, name: null },
    ]);
  });
});
