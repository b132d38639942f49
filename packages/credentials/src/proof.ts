import { sha256 } from '@noble/hashes/sha2.js';
import { verificationMethodOf } from './did-key.ts';
import { encodeBase58 } from './multibase.ts';
import { CRYPTOSUITE, IRIS, RDF_TYPE } from './vocabulary.ts';

const ENCODER = new TextEncoder();

/** What a proof of `eddsa-rdfc-2022` signs: 64 bytes. Both texts are canonical N-Quads. */
export function hashForProof(canonicalProof: string, canonicalDocument: string): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set(sha256(ENCODER.encode(canonicalProof)), 0);
  bytes.set(sha256(ENCODER.encode(canonicalDocument)), 32);
  return bytes;
}

export interface Proof {
  type: 'DataIntegrityProof';
  cryptosuite: typeof CRYPTOSUITE;
  /** The time in ISO 8601, in whole seconds. */
  created: string;
  verificationMethod: string;
  proofPurpose: 'assertionMethod';
  proofValue: string;
}

/** Signs 64 bytes with the key of the issuer. Returns the signature, 64 bytes. */
export type Sign = (bytes: Uint8Array) => Uint8Array;

/** Creates the proof of a document whose canonical N-Quads are given. The same input gives the same proof. */
export function createProof(
  canonicalDocument: string,
  { did, created, sign }: { did: string; created: string; sign: Sign },
): Proof {
  const proof = {
    type: 'DataIntegrityProof',
    cryptosuite: CRYPTOSUITE,
    created,
    verificationMethod: verificationMethodOf(did),
    proofPurpose: 'assertionMethod',
  } as const;
  const signature = sign(hashForProof(canonizeProof(proof), canonicalDocument));
  return { ...proof, proofValue: encodeBase58(signature) };
}

// The only statements of our proofs, so they need no library. Their order is that of their characters.
function canonizeProof({ created, verificationMethod }: Omit<Proof, 'proofValue'>): string {
  const statements = [
    [IRIS.created, `"${created}"^^<${IRIS.dateTime}>`],
    [RDF_TYPE, `<${IRIS.DataIntegrityProof}>`],
    [IRIS.cryptosuite, `"${CRYPTOSUITE}"^^<${IRIS.cryptosuiteString}>`],
    [IRIS.proofPurpose, `<${IRIS.assertionMethod}>`],
    [IRIS.verificationMethod, `<${verificationMethod}>`],
  ];
  return statements.map(([predicate, object]) => `_:c14n0 <${predicate}> ${object} .\n`).join('');
}
