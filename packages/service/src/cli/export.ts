import { exportInstallation } from '../archive/export-installation.ts';
import { KEY_NAMES, KEY_VARIABLES } from '../archive/keys.ts';
import type { FileEntry } from '../archive/manifest.ts';
import { createProgress } from '../archive/progress.ts';
import { type Config, ConfigError } from '../config.ts';
import type { PeopleChoice } from '../domain/archives/write-community-archive.ts';
import { exportCommunity } from '../export-community.ts';
import { stderr } from '../output.ts';

/** Whose archive is written: the options of the command. */
export interface ExportOptions {
  community: string | undefined;
  people: string | undefined;
  recipient: string | undefined;
}

/** Reads the options. Throws `ConfigError` if they do not fit together. */
export function readExportChoice({ community, people, recipient }: ExportOptions): {
  communityId: string | null;
  people: PeopleChoice;
} {
  const kind = people ?? 'none';
  const fail = (reason: string) => new ConfigError([reason]);
  if (community === undefined) {
    if (people === undefined && recipient === undefined)
      return { communityId: null, people: { kind: 'none' } };
    throw fail('--people and --recipient are options of export with --community ID');
  }
  if (kind === 'encrypted') {
    if (recipient === undefined)
      throw fail('--people encrypted needs the key of whoever can read them: --recipient age1…');
    return { communityId: community, people: { kind, recipientKey: recipient } };
  }
  if (recipient !== undefined) throw fail('--recipient is an option of --people encrypted');
  if (kind === 'none' || kind === 'plain') return { communityId: community, people: { kind } };
  throw fail('--people must be none, plain or encrypted');
}

/** Writes the archive of one community to a new file. Returns the exit code. */
export async function exportCommunityArchive(
  config: Config,
  file: string,
  choice: { communityId: string; people: PeopleChoice },
): Promise<number> {
  const progress = createProgress((line) => stderr.write(line));
  const { files, credentials } = await exportCommunity(config, file, { ...choice, progress });
  if (credentials.leftOut !== null) stderr.write(`badge: ${WITHOUT_CREDENTIALS[credentials.leftOut]}\n`);
  printCounts(file, files);
  return 0;
}

const WITHOUT_CREDENTIALS = {
  tooMany: 'the community has more badges than an archive has credentials, so it has none',
  noKey:
    'there is no BADGE_ISSUER_SEED_FILE with the key of the community, so the archive has no credentials',
};

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
  const linesInFiles = `${countOf(lines, 'line')} in ${countOf(files.length - pictures, 'file')}`;
  process.stdout.write(`${file}: ${linesInFiles}, and ${countOf(pictures, 'picture')}\n`);
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
