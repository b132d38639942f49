import type { Context } from '../context.ts';
import type { Encryption } from '../encryption.ts';
import { Refusal } from './refusal.ts';

/** Returns the encryption of this process; throws if it has no key. */
export function requireEncryption({ encryption }: Pick<Context, 'encryption'>): Encryption {
  if (encryption !== null) return encryption;
  throw new Refusal(
    'EncryptionUnavailable',
    'The service has no encryption key. The operator sets BADGE_ENCRYPTION_KEY_FILE.',
  );
}
