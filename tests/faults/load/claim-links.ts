import { signTokenId, type Wallet } from '@badge/test-support/signing';
import type { JournaledLink, JournaledRequest } from '../journal.ts';
import type { Random } from '../random.ts';
import type { Client } from './client.ts';
import { adminAirdropRequest, claimRequest } from './requests.ts';
import type { KnownLink, KnownToken, World } from './world.ts';

const RECENT_TOKENS = 10;
const NEWEST_LINKS = 8;
const MAX_LINKS = 100;
const NEWEST_ROOMS = 2;
// A client may use the code of a room 20 times at once without a signature, and once a second after that. A
// retry after a lost response counts too.
const MAX_UNSIGNED_ROOM_CLAIMS = 8;
// Longer than any fault sets the clock of a process ahead.
const LONG_MS = 24 * 3_600_000;
const SHORT_MS = 5_000;

/** Creates claim links for a token, revokes a link, or pauses and resumes a room link. */
export async function manageLinks(world: World, random: Random): Promise<void> {
  const draw = random.next();
  if (draw < 0.15) await revokeLink(world, random);
  else if (draw < 0.25) await pauseRoom(world, random);
  else {
    const token = chooseToken(world, random);
    if (token !== undefined) await createLinks(world, random, token, await chooseForm(random, token));
  }
}

/** Creates a room link, and lets more wallets claim with its code at the same time than it allows. */
export async function fillRoom(world: World, random: Random): Promise<void> {
  const { client, tokens, wallets } = world;
  const token = random.pick(tokens.slice(-RECENT_TOKENS).filter(({ allowlist }) => allowlist !== null));
  if (token === undefined) return;
  const maxClaims = random.integer(2, 3);
  const [room] = await createLinks(world, random, token, await makeRoomForm(token, maxClaims));
  if (room === undefined) return;
  const claimers = new Set(Array.from({ length: maxClaims + 4 }, () => random.pick(wallets)));
  const claims = await Promise.all(
    [...claimers].flatMap((wallet) => (wallet === undefined ? [] : makeClaim(random, room, wallet))),
  );
  await Promise.all(claims.map((claim) => sendClaim(client, random, claim)));
}

