import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAddress } from '../../signatures/address.ts';
import type { ClaimRequest, ClaimState } from '../../storage/claims.ts';
import { findAddressFieldErrors } from '../address-errors.ts';
import { type ClaimRefusal, decideClaims, findClaimErrors, identifyRequestAboutToken } from './rules.ts';

const ADDRESSES = Array.from({ length: 5 }, (_, index) => String(index).repeat(40));
const KEYS = ['ada', 'bob', 'cleo'].map((name) => createHash('sha256').update(name).digest('hex'));

interface ModelToken {
  tokenId: number;
  isAllowlistRequired: boolean;
  totalClaimCount: number;
  isExpired: boolean;
  isNotYetClaimable: boolean;
  allowlist: string[];
}

interface Claim {
  address: string;
  contributorKey: string | null;
  /** Whether it was made with the code of the token's room, and by which client. */
  isInRoom: boolean;
  client: string | null;
}

// The room of each token in the model.
const MAX_ROOM_CLAIMS = 4;
const MAX_CLAIMS_PER_CLIENT = 2;
const CLIENTS = ['aa', 'bb'];

/** A request with bytes in hex. */
type ModelRequest = Pick<ClaimRequest, 'tokenId' | 'isAllowlistBypassed' | 'claimLinkId'> & {
  address: string;
  identifierKey: string | null;
  clientHash: string | null;
};

const toBytes = (hex: string | null) => (hex === null ? null : Buffer.from(hex, 'hex'));
const toHex = (bytes: Buffer | null) => bytes?.toString('hex') ?? null;
const toRequest = (claim: ModelRequest): ClaimRequest => ({
  ...claim,
  address: parseAddress(`0x${claim.address}`),
  identifierKey: toBytes(claim.identifierKey),
  clientHash: toBytes(claim.clientHash),
  claimer: null,
  isForOther: false,
});

const anyTokens = fc.tuple(
  ...[1, 2, 3].map((tokenId) =>
    fc.record<ModelToken>({
      tokenId: fc.constant(tokenId),
      isAllowlistRequired: fc.boolean(),
      totalClaimCount: fc.integer({ min: 1, max: 4 }),
      // Only the third token can be expired, so that most claims are decided by the other rules.
      isExpired: fc.boolean().map((isExpired) => isExpired && tokenId === 3),
      isNotYetClaimable: fc.boolean().map((isLater) => isLater && tokenId === 3),
      allowlist: fc.subarray([...ADDRESSES, ...KEYS]),
    }),
  ),
);

const commonFields = { tokenId: fc.constantFrom(1, 2, 3), address: fc.constantFrom(...ADDRESSES) };
const anyRequest = fc.oneof(
  // A claim without a code, or an airdrop.
  fc.record<ModelRequest>({
    ...commonFields,
    identifierKey: fc.option(fc.constantFrom(...KEYS), { nil: null }),
    isAllowlistBypassed: fc.boolean(),
    claimLinkId: fc.constant(null),
    clientHash: fc.constant(null),
  }),
  // A claim with the code of a link, whose allowlist entry has this key.
  fc.record<ModelRequest>({
    ...commonFields,
    identifierKey: fc.constantFrom(...KEYS),
    isAllowlistBypassed: fc.constant(false),
    claimLinkId: fc.constant('link'),
    clientHash: fc.constant(null),
  }),
  // A claim with the code of a room, signed or not.
  fc.record<ModelRequest>({
    ...commonFields,
    identifierKey: fc.constant(null),
    isAllowlistBypassed: fc.constant(false),
    claimLinkId: fc.constant('room'),
    clientHash: fc.option(fc.constantFrom(...CLIENTS), { nil: null }),
  }),
);

const anyBatches = fc.array(fc.array(anyRequest, { maxLength: 12 }), { maxLength: 5 });

/** In the model, a link is revoked if its key is not on the allowlist. */
const isLinkRevoked = (token: ModelToken, { identifierKey, claimLinkId }: ModelRequest) =>
  claimLinkId === 'link' && !token.allowlist.includes(identifierKey ?? '');
/** In the model, only the second token's link with the first key is expired. */
const isLinkExpired = ({ tokenId, identifierKey, claimLinkId }: ModelRequest) =>
  claimLinkId === 'link' && tokenId === 2 && identifierKey === KEYS[0];
/** In the model, the room of the second token is paused. */
const isPaused = ({ tokenId, claimLinkId }: ModelRequest) => claimLinkId === 'room' && tokenId === 2;

