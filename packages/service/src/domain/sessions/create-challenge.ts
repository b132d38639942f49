import type { SignInChallenge } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import { readChallengeKey } from '../../storage/sessions.ts';
import { makeChallenge } from './rules.ts';

/** Makes a message that an address signs to sign in. It is the same for members and others, and is not stored. */
export async function createSignInChallenge(context: Context, address: string): Promise<SignInChallenge> {
  const { key, nowTimestamp } = await readChallengeKey(context.database);
  const { message, expiresAt } = makeChallenge(context.settings, key, {
    address: parseAddress(address),
    issuedAt: new Date(nowTimestamp),
  });
  return { message, expiresAtTimestamp: expiresAt.getTime() };
}
