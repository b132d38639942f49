import type { CreatedSession } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { hashPersonalMessage } from '../../signatures/personal-message-hash.ts';
import { insertSession, isNonceUsed, readChallengeKey } from '../../storage/sessions.ts';
import { hashKey, makeKey } from '../api-keys/rules.ts';
import { beginSignatureCheck, type RunChainCalls } from '../check-signature.ts';
import { readSession } from './read-session.ts';
import {
  challengeUsed,
  checkChallenge,
  MAX_SESSIONS_PER_ADDRESS,
  NON_MEMBER_SESSION_VALID_MS,
  SESSION_VALID_MS,
} from './rules.ts';

/**
 * Signs an address in. Only the returned object contains the token of the session; the service stores its
 * hash. The session of a contract wallet counts only in communities whose contract wallets are on its chain:
 * on another one, somebody else can have a contract with this address.
 */
export async function createSession(
  context: Context,
  { message, signature }: { message: string; signature: string },
  runChainCalls: RunChainCalls,
): Promise<CreatedSession> {
  const challengeKey = await readChallengeKey(context.database);
  const { address, chainId, nonce } = checkChallenge(context.settings, challengeKey, message);
  const check = beginSignatureCheck(context, {
    digest: hashPersonalMessage(message),
    signature,
    signer: address,
    refusal: 'NotSignedByAddress',
    isTypedData: false,
    startDetail: () => `The message was not signed by ${toChecksumAddress(address)}`,
    findChainId: async () => {
      if (await isNonceUsed(context.database, nonce)) throw challengeUsed();
      return chainId;
    },
    runChainCalls,
  });
  const { evidence } = await check.finish();
  const sessionToken = makeKey('session');
  const session = await context.transaction((tx) =>
    insertSession(tx, {
      hash: hashKey(sessionToken),
      address,
      nonce,
      validMs: SESSION_VALID_MS,
      nonMemberValidMs: NON_MEMBER_SESSION_VALID_MS,
      maxSessions: MAX_SESSIONS_PER_ADDRESS,
      evidence,
    }),
  );
  if (session === undefined) throw challengeUsed();
  return { sessionToken, ...(await readSession(context, session)) };
}
