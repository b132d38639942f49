import type { Client } from '../load/client.ts';
import { ENDING_COMMUNITY, REMINDED_COMMUNITY, REPLACED_COMMUNITY } from '../load/communities.ts';

/** A caller with its own address, community and API key. */
export interface Caller {
  /** The loopback address that its connections come from. */
  localAddress: string;
  communityId: string;
  apiKey: string;
}

/** The caller that attacks. */
export const ATTACKER = { communityId: 'attacker', localAddress: '127.0.0.3' };
/** The caller that sends probes, and must be served during the attack. */
const BYSTANDER = { communityId: 'bystander', localAddress: '127.0.0.2' };

/**
 * The requests for these communities are not in the journal. The prober checks its own responses. Attacks
 * only count theirs. Who replaces tokens, lets badges end or reminds people checks what becomes of them.
 */
export const UNJOURNALED_COMMUNITIES: readonly string[] = [
  ATTACKER.communityId,
  BYSTANDER.communityId,
  REPLACED_COMMUNITY,
  ENDING_COMMUNITY,
  REMINDED_COMMUNITY,
];

/** Creates both communities, if they do not exist, and a new API key for each. */
export async function createCallers(
  client: Client,
  adminKey: string,
): Promise<{ attacker: Caller; bystander: Caller }> {
  const post = async (path: string, body: object) =>
    await client.request(path, () => ({
      method: 'POST',
      headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }));
  async function create({ communityId, localAddress }: typeof ATTACKER): Promise<Caller> {
    await post('/v1/communities', { uniqId: communityId, displayId: communityId, name: communityId });
    const response = await post(`/v1/communities/${communityId}/apiKeys`, { name: 'faults' });
    if (response === undefined) throw new Error('the run has ended');
    const { apiKey } = (await response.json()) as { apiKey: string };
    return { communityId, localAddress, apiKey };
  }
  return { attacker: await create(ATTACKER), bystander: await create(BYSTANDER) };
}
