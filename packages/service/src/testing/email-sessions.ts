import { randomUUID } from 'node:crypto';
import { parseEmailAddress } from '@badge/protocol';
import { hashKey, makeKey } from '../domain/api-keys/rules.ts';
import { hashEmail } from '../domain/invitations/rules.ts';
import { requireEncryption } from '../domain/require-encryption.ts';
import { insertEmailSession, lockSessionsOf } from '../storage/sessions.ts';
import type { TestService } from './services.ts';

/** Signs somebody in who has proven an e-mail address. Returns the token of the session. */
export async function createEmailSession({ context }: TestService, email: string): Promise<string> {
  const parsed = parseEmailAddress(email);
  if (typeof parsed === 'string') throw new Error(parsed);
  const encryption = requireEncryption(context);
  const sessionId = randomUUID();
  const token = makeKey('session');
  const emailHash = hashEmail(encryption, parsed);
  await context.transaction(async (tx) => {
    await lockSessionsOf(tx, { emailHash });
    await insertEmailSession(tx, {
      sessionId,
      hash: hashKey(token),
      emailHash,
      encryptedEmail: encryption.encrypt('emailAddress', sessionId, parsed.address),
      nonce: randomUUID(),
      validMs: 3_600_000,
      maxSessions: 20,
    });
  });
  return token;
}
