import { hasType, isObject, type Json, type JsonObject, toArray } from './parse-json.ts';
import type { Problem } from './problems.ts';
import { CRYPTOSUITE } from './vocabulary.ts';

// What is named is one of these texts, never a text of the file, which nobody has signed.
const PROOF_KINDS = (
  'eddsa-2022 eddsa-jcs-2022 eddsa-raw-2022 json-eddsa-2022 ecdsa-2019 ecdsa-rdfc-2019 ecdsa-jcs-2019 ' +
  'ecdsa-sd-2023 bbs-2023 mldsa44-rdfc-2024 mldsa44-jcs-2024 Ed25519Signature2018 Ed25519Signature2020 ' +
  'JsonWebSignature2020 RsaSignature2018 EcdsaSecp256k1Signature2019 ' +
  'EcdsaSecp256k1RecoverySignature2020 JcsEd25519Signature2020 BbsBlsSignature2020 ' +
  'BbsBlsSignatureProof2020 EthereumEip712Signature2021 Eip712Signature2021 ' +
  'EthereumPersonalSignature2021 MerkleProof2019 LinkedDataSignature2015'
).split(' ');
const DID_METHODS = (
  'web webvh tdw ion ethr pkh jwk peer ebsi cheqd sov indy prism dht plc iota elem polygonid iden3 evan ' +
  'tz v1 btcr keri webs hedera'
).split(' ');
/** The beginnings of keys of other kinds in a `did:key`. */
const KEY_KINDS = {
  zDn: 'P-256',
  z82: 'P-384',
  z2J9: 'P-521',
  zQ3s: 'secp256k1',
  zUC7: 'BLS12-381',
  z4MX: 'RSA',
};

/** How a text signs that contains a credential in an encoding of its own. */
type Wrapping = 'isJwt' | 'isSdJwt' | 'isCose';

const WRAPPINGS: Record<Wrapping, string> = {
  isJwt: 'It is signed as a JWT. Only credentials with a proof inside can be verified here.',
  isSdJwt:
    'It is signed as an SD-JWT, which shows only a part of it. Only credentials with a proof inside can be verified here.',
  isCose: 'It is signed with COSE. Only credentials with a proof inside can be verified here.',
};

export const OPEN_BADGES_2: Problem = unsupported(
  'isOpenBadges2',
  'It is of Open Badges 2.0, or of an earlier version. Only Open Badges 3.0 can be verified here.',
);

/**
 * Says what a text is that is no JSON: a JWT, an SD-JWT, or an SVG with a badge inside. Undefined: something
 * else.
 */
export function nameForeignText(text: string): Problem | undefined {
  const compact = text.trim();
  if (/^(<\?xml|<!DOCTYPE svg|<!--|<svg)/i.test(compact) && /<openbadges:\w/.test(compact)) {
    return unsupported('isSvg', 'It is an SVG with a badge inside. Only JSON and PNG can be verified here.');
  }
  // Disclosures follow the first `~`.
  const jwt = compact.replace(/~.*$/s, '');
  const [, header = '', payload = ''] = /^([\w-]+)\.([\w-]+)\.[\w-]*$/.exec(jwt) ?? [];
  if (!isObject(decode(header))) return undefined;
  const claims = decode(payload);
  if (isObject(claims) && isOpenBadges2(claims)) return OPEN_BADGES_2;
  return wrapped(jwt.length < compact.length ? 'isSdJwt' : 'isJwt');
}

/** Says what JSON is that is no credential with a proof inside. Undefined: something else. */
export function nameForeignObject(document: JsonObject): Problem | undefined {
  const { id } = document;
  if (
    hasType(document, 'EnvelopedVerifiableCredential') ||
    hasType(document, 'EnvelopedVerifiablePresentation')
  ) {
    const [, kind] =
      (typeof id === 'string' && /^data:application\/(?:vc|vp)\+([a-z-]+)[;,]/i.exec(id)) || [];
    const wrapping = ({ 'sd-jwt': 'isSdJwt', cose: 'isCose' } as const)[kind?.toLowerCase() ?? ''] ?? 'isJwt';
    return wrapped(wrapping);
  }
  if (isOpenBadges2(document)) return OPEN_BADGES_2;
  const { payload, signature, signatures } = document;
  if (typeof payload === 'string' && (signature !== undefined || signatures !== undefined))
    return wrapped('isJwt');
  return undefined;
}

