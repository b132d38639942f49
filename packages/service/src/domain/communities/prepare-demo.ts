import type { Context } from '../../context.ts';
import { insertApiKey } from '../../storage/api-keys.ts';
import { insertCommunity } from '../../storage/communities.ts';
import { hashKey, keyPrefix } from '../api-keys/rules.ts';

export const DEMO_COMMUNITY_ID = 'demo';
const SERVICE = { kind: 'service', apiKeyId: null } as const;

/**
 * Creates the sandbox's demo community and its key if they do not exist. A revoked key stays revoked. A new
 * community has a managed creator, so that whoever opens the console can make a badge on one device and give
 * it on another.
 */
export async function prepareDemo(context: Context, demoApiKey: string): Promise<void> {
  await context.transaction(async (tx) => {
    await insertCommunity(tx, SERVICE, {
      community_id: DEMO_COMMUNITY_ID,
      display_id: 'demo',
      name: 'Demo community',
      description: 'A place to try things out.',
      logo_url: null,
      managed_creator: context.managedCreators?.addressOf(DEMO_COMMUNITY_ID) ?? null,
    });
    await insertApiKey(tx, SERVICE, {
      communityId: DEMO_COMMUNITY_ID,
      hash: hashKey(demoApiKey),
      prefix: keyPrefix(demoApiKey),
      name: 'demo',
      expiresAt: null,
    });
  });
}
