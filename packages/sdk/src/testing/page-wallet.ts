import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createWalletProvider } from './wallet-provider.ts';

// Loaded by a page: its wallet, with a random account, where wallets are in a browser.
const ethereum = createWalletProvider([privateKeyToAccount(generatePrivateKey())]);
Object.assign(globalThis, { ethereum });
