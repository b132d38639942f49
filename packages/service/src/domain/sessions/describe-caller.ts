import type { CallerDescription } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { Credential } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { readSession } from './read-session.ts';

/** Says whose key or session this is, and what it may do now. */
export async function describeCaller(context: Context, credential: Credential): Promise<CallerDescription> {
  if (credential.kind === 'operator') {
    return { kind: 'operator', apiKeyId: null, address: null, memberships: [] };
  }
  if (credential.kind === 'community') {
    const { apiKeyId, communityId, role } = credential;
    const { name } = await readCommunityRow(context, communityId);
    return { kind: 'apiKey', apiKeyId, address: null, memberships: [{ communityId, name, role }] };
  }
  const { address, memberships } = await readSession(context, credential);
  return { kind: 'session', apiKeyId: null, address, memberships };
}
