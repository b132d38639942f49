import { hkdfSync } from 'node:crypto';
import type { Config } from '../config.ts';
import { findEncryptionKey, findSeed, secretFiles } from '../secrets.ts';
import { ArchiveError } from './tar.ts';

// A change of this label makes all former check values wrong.
const LABEL = 'badge/archive-check/1';
const CHECK_BYTES = 32;

/** The keys that an archive does not have, and that its data needs. */
export const KEY_NAMES = ['creatorSeed', 'issuerSeed', 'holderSeed', 'encryptionKey'] as const;
export type KeyName = (typeof KEY_NAMES)[number];

/** For each key: a value that follows from it and does not reveal it. Null: there is no such key. */
export type KeyChecks = Record<KeyName, string | null>;

/** The variable that leads to each key. */
export const KEY_VARIABLES: Record<KeyName, string> = {
  creatorSeed: 'BADGE_CREATOR_SEED_FILE',
  issuerSeed: 'BADGE_ISSUER_SEED_FILE',
  holderSeed: 'BADGE_HOLDER_SEED_FILE',
  encryptionKey: 'BADGE_ENCRYPTION_KEY_FILE',
};

export function checkKeysOf(config: Config): KeyChecks {
  if (config.role === 'worker')
    throw new ArchiveError('a worker has no seeds: run the command without BADGE_ROLE=worker');
  const checks = KEY_NAMES.map((name) => {
    const key = name === 'encryptionKey' ? findEncryptionKey(config) : findSeed(config, name);
    return [
      name,
      key && Buffer.from(hkdfSync('sha256', key, '', `${LABEL}/${name}`, CHECK_BYTES)).toString('hex'),
    ];
  });
  return Object.fromEntries(checks) as KeyChecks;
}

/** Says, for each key of the archive, whether this installation lacks it or has another one. */
export function findWrongKeys(archived: KeyChecks, config: Config): string[] {
  const own = checkKeysOf(config);
  const files = secretFiles(config);
  return KEY_NAMES.flatMap((name) => {
    if (archived[name] === null || archived[name] === own[name]) return [];
    const place =
      config.environment === 'production'
        ? `set ${KEY_VARIABLES[name]} to it`
        : `set ${KEY_VARIABLES[name]} to it, or copy it to ${files[`${name}File`]}`;
    const found = own[name] === null ? 'is missing' : 'is another one than that of the archive';
    return [
      `the key of ${KEY_VARIABLES[name]} ${found}: take the file of the former installation, and ${place}`,
    ];
  });
}
