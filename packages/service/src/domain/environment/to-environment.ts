import { EIP712_TYPES, type Environment } from '@badge/protocol';
import type { Settings } from '../../context.ts';

// A copy, since the schema's type knows no readonly lists.
const TYPES = structuredClone(EIP712_TYPES) as unknown as Environment['eip712']['types'];

/** What a client needs to sign. */
export function toEnvironment({ environment, domain }: Settings): Environment {
  return { environment, eip712: { domain, types: TYPES } };
}
