import { generateKeyPairSync, sign } from 'node:crypto';
import { canonize } from '../canonize.ts';
import { toDidKey, verificationMethodOf } from '../did-key.ts';
import { encodeBase58 } from '../multibase.ts';
import { hashForProof } from '../proof.ts';

/** An issuer with a new key, which also signs documents that this package would not make. */
export function testIssuer() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const did = toDidKey(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  const signBytes = (bytes: Uint8Array) => sign(null, bytes, privateKey);
  return {
    did,
    signBytes,
    /** Adds a proof to a document. `options` are further members of the proof, or replace some. */
    async signDocument(document: object, options: object = {}): Promise<object> {
      const proof = {
        type: 'DataIntegrityProof',
        cryptosuite: 'eddsa-rdfc-2022',
        created: '2026-01-03T03:04:05Z',
        verificationMethod: verificationMethodOf(did),
        proofPurpose: 'assertionMethod',
        ...options,
      };
      const hash = hashForProof(
        await canonize({ '@context': (document as { '@context': unknown })['@context'], ...proof }),
        await canonize(document),
      );
      return { ...document, proof: { ...proof, proofValue: encodeBase58(signBytes(hash)) } };
    },
  };
}
