import type { CreateSignInChallengeBody, SignInChallenge } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import { readChallengeKey } from '../../storage/sessions.ts';
import { invalidRequest } from '../refusal.ts';
import { makeChallenge } from './rules.ts';

/**
 * Makes a message that an address signs to sign in. It is the same for members and others, and is not stored.
 */
export async function createSignInChallenge(
  context: Context,
  { address, chainId }: CreateSignInChallengeBody,
): Promise<SignInChallenge> {
  const { chains, settings } = context;
  const ownChainId = settings.domain.chainId;
  if (chainId != null && chainId !== ownChainId && !chains.has(chainId)) {
    throw invalidRequest([
      {
        pointer: '/chainId',
        detail: `must be ${ownChainId}, or a chain of contractWalletChainIds of GET /v1/environment`,
      },
    ]);
  }
  const { key, nowTimestamp } = await readChallengeKey(context.database);
  const { message, expiresAt } = makeChallenge(settings, key, {
    address: parseAddress(address),
    chainId: chainId ?? ownChainId,
    issuedAt: new Date(nowTimestamp),
  });
  return { message, expiresAtTimestamp: expiresAt.getTime() };
}
