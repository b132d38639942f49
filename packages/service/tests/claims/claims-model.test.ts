import type { Contributor, Owner, OwnerState, Token, WalletToken } from '@badge/protocol';
import { newWallet, signedToken, signTokenId } from '@badge/test-support/signing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const creator = newWallet();
const wallets = Array.from({ length: 5 }, () => newWallet());
const addresses: string[] = wallets.map(({ address }) => address);
const IDENTIFIERS = ['ada', 'bob@example.org'];
/** An address or an identifier. */
type ContributorText = string;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

interface ModelToken {
  tokenId: number;
  totalClaimCount: number | null;
  contributors: ContributorText[];
  /** In the order of the claims. A claim that was moved stays before the claim that it became. */
  claims: ModelClaim[];
}
interface ModelClaim {
  address: string;
  contributor: ContributorText | null;
  status: OwnerState['status'];
  movedFrom: string | null;
}
interface Model {
  tokens: ModelToken[];
}
type Command = fc.AsyncCommand<Model, undefined>;

/** Counts the claims that were made. A claim that was moved counts once. */
const countMade = (claims: ModelClaim[]) => claims.filter(({ movedFrom }) => movedFrom === null).length;

/**
 * Returns the reasons for which the model refuses a claim, and the allowlist entry that the claim uses. The
 * first reason is the error of the response.
 */
function decide(
  token: ModelToken,
  claim: { address: string; identifier: string | null },
): { reasons: string[]; contributor: ContributorText | null } {
  const { claims, contributors, totalClaimCount } = token;
  const entry = [claim.address, claim.identifier].find(
    (text) => text !== null && contributors.includes(text),
  );
  const hasClaimed = claims.some(({ address }) => address === claim.address);
  const isUsedUp = entry !== undefined && claims.some(({ contributor }) => contributor === entry);
  const reasons = [];
  if (hasClaimed || isUsedUp) reasons.push('ClaimingAddressAlreadyHasToken');
  if (totalClaimCount === null && entry === undefined) reasons.push('AddressNotAllowlisted');
  if (countMade(claims) === totalClaimCount) reasons.push('NoTokensLeft');
  return { reasons, contributor: entry ?? null };
}

async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

/** Returns `success` or the name of the error, and the resource of an operation that succeeded. */
async function outcomeOf(response: Response): Promise<{ outcome: string; resourceId: number | null }> {
  if (response.status !== 202)
    return { outcome: (await json<{ name: string }>(response)).name, resourceId: null };
  const { status, error, resourceId } = await json<{
    status: string;
    error: { name: string } | null;
    resourceId: number | null;
  }>(service.call(`${response.headers.get('location')}?wait=20`));
  return { outcome: error?.name ?? status, resourceId };
}

/** Sends a request about a token, and returns `success` or the name of the error. */
async function post(tokenId: number, action: string, body: object, hasKey = true): Promise<string> {
  const key = hasKey ? { key: service.apiKey } : {};
  const { outcome, resourceId } = await outcomeOf(
    await service.call(`/v1/tokens/${tokenId}/${action}`, { json: body, ...key }),
  );
  expect(resourceId).toBe(outcome === 'success' ? tokenId : null);
  return outcome;
}

function create(totalClaimCount: number | null, contributors: ContributorText[]): Command {
  return {
    check: () => true,
    run: async ({ tokens }) => {
      const isAllowlistRequired = totalClaimCount === null;
      const fields = { isAllowlistRequired, totalClaimCount, contributors };
      const body = await signedToken(fields, creator);
      const { outcome, resourceId } = await outcomeOf(
        await service.call('/v1/tokens', { json: body, key: service.apiKey }),
      );
      expect(outcome).toBe('success');
      const allowlist = isAllowlistRequired ? contributors : [];
      tokens.push({ tokenId: Number(resourceId), totalClaimCount, contributors: allowlist, claims: [] });
    },
    toString: () => `create(${totalClaimCount}, [${contributors}])`,
  };
}

/** Returns a command on one of the existing tokens. The random number `pick` chooses the token. */
function onToken(pick: number, title: string, run: (token: ModelToken) => Promise<void>): Command {
  return {
    check: ({ tokens }) => tokens.length > 0,
    run: async ({ tokens }) => {
      const token = tokens[pick % tokens.length];
      if (token !== undefined) await run(token);
    },
    toString: () => `${title} of token ${pick}`,
  };
}

interface ClaimFields {
  walletIndex: number;
  identifier: string | null;
  isSigned: boolean;
}

const claim = (pick: number, { walletIndex, identifier, isSigned }: ClaimFields): Command =>
  onToken(pick, `claim ${walletIndex} ${identifier} ${isSigned}`, async (token) => {
    const claimer = wallets[walletIndex] ?? creator;
    const { address } = claimer;
    const signature = isSigned ? await signTokenId(claimer, 'Claim', token.tokenId) : null;
    const { reasons, contributor } = decide(token, { address, identifier });
    const body = { claimingAddress: address, signature, identifier };
    // A claim with a signature needs the API key only if it has an identifier.
    const hasKey = !isSigned || identifier !== null;
    expect(await post(token.tokenId, 'claim', body, hasKey)).toBe(reasons[0] ?? 'success');
    if (reasons.length === 0) token.claims.push({ address, contributor, status: 'held', movedFrom: null });
  });

