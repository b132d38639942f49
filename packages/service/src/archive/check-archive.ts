import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Config } from '../config.ts';
import { describeDeployment } from '../storage/deployment.ts';
import { findWrongKeys } from './keys.ts';
import { fileOf } from './lines.ts';
import { FORMAT_VERSION, MANIFEST_FILE, MANIFEST_SCHEMA, type Manifest } from './manifest.ts';
import { NOUNS } from './nouns.ts';
import type { Progress } from './progress.ts';
import { ArchiveError, type TarReader } from './tar.ts';

/** Reads the manifest. Throws `ArchiveError` if this release cannot read the archive. */
export async function readManifest(tar: TarReader): Promise<Manifest> {
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
  if (!ajv.validate(MANIFEST_SCHEMA, manifest))
    throw new ArchiveError(`${MANIFEST_FILE}: ${ajv.errorsText(ajv.errors, { dataVar: '' })}`);
  return manifest as Manifest;
}

function parseManifest(text: string): Partial<Manifest> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Manifest>;
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
export async function checkFiles(tar: TarReader, { files }: Manifest, progress: Progress): Promise<void> {
  const names = files.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new ArchiveError(`${MANIFEST_FILE} has a file twice`);
  const known = new Set([...names, MANIFEST_FILE]);
  for (const name of tar.entries.keys())
    if (!known.has(name)) throw new ArchiveError(`${MANIFEST_FILE} does not name ${name}`);
  for (const name of [...NOUNS.map(fileOf), ...names])
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
