import { createHash } from 'node:crypto';
import type { Answer, JournalEntry, RequestKind } from '../journal.ts';

/** A request of the journal with every answer that its attempts got. */
export interface PastRequest {
  kind: RequestKind;
  /** Null for a creation. */
  tokenId: number | null;
  body: {
    headline?: string;
    creator?: string;
    contributors?: string[];
    totalClaimCount?: number;
    nftTypeId?: string;
    claimingAddress?: string;
    /** Of an airdrop. */
    address?: string;
    /** Of an admin airdrop. */
    receivingAddress?: string;
    expirationTimestamp?: number;
    burningAddress?: string;
    identifier?: string;
  };
  /** Milliseconds, by the client's clock. */
  sentFirstAtMs: number;
  answers: Answer[];
  locations: Set<string>;
}

export interface History {
  requests: PastRequest[];
  /** The request that each accepted Location answered. */
  accepted: Map<string, PastRequest>;
  observations: Exclude<JournalEntry, { type: 'request' | 'answer' }>[];
}

/** Joins the journal's requests with their answers. */
export function toHistory(entries: (JournalEntry & { atMs: number })[]): History {
  const requests = new Map<number, PastRequest>();
  const accepted: History['accepted'] = new Map();
  const observations: History['observations'] = [];
  for (const entry of entries) {
    if (entry.type === 'request') {
      const { kind, path, body } = entry.request;
      const [, tokenId] = /^\/v1\/tokens\/(\d+)\//.exec(path) ?? [];
      requests.set(entry.requestId, {
        kind,
        tokenId: tokenId === undefined ? null : Number(tokenId),
        body: JSON.parse(body),
        sentFirstAtMs: entry.atMs,
        answers: [],
        locations: new Set(),
      });
    } else if (entry.type === 'answer') {
      const request = requests.get(entry.requestId);
      if (request === undefined) throw new Error(`the journal has no request ${entry.requestId}`);
      request.answers.push(entry.answer);
      if (entry.answer.outcome === 'accepted') {
        request.locations.add(entry.answer.location);
        accepted.set(entry.answer.location, request);
      }
    } else observations.push(entry);
  }
  return { requests: [...requests.values()], accepted, observations };
}

/** Who gets the token that a claim or an airdrop asks for; empty for anything else. */
export function receiverOf({ claimingAddress, address, receivingAddress }: PastRequest['body']): string {
  return claimingAddress ?? address ?? receivingAddress ?? '';
}

export function operationIdOf(location: string): string {
  return location.slice(location.lastIndexOf('/') + 1);
}

/** The 20 bytes of an address, or the hash of an identifier, in hex: how an allowlist holds it. */
export function contributorKey(contributor: string): string {
  return contributor.startsWith('0x')
    ? contributor.slice(2).toLowerCase()
    : createHash('sha256').update(contributor).digest('hex');
}

/** How many answers there were: accepted, refused by each name, unknown for each reason. */
export function countAnswers({ requests }: History): Record<Answer['outcome'], Record<string, number>> {
  const counts: Record<Answer['outcome'], Record<string, number>> = {
    accepted: {},
    refused: {},
    unknown: {},
  };
  for (const { kind, answers } of requests) {
    for (const answer of answers) {
      const of = counts[answer.outcome];
      const name =
        answer.outcome === 'accepted' ? kind : answer.outcome === 'refused' ? answer.name : answer.reason;
      of[name] = (of[name] ?? 0) + 1;
    }
  }
  return counts;
}
