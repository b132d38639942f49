import { readFile } from 'node:fs/promises';
import { importInstallation } from '../archive/import-installation.ts';
import { createProgress } from '../archive/progress.ts';
import { ARRIVAL_FORMATS, type ArrivalFormat } from '../arrivals/arrival.ts';
import { parseMapping } from '../arrivals/parse-mapping.ts';
import { type Config, ConfigError } from '../config.ts';
import { importBadges } from '../import-badges.ts';
import { stderr, stdout } from '../output.ts';
import { isAddress } from '../signatures/address.ts';

/** The options of the command. */
export interface ImportCommandOptions {
  from?: string | undefined;
  'dry-run'?: boolean | undefined;
  community?: string | undefined;
  mapping?: string | undefined;
  creator?: string | undefined;
  pictures?: string | undefined;
  identity?: string | undefined;
  offline?: boolean | undefined;
}

/** What is imported: an installation, or badges of another service. */
export type ImportChoice = { format: null } | ({ format: ArrivalFormat } & ImportCommandOptions);

/** Reads the options. Null: they do not fit together. Throws `ConfigError` if there is no such format. */
export function readImportChoice(options: ImportCommandOptions): ImportChoice | null {
  const { from, creator } = options;
  const isGiven = Object.values(options).some((value) => value !== undefined);
  if (from === undefined) return isGiven ? null : { format: null };
  if (creator !== undefined && !isAddress(creator)) return null;
  const format = ARRIVAL_FORMATS.find((name) => name === from);
  if (format === undefined)
    throw new ConfigError([
      `--from ${JSON.stringify(from)} is no format; the formats are ${ARRIVAL_FORMATS.join(', ')}`,
    ]);
  return { ...options, format };
}

/** Reads an archive into the empty database of this configuration. Returns the exit code. */
export async function importArchive(config: Config, file: string): Promise<number> {
  const progress = createProgress((line) => stderr.write(line));
  const { files } = await importInstallation(config, file, { progress });
  const lines = files.reduce((sum, entry) => sum + (entry.lines ?? 0), 0);
  stdout.write(`${file}: ${lines} lines were imported, and every signature is right\n`);
  return 0;
}

const WORDS = { imported: 'import', skipped: 'skip', problem: 'PROBLEM' };

/**
 * Imports badges of another service. Prints each line in a dry run, otherwise those with a problem, and
 * those that are left out and not because they are there.
 * Returns the exit code: 1 if there is a problem.
 */
export async function importFromService(
  config: Config,
  path: string,
  { format, ...options }: Extract<ImportChoice, { format: ArrivalFormat }>,
): Promise<number> {
  const isDryRun = options['dry-run'] ?? false;
  const progress = createProgress((line) => stderr.write(line));
  let lines = 0;
  const result = await importBadges(config, path, {
    format,
    isDryRun,
    communityId: options.community ?? null,
    mapping: options.mapping === undefined ? {} : await readMapping(options.mapping),
    creator: options.creator ?? null,
    picturesFolder: options.pictures ?? null,
    identityFile: options.identity ?? null,
    isOffline: options.offline ?? false,
    onLine: ({ place, outcome, detail, isPresent = false }) => {
      lines += 1;
      progress.report(`${lines} lines`);
      if (isDryRun || outcome === 'problem' || (outcome === 'skipped' && !isPresent))
        stdout.write(`${WORDS[outcome].padEnd(7)} ${toPlain(`${place}: ${detail}`)}\n`);
    },
  });
  const { imported, skipped, problems } = result;
  const counts = `${imported} ${isDryRun ? 'would be imported' : 'imported'}, ${skipped} skipped, ${problems} with a problem`;
  stdout.write(`${toPlain(path)}: ${counts}\n`);
  return problems === 0 ? 0 : 1;
}

/** A name of a file can have characters that control a terminal. */
function toPlain(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

async function readMapping(file: string): Promise<Record<string, string>> {
  const fail = (reason: string) => new ConfigError([`--mapping ${file} ${reason}`]);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw fail(`cannot be read: ${error.code}`);
  });
  const parsed = parseMapping(text.replace(/^\ufeff/, ''));
  if (parsed === 'notJson') throw fail('is not JSON');
  if (parsed === 'notTexts') throw fail('must be an object with texts, such as {"person": "Wallet"}');
  return parsed.mapping;
}
