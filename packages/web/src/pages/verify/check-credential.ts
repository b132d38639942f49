import { type TrustedIssuer, type Verification, verifyCredential } from '@badge/credentials';
import { findOrigin } from './credential-link.ts';
import { readUrl } from './read-url.ts';
import { askService, type ServiceAnswer } from './service-keys.ts';

/** What the page knows about a file. */
export interface CheckedFile {
  /** The content of the file. */
  bytes: Uint8Array<ArrayBuffer>;
  verification: Verification;
  /** The service from which the credential says that it comes; null if it says nothing of the kind. */
  origin: { origin: string; tokenId: number } | null;
  /** What this service says; null if the person has not asked for it. This service is always asked. */
  answer: ServiceAnswer | null;
}

/** Whom a person trusts, besides this service. */
export interface Trust {
  /** The keys that the person has entered. */
  issuers: TrustedIssuer[];
  /** The origins of services that the person wants to ask. */
  origins: string[];
}

/**
 * Checks a file. `index`: which credential of a presentation. Only the status list and the keys are read from
 * the network, and the check does without them.
 */
export async function checkFile(
  bytes: Uint8Array<ArrayBuffer>,
  trust: Trust,
  index: number,
): Promise<CheckedFile> {
  const first = await verifyCredential(bytes, { index, trustedIssuers: trust.issuers });
  if (first.content === null) return { bytes, verification: first, origin: null, answer: null };
  const origin = findOrigin(first.content.achievementId);
  const isAsked = origin !== null && [location.origin, ...trust.origins].includes(origin.origin);
  const answer = isAsked ? await askService(origin, first.content.issuer.did) : null;
  const verification = await verifyCredential(bytes, {
    index,
    // A key that the person knows says more than a list.
    trustedIssuers: [...trust.issuers, ...(answer?.issuers ?? [])],
    fetchStatusList: readUrl,
  });
  return { bytes, verification, origin, answer };
}
