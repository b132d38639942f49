import { Signature } from 'ethers';
import { expect, test } from 'vitest';
import { createToken, requestToken } from './client.ts';
import { expectPointers, expectProblem } from './problems.ts';
import { domain, newWallet, openRequest, signToken } from './token-requests.ts';

const creator = newWallet();
const request = await openRequest({}, creator);
const { r, s, yParity } = Signature.from(String(request.signature));
const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const join = (...parts: string[]) => `0x${parts.map((part) => part.replace(/^0x/, '')).join('')}`;
const lastByte = (v: number) => v.toString(16).padStart(2, '0');
const withV = (v: number) => join(r, s, lastByte(v));
const highS = `0x${(BigInt(`0x${order}`) - BigInt(s)).toString(16).padStart(64, '0')}`;
const zero = '0'.repeat(64);
const v = lastByte(27 + yParity);

test.each([
  ['empty text', ''],
  ['0x alone', '0x'],
  ['no 0x', withV(27 + yParity).slice(2)],
  ['63 bytes', join(r, s).slice(0, -2)],
  ['64.5 bytes', withV(27 + yParity).slice(0, -1)],
  ['66 bytes', `${withV(27 + yParity)}00`],
  ['a space before it', ` ${withV(27 + yParity)}`],
  ['a line end after it', `${withV(27 + yParity)}\n`],
  ...[2, 3, 26, 29, 35, 36, 37, 255].map((wrongV) => [`v ${wrongV}`, withV(wrongV)]),
  ['r 0', join(zero, s, v)],
  ['s 0', join(r, zero, v)],
  ['r of the order', join(order, s, v)],
  ['s of the order', join(r, order, v)],
  ['r above the order', join('f'.repeat(64), s, v)],
  ['a high s', join(r, highS, lastByte(28 - yParity))],
  ['a high s with v 0 or 1', join(r, highS, lastByte(1 - yParity))],
])('%s is malformed', async (_title, signature) => {
  expectProblem(await requestToken({ ...request, signature: signature ?? '' }), 400, 'InvalidSignature');
});

test.each([
  ['another chain', { ...domain, chainId: domain.chainId + 1 }],
  ['another contract', { ...domain, verifyingContract: newWallet().address }],
  ['another name', { ...domain, name: 'badge' }],
  ['a version in the domain', { ...domain, version: '1' }],
  ['no chain', { name: domain.name, verifyingContract: domain.verifyingContract }],
])('signed for %s', async (_title, signingDomain) => {
  const signature = await signToken(creator, request, signingDomain);
  expectProblem(await requestToken({ ...request, signature }), 403, 'BadgeRegisterRequestNotSignedByCreator');
});

test('signed by another wallet', async () => {
  const signature = await signToken(newWallet(), request);
  expectProblem(await requestToken({ ...request, signature }), 403, 'BadgeRegisterRequestNotSignedByCreator');
});

test('a refusal leaves nothing behind: the right signature still makes the token', async () => {
  const fresh = await openRequest({}, creator);
  expectProblem(await requestToken({ ...fresh, signature: '0x' }), 400, 'InvalidSignature');
  const signature = await signToken(newWallet(), fresh);
  expectProblem(await requestToken({ ...fresh, signature }), 403, 'BadgeRegisterRequestNotSignedByCreator');
  expect((await createToken(fresh)).headline).toBe(fresh.headline);
});

test('a wrong body is told before a wrong signature', async () => {
  expectPointers(await requestToken({ ...request, headline: '', signature: '0x' }), ['/headline']);
});
