import {
  type Eip712,
  newWallet,
  signedBurn,
  signedClaim,
  signedContributors,
  signTokenId as signWith,
  type Wallet,
} from '@badge/test-support/signing';
import { Signature } from 'ethers';
import { expect } from 'vitest';
import {
  type ApiResponse,
  asJson,
  call,
  createToken,
  expectAccepted,
  expectSuccess,
  parseOk,
  read,
  withDemoKey,
} from './client.ts';
import { expectProblem } from './problems.ts';
import type { Body, Operation, Page, Problem, Token, WalletToken } from './shapes.ts';
import { allowlistedRequest, domain, eip712, openRequest, types } from './token-requests.ts';

/** The EIP-712 types whose message is the id of a token. */
export const tokenIdTypes = [
  'Claim',
  'Burn',
  'AllowlistedAddress',
  'CommunityAdminAirdrop',
  'CommunityAdminAirdropReceiverConsent',
] as const;
export type TokenIdType = (typeof tokenIdTypes)[number];

export interface Owner {
  address: string;
  claimedAtTimestamp: number;
  validUntilTimestamp: number | null;
  isKept: boolean;
}

export interface Contributor {
  contributor: string;
  address: string | null;
  hasClaimed: boolean;
}

export interface CreatedClaimLink {
  claimLinkId: string;
  code: string;
  url: string;
  identifier: string | null;
  expiresAtTimestamp: number | null;
  createdAtTimestamp: number;
}

export interface ClaimLink {
  claimLinkId: string;
  identifier: string | null;
  status: 'unused' | 'used' | 'revoked' | 'expired' | 'paused' | 'notStarted';
  claimingAddress: string | null;
  createdAtTimestamp: number;
  startsAtTimestamp: number | null;
  expiresAtTimestamp: number | null;
  usedAtTimestamp: number | null;
  maxClaims: number;
  claimCount: number;
  isPaused: boolean;
}

export interface Eligibility {
  canClaim: boolean;
  isSignatureRequired: boolean;
  reasons: string[];
  ownership: 'none' | 'held' | 'burnt' | 'revoked' | 'moved' | 'replaced' | 'expired';
  validUntilTimestamp: number | null;
}

/** Signs a token's id for the service under test, or for another domain. */
export function signTokenId(
  signer: Wallet,
  primaryType: TokenIdType,
  tokenId: number,
  signingDomain: Eip712['domain'] = domain,
): Promise<string> {
  return signWith(signer, primaryType, tokenId, { domain: signingDomain, types });
}

/** The valid encodings of a signature, each with a function that encodes a signature in this way. */
export const ENCODINGS: [name: string, encode: (signature: string) => string][] = [
  ['with v 27 or 28', (signature) => Signature.from(signature).serialized],
  ['in the compact form of EIP-2098', (signature) => Signature.from(signature).compactSerialized],
  ['with v 0 or 1', encodeWithParity],
  ['in upper-case hex', (signature) => `0x${Signature.from(signature).serialized.slice(2).toUpperCase()}`],
];

function encodeWithParity(signature: string): string {
  const { r, s, yParity } = Signature.from(signature);
  return `${r}${s.slice(2)}0${yParity}`;
}

