import { BadgeSignerError } from '@badge/sdk';
import { expect, test } from 'vitest';
import { toWalletError, WalletError } from './wallet-error.ts';

test.for([
  [{ code: 4001, message: 'User rejected the request.' }, 'Declined'],
  [{ code: 5000, message: 'User rejected.' }, 'Declined'],
  [{ code: 'ACTION_REJECTED', message: 'user rejected action' }, 'Declined'],
  [new Error('MetaMask Tx Signature: User denied message signature.'), 'Declined'],
  [{ code: 4100, message: 'not authorized' }, 'NoAccount'],
  [{ code: 4200, message: 'unsupported' }, 'Unsupported'],
  [{ code: -32601, message: 'method not found' }, 'Unsupported'],
  [{ code: 4900, message: 'disconnected' }, 'Disconnected'],
  [{ code: 4902, message: 'Unrecognized chain ID "0x13881".' }, 'UnknownChain'],
  [{ code: -32603, message: 'x', data: { originalError: { code: 4902 } } }, 'UnknownChain'],
  [{ code: -32002, message: 'already pending' }, 'AlreadyAsking'],
  [{ code: -32603, message: 'Provided chainId "1" must match the active chainId "137"' }, 'WrongChain'],
  [{ code: -32603, message: 'Internal JSON-RPC error.' }, 'Failed'],
  [new BadgeSignerError('WrongAccount', 'text'), 'WrongAccount'],
  [new BadgeSignerError('UnsupportedSigner', 'text'), 'Unsupported'],
  ['a text', 'Failed'],
  [undefined, 'Failed'],
] as const)('toWalletError(%j) is %s', ([error, name]) => {
  expect(toWalletError(error).name).toBe(name);
});

test('keeps an error that is a WalletError already', () => {
  const error = new WalletError('ContractWallet');
  expect(toWalletError(error)).toBe(error);
});