/** Returns the links; none if the request was refused or retries have ended. */
async function createLinks(
  world: World,
  random: Random,
  token: KnownToken,
  form: Form,
): Promise<KnownLink[]> {
  const { client, journal, links, apiKey } = world;
  const { tokenId } = token;
  // A room link must expire, and exists for longer than the run, so that many claim with it.
  const expiresInMs = form.maxClaims === undefined ? chooseExpiration(random) : LONG_MS;
  const response = await client.request(linksPath(tokenId), () => {
    const expiration = expiresInMs === null ? {} : { expiresAtTimestamp: Date.now() + expiresInMs };
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    return { method: 'POST', headers, body: JSON.stringify({ ...form, ...expiration }) };
  });
  if (response === undefined) return [];
  // The identifier may have claimed in the meantime, or the clock of the process may be ahead.
  const mayBeRefused = form.identifiers !== undefined || expiresInMs === SHORT_MS;
  if (response.status === 400 && mayBeRefused) return [];
  if (response.status !== 201) {
    await journal.violation('I10', `the creation of claim links returned ${response.status}`);
    return [];
  }
  const { items } = (await response.json()) as { items: Omit<JournaledLink, 'maxClaims'>[] };
  const { maxClaims = null } = form;
  await journal.append({ type: 'claimLinks', tokenId, links: items.map((link) => ({ ...link, maxClaims })) });
  const known = { token, isForRoom: maxClaims !== null, mayChangeLater: false, unsignedClaims: 0 };
  const created = items.map(({ claimLinkId, code }) => ({ ...known, claimLinkId, code }));
  links.push(...created);
  if (links.length > MAX_LINKS) links.splice(0, links.length - MAX_LINKS);
  return created;
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
 * What the body of the request contains, besides the expiration. For an open token, the number of links. For
 * an allowlisted token, an identifier on its allowlist, or the number of links or of the claims of a room,
 * and the creator's signature.
 */
interface Form {
  identifiers?: string[];
  count?: number;
  maxClaims?: number;
  signature?: string;
}

async function chooseForm(random: Random, token: KnownToken): Promise<Form> {
  const { tokenId, creator, allowlist } = token;
  const count = random.integer(2, 6);
  if (allowlist === null) return { count };
  const identifier = random.chance(0.5) ? random.pick(allowlist.identifiers) : undefined;
  if (identifier !== undefined) return { identifiers: [identifier] };
  if (random.chance(0.5)) return await makeRoomForm(token, count);
  return { count, signature: await signTokenId(creator, 'AllowlistedAddress', tokenId) };
}

async function makeRoomForm({ tokenId, creator }: KnownToken, maxClaims: number): Promise<Form> {
  return { maxClaims, signature: await signTokenId(creator, 'AllowlistedAddress', tokenId) };
}

async function revokeLink({ client, journal, links, apiKey }: World, random: Random): Promise<void> {
  const link = chooseLink(links, random);
  if (link === undefined) return;
  const { claimLinkId, token, isForRoom } = link;
  // Claims with the code of a revoked room would count as guesses, and be refused with 429.
  if (isForRoom) links.splice(links.indexOf(link), 1);
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

/** Pauses a room link, checks that every process shows it, and resumes it. */
async function pauseRoom(world: World, random: Random): Promise<void> {
  const { client, journal, links, apiKey } = world;
  const link = random.pick(links.filter(({ isForRoom }) => isForRoom));
  if (link === undefined) return;
  const { claimLinkId, token } = link;
  await journal.append({ type: 'pause', claimLinkId });
  const headers = { Authorization: `Bearer ${apiKey}` };
  for (const isPaused of [true, false]) {
    let attempts = 0;
    const response = await client.request(`${linksPath(token.tokenId)}/${claimLinkId}`, () => {
      attempts += 1;
      const body = JSON.stringify({ isPaused });
      return { method: 'PATCH', headers: { ...headers, 'Content-Type': 'application/json' }, body };
    });
    if (attempts > 1) link.mayChangeLater = true;
    if (response === undefined) return;
    if (response.status !== 200)
      return await journal.violation('I10', `the change of a claim link returned ${response.status}`);
    if (link.mayChangeLater) continue;
    const responses = await Promise.all(
      client.apiNames.map((name) =>
        client.readFrom(name, `${linksPath(token.tokenId)}?limit=1000`, { headers }),
      ),
    );
    for (const read of responses) {
      if (read?.status !== 200) continue;
      const { data } = (await read.json()) as { data: { claimLinkId: string; isPaused: boolean }[] };
      await journal.checked('I14', 1);
      if (data.find((listed) => listed.claimLinkId === claimLinkId)?.isPaused !== isPaused)
        await journal.violation('I14', `the claim link ${claimLinkId} was shown as it was before its change`);
    }
  }
}

/**
 * Claims with the code of a link: one wallet, or two at the same time; with the code of a room, up to six.
 * Sometimes the first wallet gets the token by an airdrop meanwhile. If the operation of a claim ended in
 * `error`, another wallet claims with the code.
 */
export async function claimWithCode(world: World, random: Random): Promise<void> {
  const { client, admin, wallets, links } = world;
  const link = chooseLink(links, random);
  const [first, second, third] = Array.from({ length: 3 }, () => random.pick(wallets));
  if (link === undefined || first === undefined || second === undefined || third === undefined) return;
  const room = Array.from({ length: random.integer(1, 4) }, () => random.pick(wallets));
  const others = link.isForRoom ? room.filter((wallet) => wallet !== undefined) : [];
  const claimers = random.chance(0.5) ? [first, second, ...others] : [first, ...others];
  // Signing takes time, so all requests are made before the first is sent.
  const claims = await Promise.all(claimers.map((wallet) => makeClaim(random, link, wallet)));
  const airdrops = random.chance(0.2) ? [await adminAirdropRequest(link.token.tokenId, admin, first)] : [];
  const [statuses] = await Promise.all([
    Promise.all(claims.map((claim) => sendClaim(client, random, claim))),
    ...airdrops.map((airdrop) => client.send(airdrop)),
  ]);
  if (statuses.includes('error')) await sendClaim(client, random, await makeClaim(random, link, third));
}

async function makeClaim(random: Random, link: KnownLink, wallet: Wallet): Promise<JournaledRequest> {
  const { code, token, isForRoom } = link;
  // Some claims have a code that does not exist. A client may send only a few wrong codes of rooms.
  const claimCode = !isForRoom && random.chance(0.02) ? code.split('').toReversed().join('') : code;
  const isSigned =
    token.isSignatureRequired ||
    random.chance(0.3) ||
    (isForRoom && link.unsignedClaims >= MAX_UNSIGNED_ROOM_CLAIMS);
  if (!isSigned) link.unsignedClaims += 1;
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

// Often one of the newest rooms, so that more people claim with it than it allows. Otherwise usually one of
// the newest links. Most of the older ones are used, and some have expired.
function chooseLink(links: KnownLink[], random: Random): KnownLink | undefined {
  const rooms = links.filter(({ isForRoom }) => isForRoom);
  if (rooms.length > 0 && random.chance(0.4)) return random.pick(rooms.slice(-NEWEST_ROOMS));
  return random.pick(random.chance(0.8) ? links.slice(-NEWEST_LINKS) : links);
}

function linksPath(tokenId: number): string {
  return `/v1/tokens/${tokenId}/claimLinks`;
}
