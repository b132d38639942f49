import type { TrustedIssuer } from '@badge/credentials';
import { BadgeApiError, type BadgeClient, createBadgeClient } from '@badge/sdk';
import { badge } from '../../api.ts';

// A service can have many pages of keys. An endless list is no answer.
const TIMEOUT_MS = 30_000;

/** What a service says about the key of a credential that says that it comes from there. */
export type ServiceAnswer =
  /** `replacedByTokenId`: the badge that its community has put in the place of this one. */
  | { status: 'listed'; issuers: TrustedIssuer[]; replacedByTokenId: number | null }
  /** The service has no such badge, or its community has other keys. */
  | { status: 'notListed'; issuers: TrustedIssuer[] }
  | { status: 'unreachable'; issuers: TrustedIssuer[] };

/**
 * Asks a service for the keys of the community that has made a badge. The name of the community is that which
 * the service gives, not that in the credential.
 */
export async function askService(
  { origin, tokenId }: { origin: string; tokenId: number },
  did: string,
): Promise<ServiceAnswer> {
  const client: BadgeClient = origin === location.origin ? badge : createBadgeClient({ url: origin });
  const options = { signal: AbortSignal.timeout(TIMEOUT_MS) };
  try {
    const { communityId, replacedByTokenId } = await client.getToken({ tokenId }, options);
    const [{ name }, keys] = await Promise.all([
      client.getCommunity({ communityId }, options),
      client.getIssuerKeys({ communityId }, options),
    ]);
    const issuers = keys.map((key) => ({ did: key.did, name, source: new URL(origin).host }));
    const isListed = issuers.some((issuer) => issuer.did === did);
    // A service of an earlier release does not say it.
    return isListed
      ? { status: 'listed', issuers, replacedByTokenId: replacedByTokenId ?? null }
      : { status: 'notListed', issuers };
  } catch (error) {
    const isMissing = error instanceof BadgeApiError && error.status === 404;
    return { status: isMissing ? 'notListed' : 'unreachable', issuers: [] };
  }
}
