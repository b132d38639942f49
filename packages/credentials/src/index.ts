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
