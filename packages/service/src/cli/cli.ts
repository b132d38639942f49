import { parseArgs } from 'node:util';
import { EmbeddedPostgresError } from '@badge/embedded-postgres';
import { ConfigError, readConfig } from '../config.ts';
import { stderr, stdout } from '../output.ts';
import { migrateDatabase, printDatabaseSchema, waitForMigration } from '../prepare-database.ts';
import { VERSION } from '../version.ts';
import { doctor } from './doctor.ts';
import { exportArchive, exportCommunityArchive, readExportChoice } from './export.ts';
import { importArchive, importFromService, readImportChoice } from './import.ts';
import { publishStatus } from './publish-status.ts';
import { serve } from './serve.ts';
import { verify } from './verify.ts';

const USAGE = `Badge, a self-hosted Badge Token Service. Environment variables configure it (docs/configuration.md).

  npm start          run the service
  npm run migrate    apply the migrations of this release to the database; with -- --wait, wait until another process has done so
  npm run -s schema  print the tables of the database
  npm run doctor     check this installation; changes no settings, keys or data; exit code 1 if there is a problem
  npm run export -- FILE
                     write everything of this installation to a new file; the service may run meanwhile
  npm run export -- --community ID [--people none|plain|encrypted] [--recipient age1…] FILE
                     write everything of one community; people: nothing about them (the default), as text, or
                     encrypted for a key of age
  npm run import -- FILE
                     read such a file into the empty database of this configuration: all of it, or nothing
  npm run import -- --from badge|listings|poap|openbadges|csv [--dry-run] [--community ID] [--mapping FILE]
                    [--pictures FOLDER] [--identity FILE] [--creator ADDRESS] [--offline] PATH
                     import the badges of another service into a community, and print the lines that are left out;
                     dry run: print what would happen to each line, and write nothing; exit code 1: a problem
  npm run publish-status -- DIRECTORY
                     write the status lists of all credentials as files, for BADGE_STATUS_URL
  npm run verify -- FILE [--issuer DID|URL|FILE]... [--email ADDRESS] [--status-list FILE]... [--offline]
                     verify a credential, of whatever issuer, or all in the archive of a community; exit code 0:
                     valid; 1: not valid, not of these issuers, or not for this e-mail address; 2: cannot be said
  npm start -- --version
                     print the version
`;

/**
 * Runs the command in the arguments: serve (the default), migrate, schema, doctor, export, import,
 * publish-status or verify. Returns the exit code: 0; 2 for invalid arguments or variables; or 1 for any
 * other failure. For doctor, an invalid variable is one of the problems that it prints, so the exit code is
 * 1. For verify, every failure is 2, because 1 means that a credential is not valid.
 */
export async function runCli(args: string[]): Promise<number> {
  const isVerification = args.includes('verify');
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
        issuer: { type: 'string', multiple: true },
        email: { type: 'string' },
        offline: { type: 'boolean' },
        'status-list': { type: 'string', multiple: true },
        wait: { type: 'boolean' },
        community: { type: 'string' },
        people: { type: 'string' },
        recipient: { type: 'string' },
        from: { type: 'string' },
        'dry-run': { type: 'boolean' },
        mapping: { type: 'string' },
        creator: { type: 'string' },
        pictures: { type: 'string' },
        identity: { type: 'string' },
      },
    });
    const [command = 'serve', ...rest] = positionals;
    if (values.help) {
      stdout.write(USAGE);
      return 0;
    }
    if (values.version) {
      stdout.write(`${VERSION}\n`);
      return 0;
    }
    const [argument, ...others] = rest;
    const takesArgument = ['export', 'import', 'publish-status', 'verify'].includes(command);
    const isKnown = takesArgument || ['serve', 'migrate', 'schema', 'doctor'].includes(command);
    const { issuer, email = null, offline, 'status-list': statusLists } = values;
    const hasOptions = [issuer, values.email, statusLists].some((value) => value !== undefined);
    const { community, people, recipient, from, mapping, creator, pictures, identity } = values;
    const isImport = command === 'import';
    const choice = readExportChoice({ community: isImport ? undefined : community, people, recipient });
    const importOptions = { from, 'dry-run': values['dry-run'], mapping, creator, pictures, identity };
    const importChoice = readImportChoice(
      isImport ? { ...importOptions, community, offline } : importOptions,
    );
    if (
      !isKnown ||
      others.length > 0 ||
      (argument !== undefined) !== takesArgument ||
      (hasOptions && command !== 'verify') ||
      (values.wait !== undefined && command !== 'migrate') ||
      (offline !== undefined && command !== 'verify' && !isImport) ||
      importChoice === null ||
      (importChoice.format !== null && !isImport) ||
      (choice.communityId !== null && command !== 'export')
    ) {
      stderr.write(USAGE);
      return 2;
    }
    if (command === 'verify' && argument !== undefined) {
      return await verify({
        file: argument,
        issuers: issuer ?? [],
        email,
        isOffline: offline ?? false,
        statusLists: statusLists ?? [],
      });
    }
    if (command === 'doctor') return await doctor();
    const config = readConfig();
    if (command === 'serve') return await serve(config);
    if (argument !== undefined && choice.communityId !== null) {
      const { communityId } = choice;
      return await exportCommunityArchive(config, argument, { ...choice, communityId });
    }
    if (argument !== undefined && importChoice.format !== null)
      return await importFromService(config, argument, importChoice);
    if (argument !== undefined) {
      const run = { export: exportArchive, import: importArchive }[command] ?? publishStatus;
      return await run(config, argument);
    }
    if (command === 'schema') stdout.write(await printDatabaseSchema(config));
    else if (!values.wait) await migrateDatabase(config);
    else if (config.databaseUrl !== undefined) await waitForMigration(config);
    else
      throw new ConfigError(['DATABASE_URL must be set for --wait: the embedded database has one process']);
    return 0;
  } catch (error) {
    const isUsageError = error instanceof ConfigError || isArgumentError(error);
    stderr.write(`badge: ${describe(error)}\n`);
    return isUsageError || isVerification ? 2 : 1;
  }
}

function isArgumentError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof EmbeddedPostgresError)
    return `${error.message}. Set BADGE_DATA_DIR to use another data directory, or DATABASE_URL to use another PostgreSQL server.`;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `${error.message}. Another program uses this port: set PORT to a free one.`;
  if (code === 'ENOENT' && 'path' in error) return `there is no file or folder ${error.path}`;
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  return error.message;
}
