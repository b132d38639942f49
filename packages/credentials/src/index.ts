export { parseDidKey } from './did-key.ts';
export { findBakedCredentials, isPng, removeBakedCredential } from './png.ts';
export type {
  CredentialContent,
  CredentialIssuer,
  CredentialPicture,
  CredentialResult,
  CredentialWallet,
  ReasonCode,
  TrustedIssuer,
  Verdict,
  Verification,
  VerifyOptions,
} from './verification.ts';
export { verifyCredential } from './verify-credential.ts';
