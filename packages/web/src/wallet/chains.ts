/**
 * A chain in the form that wallets accept (EIP-3085), except that `chainId` is a number. Only wallets send
 * requests to the nodes in `rpcUrls`, never this page.
 */
interface Chain {
  chainId: number;
  chainName: string;
  nativeCurrency: { name: string; symbol: string; decimals: number };
  rpcUrls: string[];
  blockExplorerUrls?: string[];
}

/** The default chain of a sandbox. */
const SANDBOX_CHAIN_ID = 80001;
const ETHER = { name: 'Ether', symbol: 'ETH', decimals: 18 };

/**
 * The public chains that wallets may not know yet. Without the URL of a node, a wallet refuses to add a
 * chain.
 */
const PUBLIC_CHAINS: Chain[] = [
  {
    chainId: 10,
    chainName: 'OP Mainnet',
    nativeCurrency: ETHER,
    rpcUrls: ['https://mainnet.optimism.io'],
    blockExplorerUrls: ['https://optimistic.etherscan.io'],
  },
  {
    chainId: 100,
    chainName: 'Gnosis',
    nativeCurrency: { name: 'xDAI', symbol: 'XDAI', decimals: 18 },
    rpcUrls: ['https://rpc.gnosischain.com'],
    blockExplorerUrls: ['https://gnosisscan.io'],
  },
  {
    chainId: 137,
    chainName: 'Polygon',
    nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
    rpcUrls: ['https://polygon-rpc.com'],
    blockExplorerUrls: ['https://polygonscan.com'],
  },
  {
    chainId: 8453,
    chainName: 'Base',
    nativeCurrency: ETHER,
    rpcUrls: ['https://mainnet.base.org'],
    blockExplorerUrls: ['https://basescan.org'],
  },
  {
    chainId: 42161,
    chainName: 'Arbitrum One',
    nativeCurrency: ETHER,
    rpcUrls: ['https://arb1.arbitrum.io/rpc'],
    blockExplorerUrls: ['https://arbiscan.io'],
  },
  {
    chainId: 11155111,
    chainName: 'Sepolia',
    nativeCurrency: ETHER,
    rpcUrls: ['https://ethereum-sepolia-rpc.publicnode.com'],
    blockExplorerUrls: ['https://sepolia.etherscan.io'],
  },
  {
    chainId: 80002,
    chainName: 'Polygon Amoy',
    nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
    rpcUrls: ['https://rpc-amoy.polygon.technology'],
    blockExplorerUrls: ['https://amoy.polygonscan.com'],
  },
];

/** Returns the name of a chain, or null if the page does not know it. */
export function findChainName(chainId: number): string | null {
  // Every wallet knows Ethereum, so it is not in the list.
  return chainId === 1 ? 'Ethereum' : (findChain(chainId)?.chainName ?? null);
}

/** Whether a chain is a public one that the page knows. The default chain of a sandbox is not public. */
export function isPublicChain(chainId: number): boolean {
  return chainId !== SANDBOX_CHAIN_ID && findChainName(chainId) !== null;
}

/** Returns the parameter of `wallet_addEthereumChain`, or null if the page knows no node of this chain. */
export function findAddChainParameter(chainId: number) {
  const chain = findChain(chainId);
  return chain === undefined ? null : { ...chain, chainId: toHexChainId(chainId) };
}

export function toHexChainId(chainId: number): string {
  return `0x${chainId.toString(16)}`;
}

function findChain(chainId: number): Chain | undefined {
  if (chainId !== SANDBOX_CHAIN_ID) return PUBLIC_CHAINS.find((chain) => chain.chainId === chainId);
  return {
    chainId,
    chainName: 'Badge sandbox',
    nativeCurrency: { name: 'Test coin', symbol: 'TEST', decimals: 18 },
    // The service itself responds to wallets as a node of this chain.
    rpcUrls: [new URL('/sandbox-chain', location.href).href],
  };
}
