import type { Random } from '../random.ts';
import type { KnownToken, World } from './load.ts';
import { addContributorsRequest, createTokenRequest } from './requests.ts';
import type { Wallet } from './wallets.ts';

const NFT_TYPES = ['defaultOrangeRed', 'defaultGreenPurple', 'defaultBlueGreen', 'defaultGoldBlack'] as const;
const KNOWN_TOKENS = 200;
const HOUR_MS = 3_600_000;

let made = 0;

/** Creates a token, open or allowlisted, sometimes twice at once, and tells the claimers when it is there. */
export async function createToken(world: World, random: Random): Promise<void> {
  const creator = random.pick(world.wallets);
  if (creator === undefined) return;
  made += 1;
  const listed = random.hasLuck(0.35) ? chooseContributors(world, random) : null;
  const isSignatureRequired = random.hasLuck(0.4);
  // An hour off: a clock that is two hours off would tell them wrong.
  const chance = random.next();
  const expiresIn = chance < 0.05 ? -HOUR_MS : chance < 0.3 ? HOUR_MS : null;
  const request = createTokenRequest(creator, {
    headline: `Token ${made} of ${world.runName}`,
    isSignatureRequired,
    nftTypeId: chooseNftType(world, random),
    ...(expiresIn === null ? {} : { expirationTimestamp: Date.now() + expiresIn }),
    totalClaimCount: listed === null ? random.integer(5, 20) : null,
    contributors:
      listed === null ? [] : [...listed.wallets.map(({ address }) => address), ...listed.identifiers],
  });
  const answer = await world.client.send(request, random.hasLuck(0.2) ? 2 : 1);
  if (answer.outcome !== 'accepted') return;
  const operation = await world.client.follow(answer.location);
  if (operation?.status !== 'success' || operation.resourceId === null) return;
  const token: KnownToken = { tokenId: operation.resourceId, isSignatureRequired, listed };
  world.tokens.push(token);
  if (world.tokens.length > KNOWN_TOKENS) world.tokens.shift();
  if (listed !== null && random.hasLuck(0.4)) await addContributors(world, random, token, creator);
}

function chooseNftType({ designs }: World, random: Random): string {
  const uploaded = random.hasLuck(0.3) ? random.pick(designs) : undefined;
  return uploaded?.nftTypeId ?? random.pick(NFT_TYPES) ?? NFT_TYPES[0];
}

function chooseContributors({ wallets }: World, random: Random): NonNullable<KnownToken['listed']> {
  const chosen = new Set<Wallet>();
  for (let left = random.integer(3, 12); left > 0; left -= 1) {
    const wallet = random.pick(wallets);
    if (wallet !== undefined) chosen.add(wallet);
  }
  const identifiers = Array.from(
    { length: random.integer(0, 3) },
    (_, at) => `person-${made}-${at}@example.org`,
  );
  return { wallets: [...chosen], identifiers };
}

async function addContributors(
  world: World,
  random: Random,
  { tokenId, listed }: KnownToken,
  creator: Wallet,
): Promise<void> {
  const wallet = random.pick(world.wallets);
  if (listed === null || wallet === undefined) return;
  const identifier = `late-${tokenId}@example.org`;
  const request = addContributorsRequest(tokenId, creator, [wallet.address, identifier]);
  const answer = await world.client.send(request);
  if (answer.outcome !== 'accepted') return;
  const operation = await world.client.follow(answer.location);
  if (operation?.status !== 'success') return;
  listed.wallets.push(wallet);
  listed.identifiers.push(identifier);
}
