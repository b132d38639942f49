import { signTokenId, type Wallet } from '@badge/test-support/signing';
import type { JournaledLink, JournaledRequest } from '../journal.ts';
import type { Random } from '../random.ts';
import type { Client } from './client.ts';
import { adminAirdropRequest, claimRequest } from './requests.ts';
import type { KnownLink, KnownToken, World } from './world.ts';

const RECENT_TOKENS = 10;
const NEWEST_LINKS = 8;
const MAX_LINKS = 100;
// Longer than any fault sets the clock of a process ahead.
const LONG_MS = 24 * 3_600_000;
const SHORT_MS = 5_000;

/** Creates claim links for a token, or revokes a link. */
export async function manageLinks(world: World, random: Random): Promise<void> {
  if (random.chance(0.15)) await revokeLink(world, random);
  else await createLinks(world, random);
}

async function createLinks(world: World, random: Random): Promise<void> {
  const { client, journal, links, apiKey } = world;
  const token = chooseToken(world, random);
  if (token === undefined) return;
  const { tokenId } = token;
  const form = await chooseForm(random, token);
  const expiresInMs = chooseExpiration(random);
  const response = await client.request(linksPath(tokenId), () => {
    const expiration = expiresInMs === null ? {} : { expiresAtTimestamp: Date.now() + expiresInMs };
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    return { method: 'POST', headers, body: JSON.stringify({ ...form, ...expiration }) };
  });
  if (response === undefined) return;
  // The identifier may have claimed in the meantime, or the clock of the process may be ahead.
  const mayBeRefused = form.identifiers !== undefined || expiresInMs === SHORT_MS;
  if (response.status === 400 && mayBeRefused) return;
  if (response.status !== 201)
    return await journal.violation('I10', `the creation of claim links returned ${response.status}`);
  const { items } = (await response.json()) as { items: JournaledLink[] };
  await journal.append({ type: 'claimLinks', tokenId, links: items });
  links.push(...items.map(({ claimLinkId, code }) => ({ claimLinkId, code, token })));
  if (links.length > MAX_LINKS) links.splice(0, links.length - MAX_LINKS);
}

/** Returns in how many milliseconds the links expire; null if they do not expire. */
function chooseExpiration(random: Random): number | null {
  const draw = random.next();
  if (draw < 0.1) return SHORT_MS;
  return draw < 0.4 ? LONG_MS : null;
}

// Usually an allowlisted token, because others quickly have no claims left.
function chooseToken({ tokens }: World, random: Random): KnownToken | undefined {
  const recent = tokens.slice(-RECENT_TOKENS);
  const allowlisted = recent.filter(({ allowlist }) => allowlist !== null);
  return random.pick(random.chance(0.7) ? allowlisted : recent);
}

/**
 * What the body of the request contains, besides the expiration. For an open token, the number of links. For an allowlisted
 * token, an identifier on its allowlist, or the number of links and the creator's signature.
 */
interface Form {
  identifiers?: string[];
  count?: number;
  signature?: string;
}

async function chooseForm(random: Random, { tokenId, creator, allowlist }: KnownToken): Promise<Form> {
  const count = random.integer(2, 6);
  if (allowlist === null) return { count };
  const identifier = random.chance(0.5) ? random.pick(allowlist.identifiers) : undefined;
  if (identifier !== undefined) return { identifiers: [identifier] };
  return { count, signature: await signTokenId(creator, 'AllowlistedAddress', tokenId) };
}

async function revokeLink({ client, journal, links, apiKey }: World, random: Random): Promise<void> {
  const link = chooseLink(links, random);
  if (link === undefined) return;
  const { claimLinkId, token } = link;
  await journal.append({ type: 'revocation', claimLinkId, status: null });
  const response = await client.request(`${linksPath(token.tokenId)}/${claimLinkId}`, () => ({
    method: 'DELETE',
    headers: { Authorization: `Bearer ${apiKey}` },
  }));
  if (response === undefined) return;
  const { status } = response;
  await journal.append({ type: 'revocation', claimLinkId, status });
  // A 409 means that the code has been used.
  if (status !== 204 && status !== 409)
    await journal.violation('I10', `the revocation of a claim link returned ${status}`);
}

/**
 * Claims with the code of a link: one wallet, or two at the same time. Sometimes the first wallet gets the token by an
 * airdrop meanwhile. If the operation of a claim ended in
 * `error`, another wallet claims with the code.
 */
export async function claimWithCode(world: World, random: Random): Promise<void> {
  const { client, admin, wallets, links } = world;
  const link = chooseLink(links, random);
  const [first, second, third] = Array.from({ length: 3 }, () => random.pick(wallets));
  if (link === undefined || first === undefined || second === undefined || third === undefined) return;
  const claimers = random.chance(0.5) ? [first, second] : [first];
  // Signing takes time, so all requests are made before the first is sent.
  const claims = await Promise.all(claimers.map((wallet) => makeClaim(random, link, wallet)));
  const airdrops = random.chance(0.2) ? [await adminAirdropRequest(link.token.tokenId, admin, first)] : [];
  const [statuses] = await Promise.all([
    Promise.all(claims.map((claim) => sendClaim(client, random, claim))),
    ...airdrops.map((airdrop) => client.send(airdrop)),
  ]);
  if (statuses.includes('error')) await sendClaim(client, random, await makeClaim(random, link, third));
}

async function makeClaim(
  random: Random,
  { code, token }: KnownLink,
  wallet: Wallet,
): Promise<JournaledRequest> {
  // Some claims have a code that does not exist.
  const claimCode = random.chance(0.02) ? code.split('').toReversed().join('') : code;
  const isSigned = token.isSignatureRequired || random.chance(0.3);
  return await claimRequest(token.tokenId, wallet, { isSigned, isKeySent: random.chance(0.1), claimCode });
}

/** Returns the status of the operation; undefined if the claim was refused. */
async function sendClaim(
  client: Client,
  random: Random,
  claim: JournaledRequest,
): Promise<string | undefined> {
  const result = await client.send(claim, random.chance(0.1) ? 2 : 1);
  if (result.outcome !== 'accepted') return undefined;
  return (await client.waitForOperation(result.location))?.status;
}

// Usually one of the newest links. Most of the older ones are used, and some have expired.
function chooseLink(links: KnownLink[], random: Random): KnownLink | undefined {
  return random.pick(random.chance(0.8) ? links.slice(-NEWEST_LINKS) : links);
}

function linksPath(tokenId: number): string {
  return `/v1/tokens/${tokenId}/claimLinks`;
}
