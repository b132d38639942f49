import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Config } from '../config.ts';
import { describeDeployment } from '../storage/deployment.ts';
import { findWrongKeys } from './keys.ts';
import {
  COMMUNITY_MANIFEST_SCHEMA,
  type CommunityManifest,
  FORMAT_VERSION,
  MANIFEST_FILE,
  MANIFEST_SCHEMA,
  type Manifest,
} from './manifest.ts';
import type { Progress } from './progress.ts';
import { ArchiveError, type TarReader } from './tar.ts';

/** Reads the manifest. Throws `ArchiveError` if this release cannot read the archive. */
export async function readManifest(tar: TarReader): Promise<Manifest> {
  const manifest = await readAnyManifest(tar);
  if (manifest.scope === 'community')
    throw new ArchiveError(
      `it is the archive of the community ${manifest.communityId}: import it into a community, with --from badge and --community`,
    );
  return manifest;
}

/** Reads the manifest of the archive of one community. Throws as `readManifest` does. */
export async function readCommunityManifest(tar: TarReader): Promise<CommunityManifest> {
  const manifest = await readAnyManifest(tar);
  if (manifest.scope === 'installation')
    throw new ArchiveError(
      'it is the archive of an installation, which is only imported into an empty one: use npm run import without --from, or export one community of it',
    );
  return manifest;
}

async function readAnyManifest(tar: TarReader): Promise<Manifest | CommunityManifest> {
  if (!tar.entries.has(MANIFEST_FILE))
    throw new ArchiveError(`the archive has no ${MANIFEST_FILE}: it is not complete, or of another program`);
  const pieces: Buffer[] = [];
  for await (const piece of tar.read(MANIFEST_FILE)) pieces.push(piece);
  const manifest = parseManifest(Buffer.concat(pieces).toString());
  const { formatVersion } = manifest;
  if (formatVersion !== FORMAT_VERSION && typeof formatVersion === 'number')
    throw new ArchiveError(
      `the archive has the format ${formatVersion}, and this release reads ${FORMAT_VERSION}: use the release that the manifest names`,
    );
  const ajv = new Ajv2020({ strict: false });
  const schema = manifest.scope === 'community' ? COMMUNITY_MANIFEST_SCHEMA : MANIFEST_SCHEMA;
  if (!ajv.validate(schema, manifest))
    throw new ArchiveError(`${MANIFEST_FILE}: ${ajv.errorsText(ajv.errors, { dataVar: '' })}`);
  return manifest as Manifest | CommunityManifest;
}

function parseManifest(text: string): Partial<Manifest | CommunityManifest> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Manifest | CommunityManifest>;
  } catch {
    throw new ArchiveError(`${MANIFEST_FILE} is not JSON`);
  }
}

/** Throws `ArchiveError` if this configuration has another signing domain, or lacks a key. */
export function checkConfiguration({ deployment, keys }: Manifest, config: Config): void {
  if (describeDeployment(deployment) !== describeDeployment(config)) {
    throw new ArchiveError(
      `the archive is of another deployment (${describeDeployment(deployment)}) than this configuration (${describeDeployment(config)}): set BADGE_ENVIRONMENT, BADGE_CHAIN_ID and BADGE_VERIFYING_CONTRACT as they were`,
    );
  }
  const wrong = findWrongKeys(keys, config);
  if (wrong.length > 0) throw new ArchiveError(wrong.join('; '));
}

/** Reads every file, and throws `ArchiveError` if one is missing, unknown, or not as the manifest says. */
export async function checkFiles(
  tar: TarReader,
  { files }: Pick<Manifest, 'files'>,
  { needed, progress }: { needed: string[]; progress: Progress },
): Promise<void> {
  const names = files.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new ArchiveError(`${MANIFEST_FILE} has a file twice`);
  const known = new Set([...names, MANIFEST_FILE]);
  for (const name of tar.entries.keys())
    if (!known.has(name)) throw new ArchiveError(`${MANIFEST_FILE} does not name ${name}`);
  for (const name of [...needed, ...names])
    if (!names.includes(name) || !tar.entries.has(name))
      throw new ArchiveError(`the archive has no file ${name}`);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const { name, bytes, sha256 } of files) {
    const size = tar.entries.get(name)?.size;
    if (size !== bytes) throw new ArchiveError(`${name} has ${size} bytes, and ${bytes} in the manifest`);
    const hash = createHash('sha256');
    for await (const piece of tar.read(name)) {
      hash.update(piece);
      done += piece.length;
      progress.report(`checking ${name}`, { done, total });
    }
    if (hash.digest('hex') !== sha256)
      throw new ArchiveError(`${name} is damaged: its SHA-256 is another one`);
  }
}
