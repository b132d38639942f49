import type { Context } from '../../context.ts';
import { readChallengeKey } from '../../storage/sessions.ts';
import { takeDownload } from '../../storage/transfers.ts';
import { parseTokenId } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import { requireEncryption } from '../require-encryption.ts';
import { readTransferFile } from '../transfer-files.ts';
import { isSigned } from './rules.ts';

/** The archive of a community, as its download sends it. */
export interface DownloadedFile {
  name: string;
  sizeBytes: number;
  /** SHA-256, in hex. */
  hash: string;
  read(): AsyncIterable<Buffer>;
}

/**
 * Uses the signed URL of a download, and returns the file. The use is recorded before the first byte is sent:
 * if the download breaks off, the next `readExport` signs another URL. Without `isUsed`, only the size is
 * wanted.
 */
export async function takeExportDownload(
  context: Context,
  request: { exportId: string; download: number; expires: number; signature: string; isUsed: boolean },
): Promise<DownloadedFile> {
  const { download: downloadCount, expires: expiresAtTimestamp, signature, isUsed } = request;
  const encryption = requireEncryption(context);
  const exportId = parseTokenId(request.exportId);
  const { key, nowTimestamp } = await readChallengeKey(context.database);
  if (exportId === null || !isSigned(key, { exportId, downloadCount, expiresAtTimestamp }, signature)) {
    throw new Refusal('ExportNotFound', 'The service has not signed this URL. Copy all of it.');
  }
  const isExpired = expiresAtTimestamp <= nowTimestamp;
  const file = isExpired
    ? undefined
    : await takeDownload(context.database, { transferId: exportId, downloadCount, isUsed });
  if (file === undefined) {
    throw new Refusal(
      'DownloadEnded',
      isExpired
        ? 'The URL has expired. Make another export.'
        : 'The URL was used, or the file is deleted. Read the export again: if it is still there, it has another URL.',
    );
  }
  return {
    name: `${file.communityId}-${exportId}.tar`,
    sizeBytes: file.sizeBytes,
    hash: file.hash.toString('hex'),
    read: () => readTransferFile(context.database, encryption, file),
  };
}
