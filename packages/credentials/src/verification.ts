/**
 * What a file is:
 * - `valid`: signed by its issuer, unchanged, and not revoked: the issuer's status list, which was read, says
 *   so, or the credential names no list (`hasNoStatus`).
 * - `revoked`: signed and unchanged, but its issuer has revoked or suspended it.
 * - `expired`: signed and unchanged, but not valid at this time.
 * - `changed`: the signature is not that of this content.
 * - `statusUnknown`: signed and unchanged, but the status list could not be read, so it may have been
 *   revoked.
 * - `notACredential`: the file contains no credential.
 * - `unsupported`: a credential of a kind that this code cannot verify, or cannot read completely. It may be
 *   valid.
 *
 * No verdict says that the issuer is who it says it is: `issuer.trusted` does.
 */
export type Verdict =
  | 'valid'
  | 'revoked'
  | 'expired'
  | 'changed'
  | 'statusUnknown'
  | 'notACredential'
  | 'unsupported';

/** Why the verdict is what it is. Pages translate the code. */
export type ReasonCode =
  // valid
  | 'notRevoked'
  | 'hasNoStatus'
  // revoked
  | 'revoked'
  | 'suspended'
  // expired
  | 'expired'
  | 'notYetValid'
  // changed
  | 'signatureWrong'
  | 'hasUnsignedMembers'
  // statusUnknown
  | 'offline'
  | 'statusListUnreachable'
  | 'statusListInvalid'
  // notACredential
  | 'tooLarge'
  | 'notJson'
  | 'pngWithoutCredential'
  | 'notACredential'
  | 'emptyPresentation'
  // unsupported
  | 'tooComplex'
  | 'isJwt'
  | 'isSdJwt'
  | 'isCose'
  | 'isSvg'
  | 'isOpenBadges2'
  | 'isCredentials1'
  | 'isOtherCredential'
  | 'hasNoProof'
  | 'proofUnsupported'
  | 'issuerUnsupported'
  | 'contextUnsupported'
  | 'contentUnsupported'
  | 'timeUnsupported'
  | 'statusUnsupported';

/** The result of `verifyCredential`. */
export interface Verification {
  verdict: Verdict;
  reason: {
    code: ReasonCode;
    /** One English sentence. It may quote the credential, so show it as text. */
    detail: string;
    /**
     * For `proofUnsupported` and `issuerUnsupported`: the name of the kind, such as `Ed25519Signature2020` or
     * `did:web`. It is one of the names that this package knows. Null: another kind.
     */
    kind: string | null;
  };
  /** How the credential was found: alone, or inside a picture. Null if there is none. */
  format: 'json' | 'png' | null;
  /**
   * Which of the credentials of a presentation it is. The presentation is not verified, so nothing is said
   * about who presents it. Null: it is not in a presentation.
   */
  presentation: { count: number; index: number } | null;
  /**
   * What the issuer has signed, read from the signed statements. Null unless the verdict is `valid`,
   * `revoked`, `expired` or `statusUnknown`.
   */
  content: CredentialContent | null;
}

/** What a credential says. A text can be anything of any length: show it as text. */
export interface CredentialContent {
  /** The id of the credential, a URI. */
  id: string | null;
  /** The id of the badge, a URI, which all its owners share. */
  achievementId: string | null;
  /** The headline of the badge. */
  name: string;
  description: string;
  /** What somebody has to do, or has done, for the badge. Markdown in some issuers' credentials. */
  narrative: string;
  /** A page that describes the criteria. Only `http` and `https` URLs. */
  criteriaUrl: string | null;
  picture: CredentialPicture | null;
  results: CredentialResult[];
  issuer: CredentialIssuer;
  wallet: CredentialWallet | null;
  /** The id of the subject as it is in the credential, such as `did:pkh:eip155:137:0x…`. */
  subjectId: string;
  /**
   * What the credential says besides about who the subject is. A name or an address that is not hashed is
   * what the issuer says: nothing here confirms it.
   */
  identities: CredentialIdentity[];
  /** When the badge was awarded, in milliseconds since 1970. */
  awardedTimestamp: number | null;
  /** Null: it does not expire. */
  validUntilTimestamp: number | null;
}

export interface CredentialPicture {
  /** An `http`, `https` or `data:image/` URL. Reading an `http` URL tells its server who looks. */
  url: string;
  /** The SHA-256 of the picture in hex, if the issuer has signed it. */
  sha256: string | null;
  caption: string | null;
}

/** A result, such as a custom attribute of a badge. */
export interface CredentialResult {
  /** Empty if it has none. */
  name: string;
  value: string;
}

export interface CredentialIssuer {
  /** A `did:key`, which is its public key. */
  did: string;
  /** The name that the issuer gives itself. Anybody can give themselves any name. */
  name: string;
  url: string | null;
  pictureUrl: string | null;
  /** The trusted issuer that has this key; null: nobody whom the person trusts. */
  trusted: TrustedIssuer | null;
}

export interface CredentialWallet {
  /** The EIP-155 number of the chain. */
  chainId: number;
  /** `0x` and 40 hex digits, as in the credential. */
  address: string;
}

/** An `IdentityObject` of Open Badges 3.0: something that says who the subject is. */
export interface CredentialIdentity {
  /** What it is: `emailAddress`, `name`, or another term, of any text. */
  type: string;
  /** The name, the address or what it is. Null: only its hash is in the credential. */
  text: string | null;
  /** Null: it is not hashed. */
  hash: IdentityHash | null;
}

export interface IdentityHash {
  /** Null: neither of the two algorithms that Open Badges 3.0 knows. */
  algorithm: 'sha256' | 'md5' | null;
  /** In lower case. For another algorithm: what the credential has in place of a hash. */
  hex: string;
  /** What was hashed after the text. Empty: nothing. */
  salt: string;
}

/** An issuer whose key the person knows, such as one of the list `issuerKeys` of a service. */
export interface TrustedIssuer {
  did: string;
  /** Who it is, in the words of the list or of the person. */
  name: string;
  /** Where the key is from, such as the URL of the list. */
  source?: string;
}

export interface VerifyOptions {
  /** Which credential of a presentation is verified. Default: 0, the first one. */
  index?: number;
  /** The issuers whose keys are confirmed. */
  trustedIssuers?: TrustedIssuer[];
  /**
   * Reads the body of a URL of a status list, of at most `maxBytes` bytes. Rejects if it cannot. The URL
   * comes from the credential, so it may be anybody's. Absent: nothing is fetched, and the status is unknown.
   */
  fetchStatusList?: (url: string, maxBytes: number) => Promise<Uint8Array | string>;
  /** The time of the check, in milliseconds since 1970. Default: now. */
  nowTimestamp?: number;
}
