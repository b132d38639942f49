import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyCredential } from '@badge/credentials';
import { ENTRY_POINT, spawnBadge, startBadge } from '@badge/test-support/badge-process';
import { INVARIANT_NAMES } from '../invariants.ts';
import { type System, urlOf } from '../system/system.ts';
import { type ReadSystem, readApiState } from './api-state.ts';
import { readDatabaseState } from './database-state.ts';
import type { Evidence } from './evidence.ts';
import { judge } from './judge.ts';
import type { Tally } from './tally.ts';

// Each credential costs two requests, two signatures and a verification, which takes 25 ms.
const MAX_CREDENTIALS = 200;

interface CopyOptions {
  system: System;
  /** The archives and the copy are written here. */
  directory: string;
  evidence: Evidence;
  /** Gets the violations that only the copy has. */
  tally: Tally;
}

/**
 * Exports the system, imports the archive into an empty data directory, and checks every invariant on this
 * copy against the journal of the system. Throws if the archive of the copy is another one, or if a
 * credential of the copy is, or is not valid.
 */
export async function judgeCopy({ system, directory, evidence, tally }: CopyOptions): Promise<void> {
  const paths = listCredentialPaths(evidence);
  const credentials = await readCredentials(system, paths);
  const dataDir = join(directory, 'copy');
  const archive = join(directory, 'archive.tar');
  const again = join(directory, 'archive-of-copy.tar');
  // All processes of the system have their secrets in files of their variables, not in this directory.
  const original = { BADGE_DATA_DIR: join(directory, 'all'), DATABASE_URL: system.databaseUrl };
  await runCommand('export', archive, { ...system.env, ...original });
  // Credentials name the URL.
  const env = { ...system.env, BADGE_DATA_DIR: dataDir, PUBLIC_URL: system.apis[0]?.url ?? '' };
  await runCommand('import', archive, env);
  await runCommand('export', again, env);
  if (!(await readFile(again)).equals(await readFile(archive)))
    throw new Error('the archive of the copy is not that of the system');

  const service = await startBadge(env, { file: ENTRY_POINT });
  try {
    const copy: ReadSystem = { apis: [service], apiKey: system.apiKey };
    const copied = judge({
      ...evidence,
      database: await readDatabaseState(urlOf(join(dataDir, 'postgres'))),
      api: await readApiState(copy, evidence.history),
    });
    for (const name of INVARIANT_NAMES) {
      const { violations, details } = copied.results[name];
      const added = violations - tally.results[name].violations;
      if (added > 0)
        tally.of(name).expect(false, () => `${added} only in the imported copy, such as: ${details.at(-1)}`);
    }
    const copies = await readCredentials(copy, paths);
    for (const [index, path] of paths.entries()) {
      if (copies[index] !== credentials[index])
        throw new Error(`${path} is ${copies[index]} in the copy, and ${credentials[index]} in the system`);
      await checkCredential(copies[index] ?? '', service.url);
    }
  } finally {
    await service.stop();
  }
}

function listCredentialPaths({ api }: Evidence): string[] {
  return [...api.owners]
    .flatMap(([tokenId, owners]) => owners.map((owner) => `/v1/tokens/${tokenId}/credentials/0x${owner}`))
    .slice(0, MAX_CREDENTIALS);
}

async function readCredentials({ apis }: ReadSystem, paths: string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const path of paths) {
    const response = await fetch(`${apis[0]?.url}${path}`);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`GET ${path} returned ${response.status}: ${text}`);
    texts.push(text);
  }
  return texts;
}

/** Verifies a credential with the status list of a service. */
async function checkCredential(credential: string, serviceUrl: string): Promise<void> {
  const { verdict, reason } = await verifyCredential(credential, {
    fetchStatusList: async (url) => {
      const list = await fetch(new URL(new URL(url).pathname, serviceUrl));
      return await list.text();
    },
  });
  if (verdict !== 'valid') throw new Error(`${credential} is ${verdict} in the copy: ${reason.detail}`);
}

async function runCommand(command: 'export' | 'import', file: string, env: NodeJS.ProcessEnv): Promise<void> {
  const run = spawnBadge(env, { file: ENTRY_POINT, command, args: [file] });
  const end = await run.closed;
  if (end !== 0) throw new Error(`${command} ended with ${end}: ${run.output.stderr.slice(-2_000)}`);
}
