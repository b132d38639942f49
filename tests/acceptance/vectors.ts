import { readFileSync } from 'node:fs';
import type { Body, Environment } from './shapes.ts';

export interface Vector {
  name: string;
  environment: string;
  request: Body & { creator: string };
  /** Other encodings of the request's signature, by name. The service accepts them. */
  alsoValid: Record<string, string>;
  /** Wrong signatures of the request, by name. The service rejects them. */
  mustReject: Record<string, string>;
}

interface VectorFile {
  domains: Record<string, Environment['eip712']['domain']>;
  types: Environment['eip712']['types'];
  vectors: Vector[];
}

const file = new URL('../vectors/typed-data.json', import.meta.url);

export const { domains, types, vectors } = JSON.parse(readFileSync(file, 'utf8')) as VectorFile;
