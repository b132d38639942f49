import type { Random } from '../random.ts';
import {
  addContributorsRequest,
  burnRequest,
  claimRequest,
  removeContributorsRequest,
  undoRequest,
} from './requests.ts';
import type { World } from './world.ts';

const MAX_REVOKED = 50;

/** Revokes, reinstates or moves a token, or removes a contributor. Often other requests race with it. */
export async function undo(world: World, random: Random): Promise<void> {
  const act = random.pick([revoke, revoke, reinstate, move, removeContributor]) ?? revoke;
  await act(world, random);
}

async function revoke({ client, holders, revoked }: World, random: Random): Promise<void> {
  const holder = random.pick(holders);
  if (holder === undefined) return;
  const { tokenId } = holder.token;
  const { address } = holder.wallet;
  const [result] = await Promise.all([
    client.send(undoRequest('revoke', tokenId, address), random.chance(0.2) ? 2 : 1),
    random.chance(0.15) ? client.send(await burnRequest(tokenId, holder.wallet)) : null,
    random.chance(0.2) ? client.send(undoRequest('revoke', tokenId, address)) : null,
  ]);
  if (result.outcome !== 'accepted') return;
  if ((await client.waitForOperation(result.location))?.status !== 'success') return;
  revoked.push(holder);
  if (revoked.length > MAX_REVOKED) revoked.shift();
  // Must be refused.
  if (random.chance(0.3)) {
    await client.send(await claimRequest(tokenId, holder.wallet, { isSigned: true, isKeySent: true }));
  }
}

async function reinstate({ client, revoked }: World, random: Random): Promise<void> {
  const owner = random.pick(revoked);
  if (owner === undefined) return;
  const { tokenId } = owner.token;
  const copies = random.chance(0.3) ? 2 : 1;
  await Promise.all(
    Array.from({ length: copies }, () =>
      client.send(undoRequest('reinstate', tokenId, owner.wallet.address)),
    ),
  );
}

// Sometimes two tokens are moved to one receiver, and sometimes the token is moved back.
async function move({ client, holders, wallets }: World, random: Random): Promise<void> {
  const [holder, receiver] = [random.pick(holders), random.pick(wallets)];
  if (holder === undefined || receiver === undefined) return;
  const { tokenId } = holder.token;
  const rival = holders.find(({ token, wallet }) => token.tokenId === tokenId && wallet !== holder.wallet);
  const [result] = await Promise.all([
    client.send(undoRequest('move', tokenId, holder.wallet.address, receiver.address)),
    rival === undefined
      ? null
      : client.send(undoRequest('move', tokenId, rival.wallet.address, receiver.address)),
  ]);
  if (result.outcome !== 'accepted') return;
  if ((await client.waitForOperation(result.location))?.status !== 'success') return;
  if (random.chance(0.5)) {
    await client.send(undoRequest('move', tokenId, receiver.address, holder.wallet.address));
  } else holders.push({ token: holder.token, wallet: receiver });
}

let removed = 0;

/** Adds a contributor whom nothing else names, and removes it. Sometimes it claims meanwhile. */
async function removeContributor({ client, tokens, wallets }: World, random: Random): Promise<void> {
  const token = random.pick(tokens.filter(({ allowlist }) => allowlist !== null));
  const wallet = random.pick(wallets);
  if (token === undefined || wallet === undefined) return;
  removed += 1;
  const { tokenId, creator, isSignatureRequired } = token;
  const identifier = `removed-${removed}@example.org`;
  const added = await client.send(await addContributorsRequest(tokenId, creator, [identifier]));
  if (added.outcome !== 'accepted') return;
  if ((await client.waitForOperation(added.location))?.status !== 'success') return;
  const claim = { isSigned: isSignatureRequired, isKeySent: true, identifier };
  await Promise.all([
    client.send(removeContributorsRequest(tokenId, [identifier])),
    random.chance(0.5) ? client.send(await claimRequest(tokenId, wallet, claim)) : null,
  ]);
}
