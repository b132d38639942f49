import { randomUUID } from 'node:crypto';
import type { CreatedSession } from '@badge/protocol';
import type { Context, DatabaseTransaction } from '../../context.ts';
import { countWrongCode, findEmailChallenge, useMailedCode } from '../../storage/email-challenges.ts';
import { insertEmailSession, lockSessionsOf } from '../../storage/sessions.ts';
import { hashKey, makeKey } from '../api-keys/rules.ts';
import { requireKeptAddresses } from '../kept-addresses.ts';
import { Refusal } from '../refusal.ts';
import { readSession } from './read-session.ts';
import { hashSignInCode, MAX_SESSIONS_PER_ADDRESS, MAX_WRONG_CODES, SESSION_VALID_MS } from './rules.ts';

/**
 * Signs in who has a code that was mailed to the address of the challenge, with this challenge or another
 * one. So a stranger who requests challenges cannot make a mailed code worthless.
 */
export async function signInByEmail(
  context: Context,
  { challengeId, code }: { challengeId: string; code: string },
): Promise<CreatedSession> {
  const { encryption } = requireKeptAddresses(context);
  const challenge = { challengeId, maxWrongCodes: MAX_WRONG_CODES };
  const sessionToken = makeKey('session');
  const session = await context.transaction(async (tx) => {
    const found = await findEmailChallenge(tx, challenge);
    if (found === undefined) return undefined;
    const { email_hash: emailHash } = found;
    // So that wrong codes are counted one after the other, and a code is used once.
    await lockSessionsOf(tx, { emailHash });
    if ((await findEmailChallenge(tx, challenge)) === undefined) return undefined;
    const codeHash = hashSignInCode(encryption, emailHash, code);
    const nonce = await useMailedCode(tx, { emailHash, codeHash });
    if (nonce === undefined) await countWrongCode(tx, challengeId);
    return nonce === undefined
      ? undefined
      : await insertSession(tx, { emailHash, email: found.email, nonce });
  });
  // The detail does not say why.
  if (session === undefined) {
    throw new Refusal(
      'SignInRefused',
      'The code is wrong, or can no longer be used. Check it, or request another one.',
    );
  }
  return { sessionToken, ...(await readSession(context, session)) };

  async function insertSession(
    tx: DatabaseTransaction,
    { emailHash, email, nonce }: { emailHash: Buffer; email: Buffer; nonce: string },
  ) {
    const sessionId = randomUUID();
    const text = encryption.decrypt('emailAddress', challengeId, email);
    const encryptedEmail = encryption.encrypt('emailAddress', sessionId, text);
    const expiresAt = await insertEmailSession(tx, {
      sessionId,
      hash: hashKey(sessionToken),
      emailHash,
      encryptedEmail,
      nonce,
      validMs: SESSION_VALID_MS,
      maxSessions: MAX_SESSIONS_PER_ADDRESS,
    });
    return expiresAt && { sessionId, emailHash, encryptedEmail, expiresAt };
  }
}