const airdrop = (pick: number, walletIndex: number): Command =>
  onToken(pick, `airdrop ${walletIndex}`, async (token) => {
    const address = addresses[walletIndex] ?? '';
    const { reasons, contributor } = decide(token, { address, identifier: null });
    const expected = token.totalClaimCount === null ? 'AllowlistMismatch' : (reasons[0] ?? 'success');
    expect(await post(token.tokenId, 'airdrop', { address })).toBe(expected);
    if (expected === 'success') token.claims.push({ address, contributor, status: 'held', movedFrom: null });
  });

const burn = (pick: number, walletIndex: number): Command =>
  onToken(pick, `burn ${walletIndex}`, async (token) => {
    const owner = wallets[walletIndex] ?? creator;
    const held = token.claims.find(({ address, status }) => address === owner.address && status === 'held');
    const signature = await signTokenId(owner, 'Burn', token.tokenId);
    const body = { burningAddress: owner.address, signature };
    expect(await post(token.tokenId, 'burn', body, false)).toBe(held ? 'success' : 'TokenNotOwned');
    if (held) held.status = 'burnt';
  });

const addContributors = (pick: number, contributors: ContributorText[]): Command =>
  onToken(pick, `addContributors [${contributors}]`, async (token) => {
    const signature = await signTokenId(creator, 'AllowlistedAddress', token.tokenId);
    const expected = token.totalClaimCount === null ? 'success' : 'AllowlistMismatch';
    expect(await post(token.tokenId, 'addContributors', { contributors, signature })).toBe(expected);
    if (expected === 'success') token.contributors = [...new Set([...token.contributors, ...contributors])];
  });

const revoke = (pick: number, walletIndex: number): Command =>
  onToken(pick, `revoke ${walletIndex}`, async (token) => {
    const owner = addresses[walletIndex] ?? '';
    const held = token.claims.find(({ address, status }) => address === owner && status === 'held');
    const expected = held ? 'success' : 'TokenNotOwned';
    expect(await post(token.tokenId, `owners/${owner}/revoke`, { reason: 'a reason' })).toBe(expected);
    if (held) held.status = 'revoked';
  });

const reinstate = (pick: number, walletIndex: number): Command =>
  onToken(pick, `reinstate ${walletIndex}`, async (token) => {
    const owner = addresses[walletIndex] ?? '';
    const revoked = token.claims.find(({ address, status }) => address === owner && status === 'revoked');
    const expected = revoked ? 'success' : 'TokenNotRevoked';
    expect(await post(token.tokenId, `owners/${owner}/reinstate`, { reason: 'a reason' })).toBe(expected);
    if (revoked) revoked.status = 'held';
  });

const move = (pick: number, walletIndex: number, toIndex: number): Command =>
  onToken(pick, `move ${walletIndex} to ${toIndex}`, async (token) => {
    const [owner = '', toAddress = ''] = [addresses[walletIndex], addresses[toIndex]];
    const from = token.claims.find(({ address, status }) => address === owner && status === 'held');
    const to = token.claims.find(({ address }) => address === toAddress);
    const isWayBack = to?.status === 'moved' && (from?.movedFrom === toAddress || to.movedFrom === owner);
    let expected = 'success';
    if (to !== undefined && !isWayBack) expected = 'ClaimingAddressAlreadyHasToken';
    if (from === undefined) expected = 'TokenNotOwned';
    const body = { toAddress, reason: 'a reason' };
    expect(await post(token.tokenId, `owners/${owner}/move`, body)).toBe(expected);
    if (from === undefined || expected !== 'success') return;
    from.status = 'moved';
    if (to !== undefined) {
      to.status = 'held';
      return;
    }
    const contributor = token.contributors.includes(toAddress) ? toAddress : null;
    const received = { address: toAddress, contributor, status: 'held' as const, movedFrom: owner };
    token.claims.splice(token.claims.indexOf(from) + 1, 0, received);
  });

const removeContributors = (pick: number, contributors: ContributorText[]): Command =>
  onToken(pick, `removeContributors [${contributors}]`, async (token) => {
    const isRemovable = contributors.every(
      (contributor) =>
        token.contributors.includes(contributor) &&
        !token.claims.some((claim) => claim.address === contributor || claim.contributor === contributor),
    );
    let expected = isRemovable ? 'success' : 'InvalidRequest';
    if (token.totalClaimCount !== null) expected = 'AllowlistMismatch';
    expect(await post(token.tokenId, 'removeContributors', { contributors })).toBe(expected);
    if (expected !== 'success') return;
    token.contributors = token.contributors.filter((contributor) => !contributors.includes(contributor));
  });

