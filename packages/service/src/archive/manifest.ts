import type { Deployment } from '../storage/deployment.ts';
import { KEY_NAMES, type KeyChecks } from './keys.ts';
import type { JsonSchema } from './kinds.ts';

export const MANIFEST_FILE = 'manifest.json';
/** A format with another number cannot be read by this release. */
export const FORMAT_VERSION = 1;

export interface FileEntry {
  name: string;
  /** The lines of an `.ndjson` file; null for a picture. */
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

const CHECK: JsonSchema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const allOf = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const MANIFEST_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'manifest.json',
  description: 'What an archive is, and the checksum of each of its files.',
  ...allOf({
    format: { const: 'badge' },
    formatVersion: { const: FORMAT_VERSION },
    serviceVersion: {
      type: 'string',
      description: 'The version of the service that has written the archive.',
    },
    scope: { const: 'installation' },
    deployment: {
      description: 'The signing domain. All signatures are valid in this domain only.',
      ...allOf({
        environment: { enum: ['sandbox', 'production'] },
        chainId: { type: 'integer', minimum: 1 },
        verifyingContract: { type: 'string', pattern: '^0x[0-9a-f]{40}$' },
      }),
    },
    keys: {
      description:
        'The check values of the keys that the data needs. They follow from the keys, which the archive does not have. Null: the installation has no such key.',
      ...allOf(Object.fromEntries(KEY_NAMES.map((name) => [name, { anyOf: [CHECK, { type: 'null' }] }]))),
    },
    files: {
      type: 'array',
      items: allOf({
        name: { type: 'string' },
        lines: { type: ['integer', 'null'], description: 'Null for a picture.' },
        bytes: { type: 'integer' },
        sha256: CHECK,
      }),
    },
  }),
};
