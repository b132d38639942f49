import type { Environment } from '@badge/sdk';
import { afterEach, expect, test, vi } from 'vitest';
import type { WalletProvider } from './discover-wallets.ts';
import {
  canSignOnChain,
  checkSignatureLength,
  chooseAccounts,
  connectWallet,
  listConnectedAccounts,
  moveToSigningChain,
  switchChain,
} from './wallet-calls.ts';

const ADDRESS = '0x530e6db7bdffe3b3d537ece6e20c0f46717d0044';
const POLYGON = 137;
const LOCAL_CHAIN = 31337;
const unknownChain = Object.assign(new Error('Unrecognized chain ID'), { code: 4902 });
const declined = Object.assign(new Error('User rejected the request.'), { code: 4001 });
const unsupported = Object.assign(new Error('method not found'), { code: -32601 });

test('connects to the accounts of a wallet', async () => {
  const { provider } = createProvider({ eth_requestAccounts: [[ADDRESS]] });
  expect(await connectWallet(provider)).toEqual([ADDRESS]);
});

test('throws NoAccount if the wallet gives no account', async () => {
  const { provider } = createProvider({ eth_requestAccounts: [[]] });
  await expect(connectWallet(provider)).rejects.toMatchObject({ name: 'NoAccount' });
});

test('returns no connected accounts if the wallet fails', async () => {
  const { provider } = createProvider({ eth_accounts: [unsupported] });
  expect(await listConnectedAccounts(provider)).toEqual([]);
});

test('asks for the accounts of a wallet that does not support permissions', async () => {
  const { provider, methods } = createProvider({
    wallet_requestPermissions: [unsupported],
    eth_requestAccounts: [[ADDRESS]],
  });
  expect(await chooseAccounts(provider)).toEqual([ADDRESS]);
  expect(methods).toEqual(['wallet_requestPermissions', 'eth_requestAccounts']);
});

afterEach(() => void vi.useRealTimers());

test('does not add a chain whose nodes the page does not know', async () => {
  const { provider, methods } = createProvider({ wallet_switchEthereumChain: [unknownChain] });
  await expect(switchChain(provider, LOCAL_CHAIN)).rejects.toMatchObject({ name: 'UnknownChain' });
  expect(methods).toEqual(['wallet_switchEthereumChain']);
});

test('throws UnknownChain if the wallet does not add the chain because its node does not respond', async () => {
  const message = "Request for method 'eth_chainId on https://polygon-rpc.com failed";
  const { provider } = createProvider({
    wallet_switchEthereumChain: [unknownChain],
    wallet_addEthereumChain: [Object.assign(new Error(message), { code: -32603 })],
  });
  await expect(switchChain(provider, POLYGON)).rejects.toMatchObject({ name: 'UnknownChain' });
});

const SWITCH_ADD_SWITCH = [
  'wallet_switchEthereumChain',
  'wallet_addEthereumChain',
  'wallet_switchEthereumChain',
];

test.each([
  ['does not know', [unknownChain, null], ['0x89']],
  ['does not switch to, although it says so', [null, null], ['0x1', '0x89']],
  ['does not know and does not name', [unknownChain, null], [unsupported]],
])('adds a chain that the wallet %s, and switches to it', async (_, switches, chains) => {
  const { provider, methods } = createProvider({
    wallet_switchEthereumChain: switches,
    wallet_addEthereumChain: [null],
    eth_chainId: chains,
  });
  await switchChain(provider, POLYGON);
  expect(methods.filter((method) => method !== 'eth_chainId')).toEqual(SWITCH_ADD_SWITCH);
});

test.each([
  ['after the chain was added', POLYGON, SWITCH_ADD_SWITCH],
  ['whose nodes the page does not know', 1, ['wallet_switchEthereumChain']],
])('throws WrongChain if the wallet stays on another chain %s', async (_, chainId, expected) => {
  const { provider, methods } = createProvider({ eth_chainId: ['0xa', '0xa'] });
  await expect(switchChain(provider, chainId)).rejects.toMatchObject({ name: 'WrongChain' });
  expect(methods.filter((method) => method !== 'eth_chainId')).toEqual(expected);
});

