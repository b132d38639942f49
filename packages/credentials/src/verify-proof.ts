import { ed25519 } from '@noble/curves/ed25519.js';
import { canonize } from './canonize.ts';
import { KNOWN_CONTEXTS } from './contexts.ts';
import { parseDidKey, verificationMethodOf } from './did-key.ts';
import { decodeMultibase } from './multibase.ts';
import { findId, hasOtherNames, isObject, type Json, type JsonObject, toArray } from './parse-json.ts';
import { hashForProof } from './proof.ts';
import type { ReasonCode, Verdict } from './verification.ts';
import { CREDENTIALS_CONTEXT, CRYPTOSUITE } from './vocabulary.ts';

export interface Problem {
  verdict: Exclude<Verdict, 'valid'>;
  code: ReasonCode;
  detail: string;
}

const SIGNATURE_BYTES = 64;

/** Returns why the proof of a document is not its issuer's; null if it is. */
export async function findProofProblem(document: JsonObject): Promise<Problem | null> {
  const { proof: proofs, ...signed } = document;
  const contexts = toArray(document['@context']);
  const unknown = contexts.find(
    (context) => typeof context !== 'string' || !KNOWN_CONTEXTS.includes(context),
  );
  const { '@context': _, ...members } = signed;
  if (unknown !== undefined || contexts[0] !== CREDENTIALS_CONTEXT) {
    const name = typeof unknown === 'string' ? unknown : 'a context of its own';
    return unsupported('contextUnsupported', `Its terms are defined by ${name}, which is not known here.`);
  }
  if (hasOtherNames(members)) {
    return unsupported('contextUnsupported', 'Its members have other names than the usual ones.');
  }
  const candidates = toArray(proofs).filter(isObject);
  if (candidates.length === 0)
    return unsupported('hasNoProof', 'It has no proof, so anybody can have written it.');
  const proof = candidates.find(({ cryptosuite }) => cryptosuite === CRYPTOSUITE);
  if (
    proof === undefined ||
    proof.type !== 'DataIntegrityProof' ||
    hasOtherNames(proof) ||
    'previousProof' in proof
  ) {
    return unsupported('proofUnsupported', `Its proof is not of the kind ${CRYPTOSUITE}.`);
  }
  const did = findId(document.issuer) ?? '';
  const publicKey = parseDidKey(did);
  if (publicKey === undefined) {
    return unsupported(
      'issuerUnsupported',
      'Its issuer is not a did:key of Ed25519, so its key is not in the file.',
    );
  }
  const signature = typeof proof.proofValue === 'string' ? decodeMultibase(proof.proofValue) : undefined;
  const isOfIssuer =
    proof.verificationMethod === verificationMethodOf(did) && proof.proofPurpose === 'assertionMethod';
  if (!isOfIssuer || signature?.length !== SIGNATURE_BYTES) return signatureWrong();
  const { proofValue, ...options } = proof;
  const hash = hashForProof(
    await canonize({ '@context': contexts as Json, ...options }),
    await canonize(signed),
  );
  return isSigned(signature, hash, publicKey) ? null : signatureWrong();
}

function isSigned(signature: Uint8Array, bytes: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, bytes, publicKey, { zip215: false });
  } catch {
    // The bytes are not a point of the curve.
    return false;
  }
}

function signatureWrong(): Problem {
  return {
    verdict: 'changed',
    code: 'signatureWrong',
    detail: 'The signature does not fit the content: it was changed, or somebody else has signed it.',
  };
}

function unsupported(code: ReasonCode, detail: string): Problem {
  return { verdict: 'unsupported', code, detail };
}