/** A simple model of the rules: decides one claim, given the claims that were granted before. */
function claimOne(token: ModelToken, granted: Claim[], claim: ModelRequest): ClaimRefusal | Claim {
  if (claim.claimLinkId === 'room') return claimOneInRoom(token, granted, claim);
  if (claim.claimLinkId !== null) return claimOneWithCode(token, granted, claim);
  const isListed = token.allowlist.includes(claim.address);
  const identifier =
    !isListed && claim.identifierKey !== null && token.allowlist.includes(claim.identifierKey)
      ? claim.identifierKey
      : null;
  if (granted.some(({ address }) => address === claim.address)) return 'ClaimingAddressAlreadyHasToken';
  if (identifier !== null && granted.some(({ contributorKey }) => contributorKey === identifier)) {
    return 'ClaimingAddressAlreadyHasToken';
  }
  if (token.isExpired) return 'TokenClaimExpired';
  if (token.isNotYetClaimable && !claim.isAllowlistBypassed) return 'TokenNotYetClaimable';
  const isAllowed =
    !token.isAllowlistRequired || claim.isAllowlistBypassed || isListed || identifier !== null;
  if (!isAllowed) return 'AddressNotAllowlisted';
  if (!token.isAllowlistRequired && granted.length === token.totalClaimCount) return 'NoTokensLeft';
  return { ...outside, address: claim.address, contributorKey: isListed ? claim.address : identifier };
}

const outside = { isInRoom: false, client: null };
const findInRoom = (granted: Claim[]) => granted.filter(({ isInRoom }) => isInRoom);
const findByClient = (granted: Claim[], client: string | null) =>
  findInRoom(granted).filter((earlier) => earlier.client === client);

function claimOneInRoom(token: ModelToken, granted: Claim[], claim: ModelRequest): ClaimRefusal | Claim {
  const { address, clientHash: client } = claim;
  if (granted.some((earlier) => earlier.address === address)) return 'ClaimingAddressAlreadyHasToken';
  if (findInRoom(granted).length === MAX_ROOM_CLAIMS) return 'ClaimCodeUsed';
  if (isPaused(claim)) return 'ClaimCodePaused';
  if (token.isExpired) return 'TokenClaimExpired';
  if (token.isNotYetClaimable) return 'TokenNotYetClaimable';
  if (!token.isAllowlistRequired && granted.length === token.totalClaimCount) return 'NoTokensLeft';
  if (client !== null && findByClient(granted, client).length === MAX_CLAIMS_PER_CLIENT) {
    return 'SignatureRequired';
  }
  return { address, contributorKey: address, isInRoom: true, client };
}

function claimOneWithCode(token: ModelToken, granted: Claim[], claim: ModelRequest): ClaimRefusal | Claim {
  const { address, identifierKey: contributorKey } = claim;
  if (granted.some((earlier) => earlier.address === address)) return 'ClaimingAddressAlreadyHasToken';
  if (isLinkRevoked(token, claim)) return 'ClaimCodeInvalid';
  if (granted.some((earlier) => earlier.contributorKey === contributorKey)) return 'ClaimCodeUsed';
  if (isLinkExpired(claim)) return 'ClaimCodeInvalid';
  if (token.isExpired) return 'TokenClaimExpired';
  if (token.isNotYetClaimable) return 'TokenNotYetClaimable';
  if (!token.isAllowlistRequired && granted.length === token.totalClaimCount) return 'NoTokensLeft';
  return { ...outside, address, contributorKey };
}

/** The status of the claim's link as PostgreSQL decides it. */
function linkStatusOf(token: ModelToken, granted: Claim[], claim: ModelRequest): ClaimState['linkStatus'] {
  if (claim.claimLinkId === null) return null;
  if (isLinkRevoked(token, claim)) return 'revoked';
  const isUsed =
    claim.claimLinkId === 'room'
      ? findInRoom(granted).length === MAX_ROOM_CLAIMS
      : granted.some(({ contributorKey }) => contributorKey === claim.identifierKey);
  if (isUsed) return 'used';
  if (isLinkExpired(claim)) return 'expired';
  return isPaused(claim) ? 'paused' : 'unused';
}

