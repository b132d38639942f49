import type { KeyObject } from 'node:crypto';
import type { Config } from '../config.ts';
import { createEncryption, WrongEncryptionKey } from '../encryption.ts';
import { findEncryptionKey } from '../secrets.ts';
import type { DatabaseFacts } from '../storage/inspection.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const CHECK = 'encryption';
const RESTORE = 'restore the key from the backup';

/** Checks that the encryption key can read what the database stores. */
export function inspectEncryption(
  { webhookSecret: stored }: Pick<DatabaseFacts, 'webhookSecret'>,
  config: Config,
): Finding {
  let key: KeyObject | null;
  try {
    key = findEncryptionKey(config);
  } catch (error) {
    return problem(CHECK, (error as Error).message, `${RESTORE}, or correct the mode of its file`);
  }
  if (stored === null) return ok(CHECK, key === null ? 'no key, and nothing encrypted' : 'nothing encrypted');
  if (key === null) {
    return problem(
      CHECK,
      'there is no key, so the secrets and the URLs of webhooks cannot be read',
      `${RESTORE}, and set BADGE_ENCRYPTION_KEY_FILE to it`,
    );
  }
  try {
    createEncryption(key).decrypt('webhookSecret', stored.webhookId, stored.encrypted);
    return ok(CHECK, 'the key reads what is encrypted');
  } catch (error) {
    if (!(error instanceof WrongEncryptionKey)) throw error;
    return problem(
      CHECK,
      'this is another key than that of the secrets in the database',
      `${RESTORE}; if it is lost, the owners of the communities must rotate the secrets of their webhooks, and enter their URLs again`,
    );
  }
}

/** Warns of webhooks to which nothing is sent after an import. */
export function inspectWebhookSecrets({
  webhooksWithoutSecret: count,
}: Pick<DatabaseFacts, 'webhooksWithoutSecret'>): Finding[] {
  if (count === 0) return [];
  return [
    warning(
      'webhooks',
      `${count} without a secret, as after an import, so nothing is sent to them`,
      'tell the owners of the communities to give them new secrets',
    ),
  ];
}