test.each([
  ['waits for a wallet that switches after it has responded', '0x89', null],
  ['does not wait for ever', '0x1', 'WrongChain'],
])('%s', async (_, later, error) => {
  vi.useFakeTimers();
  let chain = '0x1';
  const { provider, methods } = createProvider({});
  const request = provider.request.bind(provider);
  Object.assign(provider, {
    request: async (call: { method: string }) =>
      call.method === 'eth_chainId' ? chain : await request(call as never),
    on: (event: string, listener: (chainId: string) => void) => {
      if (event !== 'chainChanged' || later === chain) return;
      setTimeout(() => {
        chain = later;
        listener(chain);
      }, 500);
    },
  });
  const outcome = switchChain(provider, POLYGON).then(
    () => null,
    (caught: Error) => caught.name,
  );
  await vi.advanceTimersByTimeAsync(2_100);
  expect(await outcome).toBe(error);
  expect(methods).toEqual(error === null ? ['wallet_switchEthereumChain'] : SWITCH_ADD_SWITCH);
});

test('does not ask a disconnected wallet to add the chain', async () => {
  const disconnected = Object.assign(new Error('Disconnected'), { code: 4900 });
  const { provider, methods } = createProvider({ wallet_switchEthereumChain: [disconnected] });
  await expect(switchChain(provider, POLYGON)).rejects.toMatchObject({ name: 'Disconnected' });
  expect(methods).toEqual(['wallet_switchEthereumChain']);
});

test.for([
  ['the switch', { wallet_switchEthereumChain: [declined] }],
  ['the addition', { wallet_switchEthereumChain: [unknownChain], wallet_addEthereumChain: [declined] }],
] as const)('throws Declined if the person declines %s', async ([, replies]) => {
  const { provider } = createProvider(replies);
  await expect(switchChain(provider, POLYGON)).rejects.toMatchObject({ name: 'Declined' });
});

const environmentOf = (contractWalletChainIds: number[]) =>
  ({ eip712: { domain: { chainId: POLYGON } }, contractWalletChainIds }) as unknown as Environment;

test.each([
  ['on the chain of the domain', POLYGON, '0x', [], true],
  ['that is a contract on a chain that the service can ask', 1, '0x6080', [1], true],
  ['that is a contract on another chain', 10, '0x6080', [1], false],
  ['with delegated code', 1, `0xef0100${'11'.repeat(20)}`, [1], false],
  ['without code', 1, '0x', [1], false],
  ['whose chain is not known', null, '0x6080', [1], false],
] as const)('an account %s can sign: %s', async (_, chainId, code, chainIds, expected) => {
  const { provider } = createProvider({ eth_getCode: [code] });
  const account = { address: ADDRESS, chainId };
  expect(await canSignOnChain(provider, account, environmentOf([...chainIds]))).toBe(expected);
});

test('only a wallet that cannot sign where it is switches its chain', async () => {
  const contract = createProvider({ eth_chainId: ['0x1'], eth_getCode: ['0x6080'] });
  await moveToSigningChain(contract.provider, ADDRESS, environmentOf([1]));
  expect(contract.methods).not.toContain('wallet_switchEthereumChain');
  const key = createProvider({ eth_chainId: ['0x1'], wallet_switchEthereumChain: [null] });
  await moveToSigningChain(key.provider, ADDRESS, environmentOf([1]));
  expect(key.methods).toContain('wallet_switchEthereumChain');
});

test('a signature of another length than that of a key needs a service that can ask contracts', () => {
  const long = `0x${'11'.repeat(130)}`;
  expect(() => checkSignatureLength(long, environmentOf([]))).toThrow(
    expect.objectContaining({ name: 'ContractWallet' }),
  );
  checkSignatureLength(long, environmentOf([1]));
  checkSignatureLength(`0x${'11'.repeat(65)}`, environmentOf([]));
});

/** A wallet that returns the replies to a method in order. It throws a reply that is an error. */
function createProvider(replies: Record<string, readonly unknown[]>): {
  provider: WalletProvider;
  methods: string[];
} {
  const methods: string[] = [];
  const provider = {
    async request({ method }: { method: string }): Promise<unknown> {
      const earlierCalls = methods.filter((earlier) => earlier === method).length;
      methods.push(method);
      const reply = replies[method]?.[earlierCalls];
      if (reply instanceof Error) throw reply;
      return reply;
    },
  };
  return { provider, methods };
}
