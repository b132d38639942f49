import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createWalletProvider } from './wallet-provider.ts';

// A page that loads this module gets a wallet with a random account as `window.ethereum`.
const ethereum = createWalletProvider([privateKeyToAccount(generatePrivateKey())]);
Object.assign(globalThis, { ethereum });
