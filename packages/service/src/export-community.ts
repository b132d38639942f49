import { createImageRenderer } from '@badge/badge-images';
import { EIP712_DOMAIN_NAME } from '@badge/protocol';
import type { CommunityManifest } from './archive/manifest.ts';
import { openSource, refuseExisting } from './archive/source.ts';
import { type Config, urlsOf } from './config.ts';
import {
  type CommunityArchiveOptions,
  writeCommunityArchive,
} from './domain/archives/write-community-archive.ts';
import { createEncryption } from './encryption.ts';
import { createLog } from './log.ts';
import { findEncryptionKey, findSeed } from './secrets.ts';
import { parseAddress, toChecksumAddress } from './signatures/address.ts';
import { createIssuerKeys } from './signatures/issuer-keys.ts';

/** Writes the archive of one community to a new file. A service may run meanwhile. Returns the manifest. */
export async function exportCommunity(
  config: Config,
  file: string,
  options: CommunityArchiveOptions,
): Promise<CommunityManifest> {
  await refuseExisting(file);
  const source = await openSource(config);
  const images = createImageRenderer({});
  try {
    await source.check();
    const encryptionKey = findEncryptionKey(config);
    const issuerSeed = findSeed(config, 'issuerSeed');
    const verifyingContract = toChecksumAddress(parseAddress(config.verifyingContract));
    const context = {
      database: source.database,
      log: createLog(config.logLevel),
      settings: {
        ...urlsOf(config),
        domain: { name: EIP712_DOMAIN_NAME, chainId: config.chainId, verifyingContract } as const,
      },
      encryption: encryptionKey === null ? null : createEncryption(encryptionKey),
      issuerKeys: issuerSeed === null ? null : createIssuerKeys(issuerSeed),
      images,
    };
    return await writeCommunityArchive(context, file, options);
  } finally {
    await images.close();
    await source.end();
  }
}
