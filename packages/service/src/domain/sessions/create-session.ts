import type { CreatedSession, SignInBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { hashPersonalMessage } from '../../signatures/personal-message-hash.ts';
import { insertSession, readChallengeKey } from '../../storage/sessions.ts';
import { hashKey, makeKey } from '../api-keys/rules.ts';
import { checkSignature } from '../check-signature.ts';
import { readSession } from './read-session.ts';
import { challengeUsed, checkChallenge, SESSION_VALID_MS } from './rules.ts';

/** Signs an address in. Only the returned object contains the token of the session; the service stores its hash. */
export async function createSession(
  context: Context,
  { message, signature }: SignInBody,
): Promise<CreatedSession> {
  const challengeKey = await readChallengeKey(context.database);
  const { address, nonce } = checkChallenge(context.settings, challengeKey, message);
  checkSignature(context, {
    digest: hashPersonalMessage(message),
    signature,
    signer: address,
    refusal: 'NotSignedByAddress',
    isTypedData: false,
    startDetail: () => `The message was not signed by ${toChecksumAddress(address)}`,
  });
  const sessionToken = makeKey('session');
  const session = await insertSession(context.database, {
    hash: hashKey(sessionToken),
    address,
    nonce,
    validMs: SESSION_VALID_MS,
  });
  if (session === undefined) throw challengeUsed();
  return { sessionToken, ...(await readSession(context, session)) };
}
