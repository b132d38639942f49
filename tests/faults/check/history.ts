import { createHash } from 'node:crypto';
import type { AttemptResult, JournalEntry, JournaledLink, RequestKind } from '../journal.ts';

/** A journaled request, with the results of all of its attempts. */
export interface SentRequest {
  kind: RequestKind;
  /** Null for createToken. */
  tokenId: number | null;
  /** The address in the path of a revocation, a reinstatement or a move; null for other requests. */
  owner: string | null;
  body: {
    headline?: string;
    creator?: string;
    communityId?: string;
    contributors?: string[];
    totalClaimCount?: number;
    nftTypeId?: string;
    claimingAddress?: string;
    /** The receiver of an airdrop. */
    address?: string;
    /** The receiver of an admin airdrop. */
    receivingAddress?: string;
    expirationTimestamp?: number;
    burningAddress?: string;
    /** The receiver of a move. */
    toAddress?: string;
    identifier?: string;
    claimCode?: string;
  };
  idempotencyKey: string | null;
  /**
   * When it was journaled, by the client's clock: just before it was first sent or, in a flood, after the
   * flood.
   */
  journaledAtMs: number;
  /** Whether a revocation of its code had returned 204 before it was sent. */
  isCodeRevoked: boolean;
  results: AttemptResult[];
  /** The operations that its attempts got with a 202. */
  locations: Set<string>;
}

/** A claim link that was created. */
export interface CreatedLink extends JournaledLink {
  tokenId: number;
  /** Whether a revocation was sent. It may have been executed without a response. */
  isRevocationSent: boolean;
  /** The responses to revocations. */
  revocationStatuses: number[];
  /** Whether a pause was sent. */
  isPauseSent: boolean;
}

export interface History {
  requests: SentRequest[];
  /** Accepted requests by Location. */
  accepted: Map<string, SentRequest>;
  /** By code. */
  links: Map<string, CreatedLink>;
  /** All other entries of the journal. */
  observations: Exclude<
    JournalEntry,
    { type: 'request' | 'result' | 'claimLinks' | 'revocation' | 'pause' }
  >[];
}

/** Joins the requests of a journal with their results. */
export function toHistory(entries: (JournalEntry & { atMs: number })[]): History {
  const requests = new Map<number, SentRequest>();
  const accepted: History['accepted'] = new Map();
  const linksById = new Map<string, CreatedLink>();
  const revokedCodes = new Set<string>();
  const observations: History['observations'] = [];
  for (const entry of entries) {
    if (entry.type === 'request') {
      const { kind, path, body, idempotencyKey } = entry.request;
      const sentBody: SentRequest['body'] = JSON.parse(body);
      const [, tokenId, owner = null] = /^\/v1\/tokens\/(\d+)\/(?:owners\/(0x\w+)\/)?/.exec(path) ?? [];
      requests.set(entry.requestId, {
        kind,
        tokenId: tokenId === undefined ? null : Number(tokenId),
        owner,
        body: sentBody,
        idempotencyKey,
        journaledAtMs: entry.atMs,
        isCodeRevoked: revokedCodes.has(sentBody.claimCode ?? ''),
        results: [],
        locations: new Set(),
      });
    } else if (entry.type === 'result') {
      const request = requests.get(entry.requestId);
      if (request === undefined) throw new Error(`the journal has no request ${entry.requestId}`);
      request.results.push(entry.result);
      if (entry.result.outcome === 'accepted') {
        request.locations.add(entry.result.location);
        accepted.set(entry.result.location, request);
      }
    } else if (entry.type === 'claimLinks') {
      const { tokenId } = entry;
      for (const link of entry.links)
        linksById.set(link.claimLinkId, {
          ...link,
          tokenId,
          isRevocationSent: false,
          revocationStatuses: [],
          isPauseSent: false,
        });
    } else if (entry.type === 'pause' || entry.type === 'revocation') {
      const link = linksById.get(entry.claimLinkId);
      if (link === undefined) throw new Error(`the journal has no link ${entry.claimLinkId}`);
      if (entry.type === 'pause') {
        link.isPauseSent = true;
        continue;
      }
      link.isRevocationSent = true;
      if (entry.status !== null) link.revocationStatuses.push(entry.status);
      if (entry.status === 204) revokedCodes.add(link.code);
    } else observations.push(entry);
  }
  const linksByCode = new Map([...linksById.values()].map((link) => [link.code, link]));
  return { requests: [...requests.values()], accepted, links: linksByCode, observations };
}

/** The address that a claim or an airdrop gives the token to; empty for other requests. */
export function receiverOf({ claimingAddress, address, receivingAddress }: SentRequest['body']): string {
  return claimingAddress ?? address ?? receivingAddress ?? '';
}

export function operationIdOf(location: string): string {
  return location.slice(location.lastIndexOf('/') + 1);
}

/** The key of an allowlist entry, in hex: the 20 bytes of an address, or the hash of an identifier. */
export function contributorKey(contributor: string): string {
  return contributor.startsWith('0x')
    ? contributor.slice(2).toLowerCase()
    : createHash('sha256').update(contributor).digest('hex');
}

/**
 * Counts the accepted operations by kind, the refused attempts by error name, and the attempts without a
 * known result by reason. Several attempts of a request that were accepted as one operation count once.
 */
export function countOutcomes({
  requests,
  accepted,
}: Pick<History, 'requests' | 'accepted'>): Record<AttemptResult['outcome'], Record<string, number>> {
  const results = requests.flatMap((request) => request.results);
  return {
    accepted: countNames([...accepted.values()].map(({ kind }) => kind)),
    refused: countNames(results.flatMap((result) => (result.outcome === 'refused' ? result.name : []))),
    unknown: countNames(results.flatMap((result) => (result.outcome === 'unknown' ? result.reason : []))),
  };
}

function countNames(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
