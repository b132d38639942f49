import type { Deployment } from '../storage/deployment.ts';
import { KEY_NAMES, type KeyChecks } from './keys.ts';
import type { JsonSchema } from './kinds.ts';

export const MANIFEST_FILE = 'manifest.json';
/** The credentials of the owners in the archive of one community. */
export const SIGNED_CREDENTIALS_FILE = 'signed-credentials.ndjson';
/** The signed status lists of these credentials: files that are named after their ids. */
export const STATUS_LISTS_FOLDER = 'status-lists/';
/** A format with another number cannot be read by this release. */
export const FORMAT_VERSION = 1;

export interface FileEntry {
  name: string;
  /** The lines of an `.ndjson` file; null for any other file. */
  lines: number | null;
  bytes: number;
  sha256: string;
}

/** What `manifest.json` contains. It has no time, so that the same data gives the same archive. */
export interface Manifest {
  format: 'badge';
  formatVersion: number;
  serviceVersion: string;
  scope: 'installation';
  deployment: Deployment;
  keys: KeyChecks;
  files: FileEntry[];
}

/** What an archive of one community has about people. */
export const PEOPLE_CHOICES = ['none', 'plain', 'encrypted'] as const;

/** What `manifest.json` contains in the archive of one community. */
export interface CommunityManifest {
  format: 'badge';
  formatVersion: number;
  serviceVersion: string;
  scope: 'community';
  deployment: Deployment;
  communityId: string;
  publicUrl: string;
  people: (typeof PEOPLE_CHOICES)[number];
  credentials: { leftOut: 'tooMany' | 'noKey' | null };
  files: FileEntry[];
}

const CHECK: JsonSchema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const allOf = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const BEFORE_FILES = {
  format: { const: 'badge' },
  formatVersion: { const: FORMAT_VERSION },
  serviceVersion: {
    type: 'string',
    description: 'The version of the service that has written the archive.',
  },
  deployment: {
    description: 'The signing domain. All signatures are valid in this domain only.',
    ...allOf({
      environment: { enum: ['sandbox', 'production'] },
      chainId: { type: 'integer', minimum: 1 },
      verifyingContract: { type: 'string', pattern: '^0x[0-9a-f]{40}$' },
    }),
  },
};

const FILES: JsonSchema = {
  type: 'array',
  items: allOf({
    name: { type: 'string' },
    lines: { type: ['integer', 'null'], description: 'Null for a file without lines.' },
    bytes: { type: 'integer' },
    sha256: CHECK,
  }),
};

function schemaOfManifest(properties: Record<string, JsonSchema>): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'manifest.json',
    description: 'What an archive is, and the checksum of each of its files.',
    ...allOf(properties),
  };
}

export const MANIFEST_SCHEMA = schemaOfManifest({
  ...BEFORE_FILES,
  scope: { const: 'installation' },
  keys: {
    description:
      'The check values of the keys that the data needs. They follow from the keys, which the archive does not have. Null: the installation has no such key.',
    ...allOf(Object.fromEntries(KEY_NAMES.map((name) => [name, { anyOf: [CHECK, { type: 'null' }] }]))),
  },
  files: FILES,
});

export const SIGNED_CREDENTIAL_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: `A line of ${SIGNED_CREDENTIALS_FILE}`,
  description: 'The credential of somebody who has a badge.',
  ...allOf({
    tokenId: { type: 'integer' },
    address: { type: 'string', pattern: '^0x[0-9a-f]{40}$' },
    credential: {
      type: 'object',
      description: 'A credential of Open Badges 3.0, with the bytes that the service gives.',
    },
  }),
};

export const COMMUNITY_MANIFEST_SCHEMA = schemaOfManifest({
  ...BEFORE_FILES,
  scope: { const: 'community' },
  communityId: { type: 'string' },
  publicUrl: { type: 'string', description: 'The address of the installation.' },
  people: {
    enum: [...PEOPLE_CHOICES],
    description:
      'What the archive has about people: nothing, `people.ndjson`, or `people.ndjson.age`, which only the owner of a key can read.',
  },
  credentials: {
    description:
      'Why the archive has no credentials: the community has too many badges, or the service no key of the issuer. Null: it has them.',
    ...allOf({ leftOut: { enum: ['tooMany', 'noKey', null] } }),
  },
  files: FILES,
});