/** Compares the tokens, owners, contributors, eligibilities and wallets in the responses with the model. */
async function expectStateOfModel({ tokens }: Model): Promise<void> {
  const list = async <Item>(path: string) =>
    (await json<{ data: Item[] }>(service.call(`${path}?limit=1000`, { key: service.apiKey }))).data;
  for (const token of tokens) {
    const { tokenId, claims, totalClaimCount } = token;
    const path = `/v1/tokens/${tokenId}`;
    const held = claims.filter(({ status }) => status === 'held');
    const owners = await list<Owner>(`${path}/owners`);
    expect(owners.map(({ address }) => address)).toEqual(held.map(({ address }) => address));
    for (const { address, status } of claims) {
      expect(await json(service.call(`${path}/owners/${address}`))).toMatchObject({ address, status });
    }
    expect(await list<Contributor>(`${path}/contributors`)).toEqual(
      token.contributors.map((contributor) => ({
        contributor,
        address: addresses.includes(contributor)
          ? contributor
          : (claims.find((claim) => claim.contributor === contributor)?.address ?? null),
        hasClaimed: claims.some(
          (claim) => claim.address === contributor || claim.contributor === contributor,
        ),
      })),
    );
    const { claimabilityAttributes } = await json<Token>(service.call(path));
    expect(claimabilityAttributes).toMatchObject({
      totalClaimCount,
      remainingClaimCount: totalClaimCount === null ? null : totalClaimCount - countMade(claims),
    });
    const eligibilities = addresses.map((address) =>
      json(service.call(`${path}/eligibility?address=${address}`)),
    );
    expect(await Promise.all(eligibilities)).toEqual(
      addresses.map((address) => {
        const { reasons } = decide(token, { address, identifier: null });
        const ownership = claims.find((claim) => claim.address === address)?.status ?? 'none';
        return {
          canClaim: reasons.length === 0,
          isSignatureRequired: false,
          reasons,
          ownership,
          validUntilTimestamp: null,
        };
      }),
    );
  }
  for (const address of addresses) {
    const expected = tokens.toReversed().flatMap(({ tokenId, claims, contributors }) => {
      const claimed = claims.find((claim) => claim.address === address);
      if (claimed !== undefined) return claimed.status === 'held' ? [[tokenId, 'claimed']] : [];
      return contributors.includes(address) ? [[tokenId, 'unclaimed']] : [];
    });
    // The database also contains the tokens of earlier sequences.
    const walletTokens = (await list<WalletToken>(`/v1/wallets/${address}/tokens`)).filter(
      ({ badgeTokenId }) => tokens.some(({ tokenId }) => tokenId === badgeTokenId),
    );
    expect(walletTokens.map(({ badgeTokenId, claimStatus }) => [badgeTokenId, claimStatus])).toEqual(
      expected,
    );
  }
}

const anyToken = fc.nat({ max: 5 });
const anyWallet = fc.nat({ max: wallets.length - 1 });
const someContributors = fc.subarray([...IDENTIFIERS, ...addresses], { minLength: 1 });
const anyClaim = fc.record<ClaimFields>({
  walletIndex: anyWallet,
  identifier: fc.option(fc.constantFrom(...IDENTIFIERS), { nil: null }),
  isSigned: fc.boolean(),
});
const claimCommands = fc.tuple(anyToken, anyClaim).map((parts) => claim(...parts));

test('after any sequence of creations, claims, airdrops, burns, revocations, moves and changes of allowlists, the responses match the model', async () => {
  const tokenFields = fc.tuple(fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }), someContributors);
  const commands = fc.commands(
    [
      tokenFields.map((parts) => create(...parts)),
      // Three times, so that claims are more frequent than the other commands.
      claimCommands,
      claimCommands,
      claimCommands,
      fc.tuple(anyToken, anyWallet).map((parts) => airdrop(...parts)),
      fc.tuple(anyToken, anyWallet).map((parts) => burn(...parts)),
      fc.tuple(anyToken, someContributors).map((parts) => addContributors(...parts)),
      fc.tuple(anyToken, anyWallet).map((parts) => revoke(...parts)),
      fc.tuple(anyToken, anyWallet).map((parts) => reinstate(...parts)),
      fc.tuple(anyToken, anyWallet, anyWallet).map((parts) => move(...parts)),
      fc.tuple(anyToken, someContributors).map((parts) => removeContributors(...parts)),
    ],
    { maxCommands: 30, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const model: Model = { tokens: [] };
      const setup = async () => {
        await create(2, ['ada']).run(model, undefined);
        await create(null, ['ada', addresses[0] ?? '']).run(model, undefined);
        return { model, real: undefined };
      };
      await fc.asyncModelRun(setup, sequence);
      await expectStateOfModel(model);
    }),
    // With a fixed seed, every run of the test executes the same sequences.
    { numRuns: 8, seed: 3, endOnFailure: true },
  );
});