/** Posts to `/v1/tokens/:tokenId/<action>`, without a key unless the headers contain one. */
export function postTo(
  tokenId: number | string,
  action: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return call(`/v1/tokens/${tokenId}/${action}`, {
    method: 'POST',
    headers: { ...asJson, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export const claimWithKey = (
  tokenId: number,
  claimingAddress: string,
  fields: Body = {},
  headers = withDemoKey,
) => postTo(tokenId, 'claim', { claimingAddress, ...fields }, headers);

/** Creates claim links with the demo key. The body has `identifiers` or `count`. */
export async function createClaimLinks(tokenId: number, body: Body): Promise<CreatedClaimLink[]> {
  const response = await postTo(tokenId, 'claimLinks', body, withDemoKey);
  expect(response.status, response.text).toBe(201);
  return (JSON.parse(response.text) as { items: CreatedClaimLink[] }).items;
}

/**
 * Creates one claim link. The default body is for an open token: only open tokens accept `count` without a
 * signature.
 */
export async function createClaimLink(tokenId: number, body: Body = { count: 1 }): Promise<CreatedClaimLink> {
  const links = await createClaimLinks(tokenId, body);
  expect(links).toHaveLength(1);
  return links[0] as CreatedClaimLink;
}

/** Creates two claim links. The default body is for an open token. */
export async function createTwoClaimLinks(
  tokenId: number,
  body: Body = { count: 2 },
): Promise<[CreatedClaimLink, CreatedClaimLink]> {
  const links = await createClaimLinks(tokenId, body);
  expect(links).toHaveLength(2);
  return links as [CreatedClaimLink, CreatedClaimLink];
}

/** Creates a link for a room, signed by the creator of the token. It ends in an hour. */
export async function createRoomLink(
  tokenId: number,
  creator: Wallet,
  fields: Body = {},
): Promise<CreatedClaimLink> {
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const expiresAtTimestamp = Date.now() + 3_600_000;
  return await createClaimLink(tokenId, { maxClaims: 3, signature, expiresAtTimestamp, ...fields });
}

export const updateClaimLink = (tokenId: number, claimLinkId: string, body: unknown, headers = withDemoKey) =>
  call(`/v1/tokens/${tokenId}/claimLinks/${claimLinkId}`, {
    method: 'PATCH',
    headers: { ...asJson, ...headers },
    body: JSON.stringify(body),
  });

/** Claims with a code, without a key. */
export const claimWithCode = (
  tokenId: number,
  claimCode: string,
  claimingAddress: string,
  fields: Body = {},
) => postTo(tokenId, 'claim', { claimingAddress, claimCode, ...fields });

export async function checkClaimCode(
  tokenId: number,
  claimCode: string,
): Promise<Omit<Eligibility, 'ownership' | 'validUntilTimestamp'>> {
  return parseOk<Omit<Eligibility, 'ownership' | 'validUntilTimestamp'>>(
    await postTo(tokenId, 'checkClaimCode', { claimCode }),
  );
}

export const claimLinksOf = async (tokenId: number, query = '?limit=1000') =>
  (await read<Page<ClaimLink>>(`/v1/tokens/${tokenId}/claimLinks${query}`, withDemoKey)).data;

export const revokeClaimLink = (tokenId: number, claimLinkId: string, headers = withDemoKey) =>
  call(`/v1/tokens/${tokenId}/claimLinks/${claimLinkId}`, { method: 'DELETE', headers });

export async function claimWithSignature(tokenId: number, claimer: Wallet, fields: Body = {}) {
  return postTo(tokenId, 'claim', { ...(await signedClaim(tokenId, claimer, eip712)), ...fields });
}

export async function burn(tokenId: number, owner: Wallet, fields: Body = {}) {
  return postTo(tokenId, 'burn', { ...(await signedBurn(tokenId, owner, eip712)), ...fields });
}

/** Adds contributors with the creator's signature and the demo key. */
export async function addContributors(tokenId: number, creator: Wallet, contributors: unknown) {
  const body = await signedContributors(tokenId, creator, contributors, eip712);
  return postTo(tokenId, 'addContributors', body, withDemoKey);
}

/** Checks that a request is accepted and its operation succeeds for this token. Returns the operation. */
export async function expectDone(
  tokenId: number,
  response: ApiResponse | Promise<ApiResponse>,
): Promise<Operation> {
  const location = expectAccepted(await response);
  expect(await expectSuccess(location)).toBe(tokenId);
  return await read<Operation>(location);
}

/**
 * Sends the same request many times concurrently. Checks that all accepted requests return the same
 * operation, which succeeds, and that every other request is rejected with 409 and this name.
 */
export async function expectOneOperation(
  count: number,
  name: string,
  request: () => Promise<ApiResponse>,
): Promise<void> {
  const responses = await Promise.all(Array.from({ length: count }, request));
  const accepted = responses.filter(({ status }) => status === 202);
  const rejected = responses.filter(({ status }) => status !== 202);
  for (const response of rejected) expectProblem(response, 409, name);
  const [location = '', ...others] = new Set(accepted.map(expectAccepted));
  expect(others).toEqual([]);
  expect(await read<Operation>(`${location}?wait=30`)).toMatchObject({ status: 'success' });
}

/** Returns a request's outcome, once it is final: `success`, or the name of the error. */
export async function outcomeOf(response: ApiResponse | Promise<ApiResponse>): Promise<string> {
  const received = await response;
  if (received.status !== 202) return (JSON.parse(received.text) as Problem).name;
  const { status, error } = await read<Operation>(`${expectAccepted(received)}?wait=30`);
  return error?.name ?? status;
}

/** Creates an open token for ten claims that need no signature, and returns its id. */
export async function createOpenToken(changes: Body = {}, creator = newWallet()): Promise<number> {
  return (await createToken(await openRequest(changes, creator))).tokenId;
}

/** Creates an allowlisted token whose claims need no signature, and returns its id. */
export async function createAllowlistedToken(
  contributors: string[],
  creator = newWallet(),
  changes: Body = {},
): Promise<number> {
  const request = { isSignatureRequired: false, contributors, ...changes };
  return (await createToken(await allowlistedRequest(request, creator))).tokenId;
}

export async function remainingOf(tokenId: number): Promise<number | null> {
  return (await read<Token>(`/v1/tokens/${tokenId}`)).claimabilityAttributes.remainingClaimCount;
}

export async function ownersOf(tokenId: number, query = '?limit=1000'): Promise<Owner[]> {
  return (await read<Page<Owner>>(`/v1/tokens/${tokenId}/owners${query}`)).data;
}

export async function contributorsOf(tokenId: number, query = '?limit=1000'): Promise<Contributor[]> {
  return (await read<Page<Contributor>>(`/v1/tokens/${tokenId}/contributors${query}`, withDemoKey)).data;
}

export const eligibilityOf = (tokenId: number, address: string) =>
  read<Eligibility>(`/v1/tokens/${tokenId}/eligibility?address=${address}`);

/** Returns a token's item in a wallet's list, or undefined if the list does not have it. */
export async function findInWallet(tokenId: number, address: string): Promise<WalletToken | undefined> {
  const { data } = await read<Page<WalletToken>>(`/v1/wallets/${address}/tokens?limit=1000`);
  return data.find(({ badgeTokenId }) => badgeTokenId === tokenId);
}

/** Changes the case of an address's letters, so that its checksum is wrong. */
export function withWrongChecksum(address: string): string {
  const digits = address.slice(2);
  // An address in one case has no checksum.
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase())
    throw new Error(`${address} has letters of one case only`);
  const flip = (digit: string) => (digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase());
  return `0x${[...digits].map(flip).join('')}`;
}
