import { EIP712_TYPES, type Environment } from '@badge/protocol';
import type { Settings } from '../../context.ts';

// A copy, because the response type has no readonly arrays.
const TYPES = structuredClone(EIP712_TYPES) as unknown as Environment['eip712']['types'];

/** Returns what a client needs to sign messages: the environment, and the EIP-712 domain and types. */
export function readEnvironment({ environment, domain }: Settings): Environment {
  return { environment, eip712: { domain, types: TYPES } };
}
