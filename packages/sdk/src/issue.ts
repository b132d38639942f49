import { foldCase } from '@badge/protocol';
import type { BadgeClient } from './badge-client.ts';
import { BadgeApiError, BadgeConnectionError, BadgeTimeoutError } from './errors.ts';
import type { ClaimLink, Issuance, IssueResult, RequestOptions } from './types.ts';

const AIRDROPS_AT_ONCE = 50;
const CONTRIBUTORS_AT_ONCE = 1_000;
/**
 * So few that a crash loses few codes. For the rate limit, each started 100 links count as one request
 * anyway.
 */
const LINKS_AT_ONCE = 100;

/** A recipient. Equal recipients are one line. */
interface Line {
  text: string;
  kind: 'address' | 'email' | 'other';
  /** Where the recipient is in the list. */
  indexes: number[];
}

type Outcome<Result = IssueResult> = Result extends IssueResult ? Omit<Result, 'recipient'> : never;

/**
 * Issues a token to addresses and e-mails. Every step can run again after a crash: an address gets a token
 * once, an allowlist has an entry once, and an e-mail that has a link gets no other one.
 */
export async function issueToken(
  badge: BadgeClient,
  { tokenId, recipients, signer, signature: givenSignature, onResult }: Issuance,
  options: RequestOptions = {},
): Promise<IssueResult[]> {
  const { createdByAddress, claimabilityAttributes } = await badge.getToken({ tokenId }, options);
  const { isAllowlistRequired } = claimabilityAttributes;
  const signature = isAllowlistRequired ? await signAllowlist() : '';
  const lines = readLines(recipients);
  const linesOf = (kind: Line['kind']) => [...lines.values()].filter((line) => line.kind === kind);
  const results: IssueResult[] = [];
  try {
    await refuseAll(linesOf('other'), 'InvalidRequest', 'is neither an address nor an e-mail');
    if (isAllowlistRequired) await extendAllowlist();
    else {
      // A link for an open token does not say whom it is for, so a second run could not know who has one.
      await refuseAll(
        linesOf('email'),
        'AllowlistMismatch',
        'is an e-mail, but the token is open: use an allowlisted one',
      );
      await airdropAll();
    }
  } catch (error) {
    // Other errors are the reason of the signal, or come from `onResult`.
    const isOurs = [BadgeApiError, BadgeConnectionError, BadgeTimeoutError].some(
      (kind) => error instanceof kind,
    );
    if (!isOurs) throw error;
    const { name, message } = error as Error;
    for (const line of lines.values()) {
      const isFinished = line.indexes.some((index) => index in results);
      if (!isFinished) await finish(line, { status: 'failed', error: name, detail: message });
    }
  }
  return results;

  async function signAllowlist(): Promise<string> {
    if (signer === undefined) {
      if (!givenSignature)
        throw new TypeError('The token is allowlisted: pass its creator as `signer`, or a `signature`.');
      return givenSignature;
    }
    const message = {
      primaryType: 'AllowlistedAddress',
      tokenId,
      signer,
      address: createdByAddress,
    } as const;
    return (await badge.signTokenId(message, options)).signature;
  }

  async function finish(line: Line, outcome: Outcome): Promise<void> {
    for (const index of line.indexes) {
      const result = { recipient: recipients[index] as string, ...outcome };
      results[index] = result;
      await onResult?.(result);
    }
  }

  async function refuseAll(refused: Line[], error: string, detail: string): Promise<void> {
    for (const line of refused) await finish(line, { status: 'refused', error, detail });
  }

  async function airdropAll(): Promise<void> {
    for (const batch of split(linesOf('address'), AIRDROPS_AT_ONCE)) {
      const outcomes = await Promise.allSettled(batch.map(airdrop));
      for (const [index, outcome] of outcomes.entries())
        if (outcome.status === 'fulfilled') await finish(batch[index] as Line, outcome.value);
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    }
  }

  async function airdrop({ text }: Line): Promise<Outcome> {
    try {
      const operation = await badge.airdrop({ tokenId, address: text }, options);
      await operation.wait({ signal: options.signal });
      return { status: 'airdropped' };
    } catch (error) {
      if (!(error instanceof BadgeApiError) || ![400, 409].includes(error.status)) throw error;
      const { name, detail } = error;
      // An earlier run may have airdropped it. A token can be given to an address only once, ever.
      return name === 'ClaimingAddressAlreadyHasToken'
        ? { status: 'alreadyIssued', claimLinkId: null }
        : { status: 'refused', error: name, detail };
    }
  }

  async function extendAllowlist(): Promise<void> {
    const emails = linesOf('email');
    const links = emails.length === 0 ? new Map<string, ClaimLink>() : await findLinks();
    const linkOf = ({ text }: Line) => links.get(toKey(text));
    for (const line of emails) {
      const link = linkOf(line);
      if (link) await finish(line, { status: 'alreadyIssued', claimLinkId: link.claimLinkId });
    }
    const others = [...linesOf('address'), ...emails.filter((line) => !linkOf(line))];
    for (const batch of split(others, CONTRIBUTORS_AT_ONCE)) {
      const { valid } = await sendValid(batch, async (contributors) => {
        const operation = await badge.addContributors({ tokenId, contributors, signature }, options);
        await operation.wait({ signal: options.signal });
      });
      for (const line of valid) if (line.kind === 'address') await finish(line, { status: 'allowlisted' });
      for (const listed of split(
        valid.filter(({ kind }) => kind === 'email'),
        LINKS_AT_ONCE,
      ))
        await createLinks(listed);
    }
  }

  async function createLinks(batch: Line[]): Promise<void> {
    const { valid, response = [] } = await sendValid(
      batch,
      async (identifiers) => (await badge.createClaimLinks({ tokenId, identifiers }, options)).items,
    );
    // A retry returns the links in the order of the first attempt, and none for an e-mail that has claimed
    // meanwhile.
    const created = new Map(response.map((link) => [toKey(link.identifier ?? ''), link]));
    for (const line of valid) {
      const link = created.get(toKey(line.text));
      if (link === undefined) {
        await refuseAll([line], 'InvalidRequest', 'has already claimed this token');
        continue;
      }
      const { claimLinkId, code, url } = link;
      await finish(line, { status: 'linked', claimLinkId, code, url });
    }
  }

  /** Returns the links that can be or were used, by the key of their e-mail. */
  async function findLinks(): Promise<Map<string, ClaimLink>> {
    const links = new Map<string, ClaimLink>();
    for await (const link of badge.listClaimLinks({ tokenId, limit: 1_000 }, options))
      if (link.identifier !== null && !['revoked', 'expired'].includes(link.status))
        links.set(toKey(link.identifier), link);
    return links;
  }

  /** Sends a batch. Refuses the lines that the service rejects, and sends the valid ones again. */
  async function sendValid<T>(
    batch: Line[],
    send: (texts: string[]) => Promise<T>,
  ): Promise<{ valid: Line[]; response?: T }> {
    let valid = batch;
    while (valid.length > 0) {
      try {
        return { valid, response: await send(valid.map(({ text }) => text)) };
      } catch (error) {
        const rejected = new Set<Line>();
        for (const place of error instanceof BadgeApiError ? error.errors : []) {
          const index = 'pointer' in place && /^\/\w+\/(\d+)$/.exec(place.pointer)?.[1];
          const line = valid[index ? Number(index) : -1];
          if (line === undefined || rejected.has(line)) continue;
          rejected.add(line);
          await refuseAll([line], (error as BadgeApiError).name, place.detail);
        }
        if (rejected.size === 0) throw error;
        valid = valid.filter((line) => !rejected.has(line));
      }
    }
    return { valid };
  }
}

function readLines(recipients: readonly string[]): Map<string, Line> {
  const lines = new Map<string, Line>();
  for (const [index, recipient] of recipients.entries()) {
    const text = String(recipient).trim();
    const key = toKey(text);
    const line = lines.get(key);
    if (line === undefined) lines.set(key, { text, kind: findKind(text), indexes: [index] });
    else line.indexes.push(index);
  }
  return lines;
}

function findKind(text: string): Line['kind'] {
  if (/^0x[\da-f]{40}$/i.test(text)) return 'address';
  return /^[^@\s]+@[^@\s]+$/.test(text) ? 'email' : 'other';
}

/** Returns a text that is equal for recipients that the service treats as equal. */
function toKey(text: string): string {
  return foldCase(text.normalize('NFC'));
}

function split<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
