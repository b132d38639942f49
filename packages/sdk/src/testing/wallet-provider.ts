import type { PrivateKeyAccount } from 'viem/accounts';

/** What a wallet in a browser gives to a page (EIP-1193). */
export interface WalletProvider {
  request(request: { method: string; params?: readonly unknown[] }): Promise<unknown>;
  /** The methods that were called so far. */
  methods: string[];
}

/**
 * A wallet with these accounts, which behaves as MetaMask does. Unless it is connected, it gives its accounts
 * only after `eth_requestAccounts`. It refuses typed data whose domain has another chain.
 */
export function createWalletProvider(
  accounts: PrivateKeyAccount[],
  { chainId = 80001, isConnected = true } = {},
): WalletProvider {
  const methods: string[] = [];
  let isAllowed = isConnected;
  return {
    methods,
    async request({ method, params = [] }) {
      methods.push(method);
      if (method === 'eth_requestAccounts') isAllowed = true;
      switch (method) {
        case 'eth_accounts':
        case 'eth_requestAccounts':
          return isAllowed ? accounts.map(({ address }) => address.toLowerCase()) : [];
        case 'eth_chainId':
          return `0x${chainId.toString(16)}`;
        case 'eth_signTypedData_v4': {
          const [address, json] = params as [string, string];
          const { types, domain: sent, primaryType, message } = JSON.parse(json);
          // ethers sends the number as hex.
          const domain = { ...sent, chainId: Number(sent.chainId) };
          if (domain.chainId !== chainId) throw new Error(`Provided chainId must match ${chainId}`);
          const account = accounts.find((one) => one.address.toLowerCase() === address.toLowerCase());
          if (account === undefined) throw new Error(`Unknown account ${address}`);
          return await account.signTypedData({ types, domain, primaryType, message });
        }
        default:
          throw new Error(`The wallet does not support ${method}`);
      }
    },
  };
}
