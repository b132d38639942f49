import { newWallet } from '@badge/test-support/signing';
import { BrowserProvider, Wallet as EthersWallet } from 'ethers';
import { createWalletClient, custom, type Hex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import vectors from '../../../tests/vectors/typed-data.json' with { type: 'json' };
import { createBadgeClient, type NewToken, type Signer } from './index.ts';
import { createWalletProvider } from './testing/wallet-provider.ts';

/** A client whose service returns an environment with this signing domain for every request. */
function clientOf(domain: object, contractWalletChainIds: number[] = []) {
  const environment = { environment: 'sandbox', eip712: { domain, types: {} }, contractWalletChainIds };
  return createBadgeClient({
    url: 'http://badge.test',
    fetch: async () => Response.json(environment),
  });
}

const SANDBOX = vectors.domains.sandbox;

type CreateSigner = (
  account: PrivateKeyAccount,
  privateKey: Hex,
  chainId: number,
) => Signer | Promise<Signer>;
const providerOf = (account: PrivateKeyAccount, chainId: number) =>
  createWalletProvider([account], { chainId });
const transportOf = (account: PrivateKeyAccount, chainId: number) => custom(providerOf(account, chainId));

// These sign with the key itself, for every chain.
const LOCAL_SIGNERS: [kind: string, CreateSigner][] = [
  ['a viem account', (account) => account],
  [
    'a viem wallet client with a local account',
    (account, _, chainId) => createWalletClient({ account, transport: transportOf(account, chainId) }),
  ],
  ['an ethers wallet', (_, privateKey) => new EthersWallet(privateKey)],
];

// These ask a wallet, which is on one chain.
const WALLET_SIGNERS: [kind: string, CreateSigner][] = [
  [
    'a viem wallet client with the account of a wallet',
    (account, _, chainId) =>
      createWalletClient({ account: account.address, transport: transportOf(account, chainId) }),
  ],
  [
    'a viem wallet client without an account',
    (account, _, chainId) => createWalletClient({ transport: transportOf(account, chainId) }),
  ],
  [
    'an ethers signer of a wallet',
    (account, _, chainId) => new BrowserProvider(providerOf(account, chainId)).getSigner(),
  ],
  ['an EIP-1193 provider', (account, _, chainId) => providerOf(account, chainId)],
];

const SIGNERS = [...LOCAL_SIGNERS, ...WALLET_SIGNERS];

describe.each(SIGNERS)('%s', (_, createSigner) => {
  test.each(vectors.vectors)('makes the signature of the vector "$name" ($environment)', async (vector) => {
    const domain = vector.environment === 'sandbox' ? vectors.domains.sandbox : vectors.domains.production;
    const { signature, creator, ...token } = vector.request;
    const privateKey = vector.privateKey as Hex;
    const signer = await createSigner(privateKeyToAccount(privateKey), privateKey, domain.chainId);
    const signed = await clientOf(domain).signToken({ ...(token as NewToken), signer });
    expect(signed.signature).toBe(signature);
    expect(signed.creator.toLowerCase()).toBe(creator.toLowerCase());
  });
});

describe('before anything is signed, the client notices', () => {
  const wallet = newWallet();
  const other = newWallet();
  const message = { primaryType: 'Claim', tokenId: 1 } as const;

  test.each(SIGNERS)('that %s has another address', async (_, createSigner) => {
    const signer = await createSigner(wallet, wallet.privateKey, 80001);
    await expect(
      clientOf(SANDBOX).signTokenId({ ...message, signer, address: other.address }),
    ).rejects.toMatchObject({
      name: 'WrongAccount',
      message: expect.stringContaining(`pass the signer of ${other.address}`),
    });
  });

  test.each(WALLET_SIGNERS)('that %s is on another chain', async (_, createSigner) => {
    const signer = await createSigner(wallet, wallet.privateKey, 1);
    await expect(clientOf(SANDBOX).signTokenId({ ...message, signer })).rejects.toMatchObject({
      name: 'WrongChain',
      message: expect.stringMatching(/on chain 1, .* chain 80001\. .*wallet_switchEthereumChain.*'0x13881'/),
    });
  });

  test.each(LOCAL_SIGNERS)('that %s signs for every chain, and lets it sign', async (_, createSigner) => {
    const signer = await createSigner(wallet, wallet.privateKey, 1);
    const { address } = await clientOf(SANDBOX).signTokenId({ ...message, signer });
    expect(address).toBe(wallet.address);
  });

  test('that the wallet is on another chain, and does not ask it to sign', async () => {
    const provider = createWalletProvider([wallet], { chainId: 1 });
    await expect(clientOf(SANDBOX).signTokenId({ ...message, signer: provider })).rejects.toThrow();
    expect(provider.methods).toEqual(['eth_accounts', 'eth_chainId']);
  });

  // Chain 1 is not that of the domain. 0xef0100 begins the code of a key's account (EIP-7702).
  test.each([
    ['a contract on a chain that the service can ask', '0x6080', [1], true],
    ['a contract on another chain', '0x6080', [137], false],
    ['no contract', '0x', [1], false],
    ['an account of a key with code', `0xef0100${'11'.repeat(20)}`, [1], false],
  ])('whether the account is %s', async (_, code, chainIds, maySign) => {
    const signer = createContractWallet(code);
    const signing = clientOf(SANDBOX, chainIds).signTokenId({ ...message, signer });
    if (maySign) expect(await signing).toMatchObject({ signature: '0x1234' });
    else await expect(signing).rejects.toMatchObject({ name: 'WrongChain' });
    const ethersSigner = await new BrowserProvider(signer).getSigner();
    const byEthers = clientOf(SANDBOX, chainIds).signTokenId({ ...message, signer: ethersSigner });
    if (maySign) expect(await byEthers).toMatchObject({ signature: '0x1234' });
    else await expect(byEthers).rejects.toMatchObject({ name: 'WrongChain' });
  });

  test('that the wallet gives no account', async () => {
    const provider = createWalletProvider([]);
    await expect(clientOf(SANDBOX).signTokenId({ ...message, signer: provider })).rejects.toMatchObject({
      name: 'NoAccount',
    });
  });

  test.each([
    ['a provider of ethers', new BrowserProvider(createWalletProvider([wallet]))],
    ['a number', 7],
    ['a private key', wallet.privateKey],
  ])('that %s cannot sign', async (_, value) => {
    const signer = value as unknown as Signer;
    await expect(clientOf(SANDBOX).signTokenId({ ...message, signer })).rejects.toMatchObject({
      name: 'UnsupportedSigner',
      message: expect.stringContaining('await provider.getSigner()'),
    });
  });
});

test.each([
  ['headline', undefined, 'signToken() needs `headline`.'],
  ['communityId', undefined, 'signToken() needs `communityId`.'],
  ['links', 'https://example.org', '`links` of signToken() must be an array, but is "https://example.org".'],
  ['isSignatureRequired', 'yes', '`isSignatureRequired` of signToken() must be a boolean, but is "yes".'],
  ['totalClaimCount', 1.5, '`totalClaimCount` must be an integer, but is 1.5.'],
  ['expirationTimestamp', 'soon', '`expirationTimestamp` of signToken() must be a number, but is "soon".'],
])('a token is not signed if its %s is %j', async (name, value, message) => {
  const token = { communityId: 'demo', headline: 'A', nftTypeId: 'defaultOrangeRed', totalClaimCount: 1 };
  const signer = createWalletProvider([newWallet()]);
  const signing = clientOf(SANDBOX).signToken({ ...token, [name]: value, signer } as never);
  await expect(signing).rejects.toThrow(new TypeError(message));
  expect(signer.methods).toEqual([]);
});

test('a claim without a token id is not signed', async () => {
  const claim = clientOf(SANDBOX).claim({ signer: newWallet() } as never);
  await expect(claim).rejects.toThrow(new TypeError('claim() needs `tokenId`.'));
});

test('a wallet that is not connected is asked for its accounts', async () => {
  const wallet = newWallet();
  const provider = createWalletProvider([wallet], { isConnected: false });
  const signed = await clientOf(SANDBOX).signTokenId({ primaryType: 'Burn', tokenId: 7, signer: provider });
  expect(signed.address).toBe(wallet.address.toLowerCase());
  expect(provider.methods).toContain('eth_requestAccounts');
});

test('a wallet with several accounts signs with the one that must sign', async () => {
  const [first, second] = [newWallet(), newWallet()];
  const signer = createWalletProvider([first, second]);
  const claim = { primaryType: 'Claim', tokenId: 7, signer } as const;
  const bySecond = await clientOf(SANDBOX).signTokenId({ ...claim, address: second.address });
  const alone = await clientOf(SANDBOX).signTokenId({ ...claim, signer: second });
  expect(bySecond.signature).toBe(alone.signature);
});

test('what the wallet throws is passed on unchanged', async () => {
  const declined = Object.assign(new Error('User rejected the request.'), { code: 4001 });
  const wallet = createWalletProvider([newWallet()]);
  const signer: Signer = {
    request: async (request: { method: string }) => {
      if (request.method === 'eth_signTypedData_v4') throw declined;
      return await wallet.request(request);
    },
  };
  const message = { primaryType: 'Claim', tokenId: 1, signer } as const;
  await expect(clientOf(SANDBOX).signTokenId(message)).rejects.toBe(declined);
});

test('only name, chain and contract of the domain are signed, whatever the service returns', async () => {
  const signer = newWallet();
  const message = { primaryType: 'Claim', tokenId: 1, signer } as const;
  const expected = await clientOf(SANDBOX).signTokenId(message);
  const signed = await clientOf({ ...SANDBOX, name: 'Permit2', version: '1' }).signTokenId(message);
  expect(signed.signature).toBe(expected.signature);
});

/** A wallet on chain 1 whose account has this code, and that signs whatever it is asked. */
function createContractWallet(code: string) {
  const replies: Record<string, unknown> = {
    eth_accounts: [newWallet('contract').address],
    eth_requestAccounts: [newWallet('contract').address],
    eth_chainId: '0x1',
    eth_getCode: code,
    eth_signTypedData_v4: '0x1234',
  };
  return { request: async ({ method }: { method: string }) => replies[method] };
}
