import { open } from 'node:fs/promises';
import { type TrustedIssuer, verifyCredential } from '@badge/credentials';
import { SIGNED_CREDENTIALS_FILE, STATUS_LISTS_FOLDER } from '../archive/manifest.ts';
import { createProgress } from '../archive/progress.ts';
import { splitLines } from '../archive/read-lines.ts';
import { openTar, type TarReader } from '../archive/tar.ts';
import { stderr } from '../output.ts';

const MAGIC = { text: 'ustar', position: 257 };
const MAX_SHOWN = 20;

/** Whether a file is a tar, as an archive is. */
export async function isArchive(file: string): Promise<boolean> {
  if (file === '-') return false;
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(MAGIC.text.length), 0, MAGIC.text.length, MAGIC.position);
  return buffer.toString() === MAGIC.text;
}

/**
 * Verifies all credentials in the archive of a community, with its status lists, and prints which are not
 * valid. Reads nothing from the network. Returns 0 if all are valid, and those of the given issuers are
 * signed by one of them; otherwise 1; 2 if it has none, or if it cannot be said.
 */
export async function verifyArchive(file: string, trustedIssuers: TrustedIssuer[]): Promise<number> {
  const tar = await openTar(file);
  try {
    const entry = tar.entries.get(SIGNED_CREDENTIALS_FILE);
    if (entry === undefined) throw new Error(`${file} has no credentials`);
    const lists = await readStatusLists(tar);
    const progress = createProgress((line) => stderr.write(line));
    const counts = { valid: 0, others: 0, unknown: 0 };
    let done = 0;
    for await (const line of splitLines(SIGNED_CREDENTIALS_FILE, tar.read(SIGNED_CREDENTIALS_FILE))) {
      const { tokenId, address, credential } = parseLine(line);
      const { verdict, reason, content } = await verifyCredential(JSON.stringify(credential), {
        trustedIssuers,
        fetchStatusList: async (url) =>
          lists.get(url) ?? Promise.reject(new Error('it is not in the archive')),
      });
      done += line.length + 1;
      progress.report('verifying', { done, total: entry.size });
      const isTrusted = trustedIssuers.length === 0 || content?.issuer.trusted != null;
      if (verdict === 'valid' && isTrusted) {
        counts.valid += 1;
        continue;
      }
      counts[verdict === 'statusUnknown' || verdict === 'unsupported' ? 'unknown' : 'others'] += 1;
      if (counts.others + counts.unknown > MAX_SHOWN) continue;
      const detail =
        isTrusted || verdict !== 'valid' ? reason.detail : 'none of the given issuers has this key';
      process.stdout.write(`token ${tokenId} of ${address}: ${detail}\n`);
    }
    process.stdout.write(
      `${file}: ${counts.valid} credentials are valid, ${counts.others + counts.unknown} are not\n`,
    );
    return counts.others > 0 ? 1 : counts.unknown > 0 ? 2 : 0;
  } finally {
    await tar.close();
  }
}

function parseLine(line: Uint8Array): { tokenId: string; address: string; credential: unknown } {
  const { tokenId, address, credential } = JSON.parse(Buffer.from(line).toString()) as Record<
    string,
    unknown
  >;
  return {
    tokenId: String(Number(tokenId)),
    address: String(address).replaceAll(/[^0-9a-fx]/g, ''),
    credential,
  };
}

async function readStatusLists(tar: TarReader): Promise<Map<string, Buffer>> {
  const lists = new Map<string, Buffer>();
  for (const name of tar.entries.keys()) {
    if (!name.startsWith(STATUS_LISTS_FOLDER)) continue;
    const pieces: Buffer[] = [];
    for await (const piece of tar.read(name)) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    lists.set(idOf(bytes), bytes);
  }
  return lists;
}

/** The URL of a signed status list. */
export function idOf(statusList: Uint8Array): string {
  return String((JSON.parse(Buffer.from(statusList).toString()) as { id?: unknown }).id);
}
