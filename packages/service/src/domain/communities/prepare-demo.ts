import type { Context } from '../../context.ts';
import { insertApiKey } from '../../storage/api-keys.ts';
import { insertCommunity } from '../../storage/communities.ts';
import { hashKey, keyPrefix } from '../api-keys/rules.ts';

export const DEMO_COMMUNITY_ID = 'demo';
const SERVICE = { kind: 'service', apiKeyId: null } as const;

/** Creates the sandbox's demo community and its key if they do not exist. A revoked key stays revoked. */
export async function prepareDemo(context: Context, demoApiKey: string): Promise<void> {
  await context.transaction(async (tx) => {
    await insertCommunity(tx, SERVICE, {
      community_id: DEMO_COMMUNITY_ID,
      display_id: 'demo',
      name: 'Demo community',
      description: 'A place to try things out.',
      logo_url: null,
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