function stateOf(token: ModelToken, granted: Claim[], claim: ModelRequest): ClaimState {
  const used = granted.map(({ contributorKey }) => contributorKey);
  return {
    tokenId: token.tokenId,
    isAllowlistRequired: token.isAllowlistRequired,
    remainingClaimCount: token.isAllowlistRequired ? null : token.totalClaimCount - granted.length,
    isExpired: token.isExpired,
    isNotYetClaimable: token.isNotYetClaimable,
    ownership: granted.some(({ address }) => address === claim.address) ? 'held' : 'none',
    validUntil: null,
    otherAddresses: [],
    hasAtOtherAddress: false,
    isRefused: false,
    isAddressListed: token.allowlist.includes(claim.address),
    isEntryListed: claim.identifierKey !== null && token.allowlist.includes(claim.identifierKey),
    isEntryUsed: claim.identifierKey !== null && used.includes(claim.identifierKey),
    linkStatus: linkStatusOf(token, granted, claim),
    linkClaimsLeft: claim.claimLinkId === 'room' ? MAX_ROOM_CLAIMS - findInRoom(granted).length : null,
    clientClaimsLeft:
      claim.clientHash === null
        ? null
        : MAX_CLAIMS_PER_CLIENT - findByClient(granted, claim.clientHash).length,
  };
}

const tokenOf = (all: ModelToken[], tokenId: number): ModelToken => {
  const token = all.find((one) => one.tokenId === tokenId);
  if (token === undefined) throw new Error(`the model has no token ${tokenId}`);
  return token;
};