/**
 * Says in which way a credential is not of the kind that can be verified. This reads members that nobody has
 * signed, so it decides nothing else. Undefined: it may be of this kind.
 */
export function nameForeignCredential(document: JsonObject): Problem | undefined {
  const proofs = toArray(document.proof).filter(isObject);
  if (proofs.some(({ jwt, type }) => typeof jwt === 'string' || type === 'JwtProof2020'))
    return wrapped('isJwt');
  if (proofs.length > 0 && !proofs.some(({ cryptosuite }) => cryptosuite === CRYPTOSUITE)) {
    const names = proofs.flatMap(({ type, cryptosuite }) => [cryptosuite, type]);
    return proofUnsupported(PROOF_KINDS.find((kind) => names.includes(kind)));
  }
  const [issuer] = toArray(document.issuer);
  const problem = nameIssuer(isObject(issuer) ? issuer.id : issuer);
  if (problem !== undefined) return problem;
  if (toArray(document['@context']).includes('https://www.w3.org/2018/credentials/v1')) {
    return unsupported(
      'isCredentials1',
      'It is of version 1 of Verifiable Credentials. Only version 2 can be verified here.',
    );
  }
  const isBadge = listTexts(document.type).some((type) => /(OpenBadge|Achievement)Credential$/.test(type));
  return isBadge
    ? undefined
    : unsupported(
        'isOtherCredential',
        'It is a credential, but not a badge. Only badges can be verified here.',
      );
}

/** The problem of a credential with a proof of another kind. */
export function proofUnsupported(kind: string | undefined): Problem {
  const is = kind === undefined ? 'of another kind' : `of the kind ${kind}`;
  return unsupported(
    'proofUnsupported',
    `Its proof is ${is}. Only ${CRYPTOSUITE} can be verified here.`,
    kind,
  );
}

/** The problem of a credential whose issuer is not a `did:key` of Ed25519. */
export function issuerUnsupported(did: string): Problem {
  return (
    nameIssuer(did) ?? unsupported('issuerUnsupported', `Its issuer is named in another way. ${ONLY_DID_KEY}`)
  );
}

const ONLY_DID_KEY = 'Only a did:key with a key of Ed25519 can be verified here.';

function nameIssuer(id: Json | undefined): Problem | undefined {
  if (typeof id !== 'string') return undefined;
  const [, method] = /^did:([a-z0-9]+):/.exec(id) ?? [];
  const key = Object.entries(KEY_KINDS).find(([beginning]) => id.startsWith(`did:key:${beginning}`))?.[1];
  const kind =
    key !== undefined
      ? `did:key (${key})`
      : method !== undefined && DID_METHODS.includes(method)
        ? `did:${method}`
        : /^https?:/i.test(id)
          ? 'https'
          : undefined;
  if (kind === undefined) return undefined;
  return unsupported('issuerUnsupported', `Its issuer is named by ${kind}. ${ONLY_DID_KEY}`, kind);
}

function isOpenBadges2(document: JsonObject): boolean {
  const contexts = listTexts(document['@context']);
  return (
    contexts.some((item) => /^https?:\/\/(w3id\.org\/openbadges|openbadgespec\.org)\b/.test(item)) ||
    hasType(document, 'Assertion') ||
    // Version 1 has neither a context nor a type.
    (document.recipient !== undefined && document.badge !== undefined)
  );
}

function listTexts(value: Json | undefined): string[] {
  return toArray(value).filter((item) => typeof item === 'string');
}

function wrapped(code: Wrapping): Problem {
  return unsupported(code, WRAPPINGS[code]);
}

function decode(base64url: string): unknown {
  try {
    return JSON.parse(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
}

function unsupported(code: Problem['code'], detail: string, kind: string | null = null): Problem {
  return { verdict: 'unsupported', code, detail, kind };
}
