import type { JournaledRequest } from '../journal.ts';
import type { Random } from '../random.ts';
import type { KnownToken, World } from './load.ts';
import {
  adminAirdropRequest,
  airdropRequest,
  burnRequest,
  type ClaimProof,
  claimRequest,
} from './requests.ts';
import type { Wallet } from './wallets.ts';

const RACED_TOKENS = 3;
const HOLDERS = 100;

/** Claims a token, mostly one of the newest, where many wallets race for few places. */
export async function claim(world: World, random: Random): Promise<void> {
  const isRaced = random.hasLuck(0.85);
  const token = random.pick(isRaced ? world.tokens.slice(-RACED_TOKENS) : world.tokens);
  const wallet = token && chooseWallet(world, random, token);
  if (token === undefined || wallet === undefined) return;
  await claimWith(world, random, token, wallet);
  if (random.hasLuck(0.1)) await claimWith(world, random, token, wallet);
}

// Of an allowlisted token, some claims are by wallets that nobody has listed.
function chooseWallet({ wallets }: World, random: Random, { listed }: KnownToken): Wallet | undefined {
  return random.pick(listed === null || random.hasLuck(0.2) ? wallets : listed.wallets);
}

async function claimWith(world: World, random: Random, token: KnownToken, wallet: Wallet): Promise<void> {
  const { client, holders } = world;
  const request = chooseRequest(world, random, token, wallet);
  const answer = await client.send(request, random.hasLuck(0.1) ? 2 : 1);
  if (answer.outcome !== 'accepted' || random.hasLuck(0.5)) return;
  const operation = await client.follow(answer.location);
  if (operation?.status !== 'success') return;
  holders.push({ token, wallet });
  if (holders.length > HOLDERS) holders.shift();
  await client.lookAt(token.tokenId);
}

function chooseRequest(
  { admin }: World,
  random: Random,
  token: KnownToken,
  wallet: Wallet,
): JournaledRequest {
  const { tokenId, listed } = token;
  if (listed === null && random.hasLuck(0.1)) return airdropRequest(tokenId, wallet);
  if (random.hasLuck(0.1)) return adminAirdropRequest(tokenId, admin, wallet);
  return claimRequest(tokenId, wallet, chooseProof(random, token));
}

function chooseProof(random: Random, { isSignatureRequired, listed }: KnownToken): ClaimProof {
  const identifier = random.hasLuck(0.2) ? random.pick(listed?.identifiers ?? []) : undefined;
  const isSigned = isSignatureRequired || random.hasLuck(0.5);
  const isKeySent = identifier !== undefined || !isSigned || random.hasLuck(0.2);
  return { isSigned, isKeySent, ...(identifier === undefined ? {} : { identifier }) };
}

/** Burns a token that a wallet holds; then the wallet, which may not, claims it again, or burns it again. */
export async function burn(world: World, random: Random): Promise<void> {
  const held = random.pick(world.holders);
  if (held === undefined) return;
  const { token, wallet } = held;
  const answer = await world.client.send(burnRequest(token.tokenId, wallet), random.hasLuck(0.2) ? 2 : 1);
  if (answer.outcome !== 'accepted') return;
  await world.client.follow(answer.location);
  if (random.hasLuck(0.5)) await claimWith(world, random, token, wallet);
}
