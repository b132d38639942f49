import { exportInstallation } from '../archive/export-installation.ts';
import { KEY_NAMES, KEY_VARIABLES } from '../archive/keys.ts';
import type { FileEntry } from '../archive/manifest.ts';
import { createProgress } from '../archive/progress.ts';
import { openSource, refuseExisting } from '../archive/source.ts';
import { type Config, urlsOf } from '../config.ts';
import { type PeopleChoice, writeCommunityArchive } from '../domain/archives/write-community-archive.ts';
import { createEncryption } from '../encryption.ts';
import { stderr } from '../output.ts';
import { findEncryptionKey } from '../secrets.ts';

/** Whose archive is written: the options of the command. */
export interface ExportOptions {
  community: string | undefined;
  people: string | undefined;
  recipient: string | undefined;
}

/** Reads the options. Null: they do not fit together. */
export function readExportChoice({
  community,
  people,
  recipient,
}: ExportOptions): { communityId: string | null; people: PeopleChoice } | null {
  const kind = people ?? 'none';
  if ((kind === 'encrypted') !== (recipient !== undefined)) return null;
  if (community === undefined)
    return people === undefined ? { communityId: null, people: { kind: 'none' } } : null;
  if (kind === 'encrypted' && recipient !== undefined)
    return { communityId: community, people: { kind, recipientKey: recipient } };
  return kind === 'none' || kind === 'plain' ? { communityId: community, people: { kind } } : null;
}

/** Writes the archive of one community of this installation to a new file. Returns the exit code. */
export async function exportCommunity(
  config: Config,
  file: string,
  choice: { communityId: string; people: PeopleChoice },
): Promise<number> {
  await refuseExisting(file);
  const progress = createProgress((line) => stderr.write(line));
  const source = await openSource(config);
  try {
    await source.check();
    const encryptionKey = findEncryptionKey(config);
    const context = {
      database: source.database,
      settings: urlsOf(config),
      encryption: encryptionKey === null ? null : createEncryption(encryptionKey),
    };
    const manifest = await writeCommunityArchive(context, file, { ...choice, progress });
    printCounts(file, manifest.files);
  } finally {
    await source.end();
  }
  return 0;
}

/** Writes the archive of this installation to a new file. Returns the exit code. */
export async function exportArchive(config: Config, file: string): Promise<number> {
  const progress = createProgress((line) => stderr.write(line));
  const { files, keys } = await exportInstallation(config, file, { progress });
  for (const name of KEY_NAMES) {
    if (keys[name] === null)
      stderr.write(`badge: there is no ${KEY_VARIABLES[name]}, so an import cannot say which one is right\n`);
  }
  printCounts(file, files);
  process.stdout.write(
    'It has no key and no seed: take their files with it, and keep all of them apart from others.\n',
  );
  return 0;
}

function printCounts(file: string, files: FileEntry[]): void {
  const lines = files.reduce((sum, entry) => sum + (entry.lines ?? 0), 0);
  const pictures = files.filter(({ name }) => name.startsWith('pictures/')).length;
  process.stdout.write(
    `${file}: ${lines} lines in ${files.length - pictures} files, and ${pictures} pictures\n`,
  );
}
