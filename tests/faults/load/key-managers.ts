import { newWallet } from '@badge/test-support/signing';
import type { Random } from '../random.ts';
import { createCommunity } from './operator-actions.ts';
import { createTokenRequest, operatorRequest } from './requests.ts';
import type { ManagedKey, World } from './world.ts';

const MAX_KEYS = 40;

let created = 0;

/**
 * Creates a community with a key and a token, or chooses a key that was created before. Sometimes revokes the
 * chosen key. Then sends a request with the key to every process.
 */
export async function manageKey(world: World, random: Random): Promise<void> {
  const known = random.chance(0.4) ? undefined : random.pick(world.keys);
  if (known === undefined) {
    const key = await createCommunityAndKey(world);
    if (key === undefined) return;
    await createTokenWith(world, key);
    await readWithKey(world, key);
    return;
  }
  if (!known.isRevoked && random.chance(0.5)) {
    const hasResponse = await revoke(world, known);
    if (!hasResponse) return;
  }
  await readWithKey(world, known);
}

async function createCommunityAndKey(world: World): Promise<ManagedKey | undefined> {
  const { client, adminKey } = world;
  created += 1;
  const communityId = `community-${created}`;
  if (!(await createCommunity(world, communityId))) return undefined;
  const response = await client.request(`/v1/communities/${communityId}/apiKeys`, () =>
    operatorRequest(adminKey, 'POST', { name: 'faults' }),
  );
  if (response === undefined) return undefined;
  if (response.status !== 201) {
    // I1: the creation of the community was confirmed, so a key can be created for it.
    await world.journal.violation(
      'I1',
      `the creation of a key of ${communityId} returned ${response.status}`,
    );
    return undefined;
  }
  const { apiKeyId, apiKey } = (await response.json()) as { apiKeyId: string; apiKey: string };
  const key: ManagedKey = { communityId, apiKeyId, apiKey, isRevoked: false };
  world.keys.push(key);
  if (world.keys.length > MAX_KEYS) world.keys.shift();
  return key;
}

async function createTokenWith({ client, runName }: World, community: ManagedKey): Promise<void> {
  const request = await createTokenRequest(
    newWallet(community.communityId),
    {
      headline: `Token of ${community.communityId} of ${runName}`,
      isSignatureRequired: false,
      nftTypeId: 'defaultOrangeRed',
      totalClaimCount: 5,
      contributors: [],
    },
    community,
  );
  const result = await client.send(request);
  if (result.outcome === 'accepted') await client.waitForOperation(result.location);
}

/** Returns false if retries have ended. */
async function revoke(world: World, key: ManagedKey): Promise<boolean> {
  const { client, adminKey } = world;
  const { communityId, apiKeyId } = key;
  const response = await client.request(`/v1/communities/${communityId}/apiKeys/${apiKeyId}`, () =>
    operatorRequest(adminKey, 'DELETE'),
  );
  if (response === undefined) return false;
  key.isRevoked = true;
  // A 404 means that an earlier attempt succeeded, but its response was lost.
  if (response.status !== 204 && response.status !== 404)
    await world.journal.violation('I10', `the revocation of a key returned ${response.status}`);
  return true;
}

async function readWithKey({ client, journal }: World, key: ManagedKey): Promise<void> {
  const { communityId, apiKeyId, apiKey, isRevoked } = key;
  const path = `/v1/communities/${communityId}/configuration`;
  const headers = { Authorization: `Bearer ${apiKey}` };
  const read = async (processName: string) => {
    const response = await client.readFrom(processName, path, { headers });
    if (response === undefined) return;
    const { status } = response;
    await journal.append({ type: 'key', communityId, apiKeyId, isRevoked, processName, status });
  };
  await Promise.all(client.apiNames.map(read));
}
