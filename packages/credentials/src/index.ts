export { parseDidKey } from './did-key.ts';
export { matchesIdentity } from './identity.ts';
export { findBakedCredentials, isPng, removeBakedCredential } from './png.ts';
export type {
  CredentialContent,
  CredentialIdentity,
  CredentialIssuer,
  CredentialPicture,
  CredentialResult,
  CredentialWallet,
  IdentityHash,
  ReasonCode,
  TrustedIssuer,
  Verdict,
  Verification,
  VerifyOptions,
} from './verification.ts';
export { verifyCredential } from './verify-credential.ts';