test('decideClaims makes the same decisions in batches of any size as the model, which decides one claim at a time', () => {
  fc.assert(
    fc.property(anyTokens, anyBatches, (all, batches) => {
      const grantedByModel = new Map<number, Claim[]>(all.map(({ tokenId }) => [tokenId, []]));
      const grantedInBatches = new Map<number, Claim[]>(all.map(({ tokenId }) => [tokenId, []]));
      for (const batch of batches) {
        const states = batch.map((claim) =>
          stateOf(tokenOf(all, claim.tokenId), grantedInBatches.get(claim.tokenId) ?? [], claim),
        );
        const requests = batch.map(toRequest);
        const decisions = decideClaims(requests, states);
        expect(decisions.map((decision) => decision.request)).toEqual(requests);
        for (const [index, claim] of batch.entries()) {
          const granted = grantedByModel.get(claim.tokenId) ?? [];
          const outcome = claimOne(tokenOf(all, claim.tokenId), granted, claim);
          const decision = decisions[index];
          if (typeof outcome === 'string') {
            expect(decision?.refusal).toBe(outcome);
          } else {
            expect(decision).toMatchObject({
              refusal: null,
              contributorKey: toBytes(outcome.contributorKey),
            });
            granted.push(outcome);
          }
        }
        for (const { request: claim, refusal, contributorKey, roomLinkId } of decisions) {
          if (refusal !== null) continue;
          grantedInBatches.get(claim.tokenId)?.push({
            address: claim.address.toString('hex'),
            contributorKey: toHex(contributorKey),
            isInRoom: roomLinkId === 'room',
            client: toHex(claim.clientHash),
          });
        }
      }
      for (const token of all) {
        const granted = grantedInBatches.get(token.tokenId) ?? [];
        const keys = granted.flatMap(({ contributorKey }) => contributorKey ?? []);
        expect(new Set(granted.map(({ address }) => address)).size).toBe(granted.length);
        expect(new Set(keys).size).toBe(keys.length);
        expect(findInRoom(granted).length).toBeLessThanOrEqual(MAX_ROOM_CLAIMS);
        for (const client of CLIENTS) {
          expect(findByClient(granted, client).length).toBeLessThanOrEqual(MAX_CLAIMS_PER_CLIENT);
        }
        if (!token.isAllowlistRequired) expect(granted.length).toBeLessThanOrEqual(token.totalClaimCount);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('if one claim is left, the first request of a batch gets it', () => {
  const [first = '', second = ''] = ADDRESSES;
  const claimOf = (address: string): ModelRequest => ({
    tokenId: 1,
    address,
    identifierKey: null,
    isAllowlistBypassed: false,
    claimLinkId: null,
    clientHash: null,
  });
  const token = {
    tokenId: 1,
    isAllowlistRequired: false,
    totalClaimCount: 1,
    isExpired: false,
    isNotYetClaimable: false,
    allowlist: [],
  };
  for (const batch of [
    [claimOf(first), claimOf(second)],
    [claimOf(second), claimOf(first)],
  ]) {
    const states = batch.map((claim) => stateOf(token, [], claim));
    expect(decideClaims(batch.map(toRequest), states).map(({ refusal }) => refusal)).toEqual([
      null,
      'NoTokensLeft',
    ]);
  }
});

test('decideClaims throws if a claim has no state', () => {
  const [address = ''] = ADDRESSES;
  const claim = toRequest({
    tokenId: 1,
    address,
    identifierKey: null,
    isAllowlistBypassed: false,
    claimLinkId: null,
    clientHash: null,
  });
  expect(() => decideClaims([claim], [])).toThrow('no state');
});

test('two requests have the same identity if and only if their type, token and subjects are equal, in any order of the subjects', () => {
  const subject = fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes));
  const subjects = fc.array(subject, { maxLength: 3 });
  const toComparable = ([type, tokenId, list]: [string, number, Buffer[]]) =>
    JSON.stringify([type, tokenId, list.map(toHex).sort()]);
  const identity = fc.tuple(fc.constantFrom('claim', 'burn'), fc.integer({ min: 1, max: 3 }), subjects);
  fc.assert(
    fc.property(identity, identity, (one, other) => {
      const isSame = toComparable(one) === toComparable(other);
      expect(identifyRequestAboutToken(...one).equals(identifyRequestAboutToken(...other))).toBe(isSame);
      expect(identifyRequestAboutToken(...one)).toHaveLength(32);
    }),
  );
});

test('the identity of a request stays the same across releases', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const [first, second] = [Buffer.alloc(20, 0xab), Buffer.alloc(32, 0x0c)];
  const keys = `"${'0c'.repeat(32)}","${'ab'.repeat(20)}"`;
  expect(identifyRequestAboutToken('claim', 7, [first])).toEqual(hash(`["claim",7,"${'ab'.repeat(20)}"]`));
  expect(identifyRequestAboutToken('addContributors', 7, [first, second])).toEqual(
    hash(`["addContributors",7,${keys}]`),
  );
});

const ADDRESS = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const MISTYPED_ADDRESS = '0x530e6DB7BdfFE3B3D537EcE6e20c0f46717D0044';

test.each([
  ['an address with a right checksum', { address: ADDRESS }, []],
  ['an address in lower case', { address: ADDRESS.toLowerCase() }, []],
  ['an address with a wrong checksum', { address: MISTYPED_ADDRESS }, ['/address']],
  ['an address with a wrong checksum in another field', { address: ADDRESS, other: MISTYPED_ADDRESS }, []],
  ['a value that its schema rejects', { address: '0x1' }, []],
  ['a number', { address: 5 }, []],
  ['a missing field', {}, []],
  ['null as the body', null, []],
])('findAddressFieldErrors, with %s: %j has errors at %j', (_title, body, pointers) => {
  expect(findAddressFieldErrors(body, ['address'])).toEqual(
    pointers.map((pointer) => ({ pointer, detail: expect.stringContaining('checksum') })),
  );
});

test.each([
  ['a name', { identifier: 'ada' }, 0],
  ['absent', {}, 0],
  ['null', { identifier: null }, 0],
  ['absent because the body is null', null, 0],
  ['an address', { identifier: ADDRESS }, 1],
  ['an address after a space', { identifier: ` ${ADDRESS}` }, 1],
  ['text that begins with 0x', { identifier: '0Xada' }, 1],
  ['white space', { identifier: ' \n' }, 1],
  ['40 hex digits', { identifier: 'a'.repeat(40) }, 0],
  ['a name, together with a code', { identifier: 'ada', claimCode: 'code' }, 1],
  ['null, together with a code', { identifier: null, claimCode: 'code' }, 0],
])('a claim whose identifier is %s: %j has %i errors', (_title, body, count) => {
  expect(findClaimErrors(body && { claimingAddress: ADDRESS, ...body }, null)).toHaveLength(count);
});

const WRONG_CHECKSUM = [{ pointer: '/claimingAddress', detail: expect.stringMatching(/EIP-55/) }];
test.each([
  [{ claimingAddress: ADDRESS }, []],
  [{ claimingAddress: ADDRESS.toLowerCase() }, []],
  [{ claimingAddress: MISTYPED_ADDRESS }, WRONG_CHECKSUM],
  [{ claimingAddress: MISTYPED_ADDRESS, signature: null }, WRONG_CHECKSUM],
  [{ claimingAddress: MISTYPED_ADDRESS, signature: '0x12' }, []],
])('the checksum of the claiming address is checked only if no signature is sent: %j', (body, errors) => {
  expect(findClaimErrors(body, null)).toEqual(errors);
});
