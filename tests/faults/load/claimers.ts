import type { Wallet } from '@badge/test-support/signing';
import type { JournaledRequest } from '../journal.ts';
import type { Random } from '../random.ts';
import {
  adminAirdropRequest,
  airdropRequest,
  burnRequest,
  type ClaimProof,
  claimRequest,
} from './requests.ts';
import type { KnownToken, World } from './world.ts';

const CONTESTED_TOKENS = 3;
const MAX_HOLDERS = 100;

/**
 * Claims a token for a wallet, or airdrops it. Usually chooses one of the newest tokens, so that many wallets
 * compete for its claims. Sometimes requests it twice.
 */
export async function claim(world: World, random: Random): Promise<void> {
  const isContested = random.chance(0.85);
  const token = random.pick(isContested ? world.tokens.slice(-CONTESTED_TOKENS) : world.tokens);
  const wallet = token && chooseWallet(world, random, token);
  if (token === undefined || wallet === undefined) return;
  await claimWith(world, random, token, wallet);
  if (random.chance(0.1)) await claimWith(world, random, token, wallet);
}

// Some wallets that claim an allowlisted token are not on its allowlist.
function chooseWallet({ wallets }: World, random: Random, { allowlist }: KnownToken): Wallet | undefined {
  return random.pick(allowlist === null || random.chance(0.2) ? wallets : allowlist.wallets);
}

async function claimWith(world: World, random: Random, token: KnownToken, wallet: Wallet): Promise<void> {
  const { client, holders } = world;
  const request = await chooseRequest(world, random, token, wallet);
  const result = await client.send(request, random.chance(0.1) ? 2 : 1);
  if (result.outcome !== 'accepted' || random.chance(0.5)) return;
  const operation = await client.waitForOperation(result.location);
  if (operation?.status !== 'success') return;
  holders.push({ token, wallet });
  if (holders.length > MAX_HOLDERS) holders.shift();
  await client.readToken(token.tokenId);
}

async function chooseRequest(
  { admin }: World,
  random: Random,
  token: KnownToken,
  wallet: Wallet,
): Promise<JournaledRequest> {
  const { tokenId, allowlist } = token;
  if (allowlist === null && random.chance(0.1)) return airdropRequest(tokenId, wallet);
  if (random.chance(0.1)) return await adminAirdropRequest(tokenId, admin, wallet);
  return await claimRequest(tokenId, wallet, chooseProof(random, token));
}

function chooseProof(random: Random, { isSignatureRequired, allowlist }: KnownToken): ClaimProof {
  const identifier = random.chance(0.2) ? random.pick(allowlist?.identifiers ?? []) : undefined;
  const isSigned = isSignatureRequired || random.chance(0.5);
  // A claim with an identifier, or without a signature, needs the community's key.
  const isKeySent = identifier !== undefined || !isSigned || random.chance(0.2);
  return { isSigned, isKeySent, ...(identifier === undefined ? {} : { identifier }) };
}

/** Burns a token. Sometimes the same wallet then requests the token again, which must be refused. */
export async function burn(world: World, random: Random): Promise<void> {
  const holder = random.pick(world.holders);
  if (holder === undefined) return;
  const { token, wallet } = holder;
  const result = await world.client.send(
    await burnRequest(token.tokenId, wallet),
    random.chance(0.2) ? 2 : 1,
  );
  if (result.outcome !== 'accepted') return;
  await world.client.waitForOperation(result.location);
  if (random.chance(0.5)) await claimWith(world, random, token, wallet);
}
