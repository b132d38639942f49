import type { Wallet } from '@badge/test-support/signing';
import type { Random } from '../random.ts';
import { addContributorsRequest, createTokenRequest } from './requests.ts';
import type { KnownToken, World } from './world.ts';

const BUILT_IN_NFT_TYPES = [
  'defaultOrangeRed',
  'defaultGreenPurple',
  'defaultBlueGreen',
  'defaultGoldBlack',
] as const;
const MAX_KNOWN_TOKENS = 200;
const HOUR_MS = 3_600_000;

let created = 0;

/**
 * Creates a token, open or allowlisted, sometimes with two concurrent requests, and shares it with the
 * claimers.
 */
export async function createToken(world: World, random: Random): Promise<void> {
  const creator = random.pick(world.wallets);
  if (creator === undefined) return;
  created += 1;
  const allowlist = random.chance(0.35) ? chooseContributors(world, random) : null;
  const isSignatureRequired = random.chance(0.4);
  const expiresInMs = chooseExpiration(random);
  const request = await createTokenRequest(creator, {
    headline: `Token ${created} of ${world.runName}`,
    isSignatureRequired,
    nftTypeId: chooseNftType(world, random),
    ...(expiresInMs === null ? {} : { expirationTimestamp: Date.now() + expiresInMs }),
    totalClaimCount: allowlist === null ? random.integer(5, 20) : null,
    contributors: allowlist === null ? [] : listContributors(allowlist),
  });
  // A single request always has an idempotency key. Two copies of a request often have none.
  const copies = random.chance(0.3) ? 2 : 1;
  const isKeyless = copies === 2 && random.chance(0.7);
  const result = await world.client.send(isKeyless ? { ...request, idempotencyKey: null } : request, copies);
  if (result.outcome !== 'accepted') return;
  const operation = await world.client.waitForOperation(result.location);
  if (operation?.status !== 'success' || operation.resourceId === null) return;
  const token: KnownToken = { tokenId: operation.resourceId, creator, isSignatureRequired, allowlist };
  world.tokens.push(token);
  if (world.tokens.length > MAX_KNOWN_TOKENS) world.tokens.shift();
  if (allowlist !== null && random.chance(0.4)) await addContributors(world, random, token);
}

// Some tokens have expired already, and some expire in an hour. A service that used its own clock, which can
// be two hours off, would decide wrongly about both. Null: the token does not expire.
function chooseExpiration(random: Random): number | null {
  const draw = random.next();
  if (draw < 0.05) return -HOUR_MS;
  return draw < 0.3 ? HOUR_MS : null;
}

function listContributors({ wallets, identifiers }: NonNullable<KnownToken['allowlist']>): string[] {
  return [...wallets.map(({ address }) => address), ...identifiers];
}

function chooseNftType({ designs }: World, random: Random): string {
  const uploaded = random.chance(0.3) ? random.pick(designs) : undefined;
  return uploaded?.nftTypeId ?? random.pick(BUILT_IN_NFT_TYPES) ?? BUILT_IN_NFT_TYPES[0];
}

function chooseContributors({ wallets }: World, random: Random): NonNullable<KnownToken['allowlist']> {
  const chosen = new Set<Wallet>();
  for (let left = random.integer(3, 12); left > 0; left -= 1) {
    const wallet = random.pick(wallets);
    if (wallet !== undefined) chosen.add(wallet);
  }
  const identifiers = Array.from(
    { length: random.integer(0, 3) },
    (_, index) => `person-${created}-${index}@example.org`,
  );
  return { wallets: [...chosen], identifiers };
}

async function addContributors(
  world: World,
  random: Random,
  { tokenId, creator, allowlist }: KnownToken,
): Promise<void> {
  const wallet = random.pick(world.wallets);
  if (allowlist === null || wallet === undefined) return;
  const identifier = `late-${tokenId}@example.org`;
  const request = await addContributorsRequest(tokenId, creator, [wallet.address, identifier]);
  const result = await world.client.send(request);
  if (result.outcome !== 'accepted') return;
  const operation = await world.client.waitForOperation(result.location);
  if (operation?.status !== 'success') return;
  allowlist.wallets.push(wallet);
  allowlist.identifiers.push(identifier);
}
