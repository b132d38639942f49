import { expect, test } from 'vitest';
import { createToken, requestToken } from './client.ts';
import { expectProblem } from './problems.ts';
import { newWallet, openRequest, signToken } from './token-requests.ts';

test('a refusal leaves nothing behind: the right signature still makes the token', async () => {
  const fresh = await openRequest();
  expectProblem(await requestToken({ ...fresh, signature: '0x' }), 400, 'InvalidSignature');
  const signature = await signToken(newWallet(), fresh);
  expectProblem(await requestToken({ ...fresh, signature }), 403, 'BadgeRegisterRequestNotSignedByCreator');
  expect((await createToken(fresh)).headline).toBe(fresh.headline);
});
