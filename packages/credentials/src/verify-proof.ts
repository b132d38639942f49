import { ed25519 } from '@noble/curves/ed25519.js';
import { canonize } from './canonize.ts';
import { KNOWN_CONTEXTS } from './contexts.ts';
import { parseDidKey, verificationMethodOf } from './did-key.ts';
import { issuerUnsupported, proofUnsupported } from './foreign-kinds.ts';
import { type Graph, parseGraph, UnreadableError } from './graph.ts';
import { decodeMultibase } from './multibase.ts';
import { hasKeywords, isObject, type Json, type JsonObject, toArray } from './parse-json.ts';
import { type Problem, toProblem } from './problems.ts';
import { hashForProof } from './proof.ts';
import { CREDENTIALS_CONTEXT, CRYPTOSUITE, IRIS } from './vocabulary.ts';

const SIGNATURE_BYTES = 64;

/** What an issuer has signed. */
export interface Signed {
  /** The issuer, a `did:key`. */
  did: string;
  graph: Graph;
}

/**
 * Verifies the proof of a document. Returns what its issuer has signed, or why it is not that. Never rejects.
 */
export async function readSigned(document: JsonObject): Promise<Signed | Problem> {
  try {
    return await verifyProof(document);
  } catch (error) {
    return toProblem(error);
  }
}

async function verifyProof(document: JsonObject): Promise<Signed | Problem> {
  const { proof: proofs, '@context': context, ...members } = document;
  const contexts = toArray(context);
  const unknown = contexts.find((item) => typeof item !== 'string' || !KNOWN_CONTEXTS.includes(item));
  if (unknown !== undefined || contexts[0] !== CREDENTIALS_CONTEXT) {
    const name = typeof unknown === 'string' ? unknown : 'a context of its own';
    return unsupported('contextUnsupported', `Its terms are defined by ${name}, which is not known here.`);
  }
  // Each takes time.
  if (new Set(contexts).size < contexts.length) {
    return unsupported('contextUnsupported', 'It names a context twice.');
  }
  if (hasKeywords(members)) {
    return unsupported('contextUnsupported', 'It has members with names that are not for data.');
  }
  const candidates = toArray(proofs).filter(isObject);
  if (candidates.length === 0)
    return unsupported('hasNoProof', 'It has no proof, so anybody can have written it.');
  const known = candidates.filter(({ cryptosuite }) => cryptosuite === CRYPTOSUITE);
  if (known.length === 0) return proofUnsupported(undefined);
  const canonicalDocument = await canonize({ '@context': contexts as Json, ...members });
  const graph = parseGraph(canonicalDocument);
  const did = graph.only(IRIS.VerifiableCredential).thing(IRIS.issuer)?.iri ?? '';
  const publicKey = parseDidKey(did);
  if (publicKey === undefined) return issuerUnsupported(did);
  // Others may have signed it, too. Which proof is tried only depends on the form; what is signed decides.
  const method = verificationMethodOf(did);
  const proof = known.find(({ verificationMethod }) => verificationMethod === method) ?? known[0];
  if (proof === undefined || hasKeywords(proof)) return proofUnsupported(undefined);
  const { proofValue, ...options } = proof;
  const canonicalProof = await canonize({ '@context': contexts as Json, ...options });
  const proofOptions = readProof(parseGraph(canonicalProof));
  if (proofOptions?.cryptosuite !== CRYPTOSUITE) return proofUnsupported(undefined);
  const signature = typeof proofValue === 'string' ? decodeMultibase(proofValue) : undefined;
  if (
    proofOptions.method !== method ||
    proofOptions.purpose !== IRIS.assertionMethod ||
    signature?.length !== SIGNATURE_BYTES ||
    !isSigned(signature, hashForProof(canonicalProof, canonicalDocument), publicKey)
  ) {
    return {
      verdict: 'changed',
      code: 'signatureWrong',
      detail: 'The signature does not fit the content: it was changed, or somebody else has signed it.',
    };
  }
  return { did, graph };
}

/** Reads the options of a proof. Null if it has others, such as `expires`, which change what it means. */
function readProof(graph: Graph): { cryptosuite: string | null; purpose: string; method: string } | null {
  try {
    const proof = graph.only(IRIS.DataIntegrityProof);
    proof.leaveOut([IRIS.created]);
    const options = {
      cryptosuite: proof.text(IRIS.cryptosuite, [IRIS.cryptosuiteString]),
      purpose: proof.thing(IRIS.proofPurpose)?.iri ?? '',
      method: proof.thing(IRIS.verificationMethod)?.iri ?? '',
    };
    graph.checkAllRead();
    return options;
  } catch (error) {
    if (error instanceof UnreadableError) return null;
    throw error;
  }
}

function isSigned(signature: Uint8Array, bytes: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, bytes, publicKey, { zip215: false });
  } catch {
    // The bytes are not a point of the curve.
    return false;
  }
}

function unsupported(code: Problem['code'], detail: string): Problem {
  return { verdict: 'unsupported', code, detail };
}
