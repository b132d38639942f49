import type { MailLanguage } from '@badge/protocol';
import { composeMail, type MailKind, toSender } from '../../mail/compose-mail.ts';
import type { OutgoingMail } from '../../mail/mail-transport.ts';
import type { Mailbox } from '../../mail/mailbox.ts';
import { toLine } from '../../mail/plain-text.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { hasKeptBadges } from '../kept-addresses.ts';
import type { MailContext } from '../mail-service.ts';
import { createMailPictureReader } from '../pictures/read-mail-picture.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { makeUnsubscribeToken } from './rules.ts';

/** What differs between the mails about a token. */
export interface MailRequest {
  kind: MailKind;
  mailId: string;
  tokenId: number;
  to: Mailbox;
  /** Null for an example, whose unsubscribe link names nobody. */
  mailboxHash: Buffer | null;
  language: MailLanguage;
  message: string | null;
  /**
   * The code of the claim link, or the one that confirms the address; null if the mail is for a wallet on the
   * allowlist.
   */
  code: string | null;
  /** The shortened address of this wallet. */
  wallet: string | null;
  /** Of a confirmation: whether its link needs the signature of a wallet. */
  isSignatureRequired?: boolean;
  /** When the person was invited; null for a mail that reminds of nothing. */
  invitedAt?: Date | null;
  /** Who has the badge that ends. */
  owner?: string | null;
  /** When the link ends; of an expiryReminder, the badge. */
  expiresAt: Date | null;
  /** In which the end is written. Null: UTC. */
  timeZone: string | null;
  publicUrl: string;
}

/** Returns a function that writes the mail of an invitation, with the picture of its token. */
export function createMailWriter(context: MailContext): (request: MailRequest) => Promise<OutgoingMail> {
  const readPicture = createMailPictureReader(context);
  return async (request) => {
    const { tokenId, publicUrl, language, to, mailboxHash } = request;
    const token = await readTokenRow(context, String(tokenId));
    const community = await readCommunityRow(context, token.community_id);
    const communityId = community.community_id;
    const unsubscribeUrl = toUnsubscribeUrl(context, { communityId, publicUrl, mailboxHash, language });
    const isWalletNeeded = token.is_signature_required || request.isSignatureRequired === true;
    const kind = findKind(request, hasKeptBadges(context) && !isWalletNeeded);
    const isEnd = kind === 'expiryReminder';
    const mail = composeMail(kind, {
      language,
      name: to.name || null,
      community: community.name,
      headline: token.headline,
      message: request.message,
      url: toUrl(request),
      wallet: request.wallet,
      invitedAt: request.invitedAt ?? null,
      claimableFrom: findStart(token.claimable_from_timestamp),
      expiresAt: isEnd ? request.expiresAt : findEnd(request.expiresAt, token.expiration_timestamp),
      timeZone: request.timeZone,
      publicUrl,
      unsubscribeUrl,
    });
    return {
      ...mail,
      mailId: request.mailId,
      from: toSender(context.mail.from, community.name, publicUrl),
      to: { name: toLine(to.name), address: to.address },
      picture: await readPicture(token),
      unsubscribeUrl,
    };
  };
}

// A badge that can be claimed already needs no start.
function findStart(claimableFromTimestamp: number | null): Date | null {
  return claimableFromTimestamp !== null && claimableFromTimestamp > Date.now()
    ? new Date(claimableFromTimestamp)
    : null;
}

// Whichever ends first: the link, or the time in which the token can be claimed.
function findEnd(expiresAt: Date | null, expirationTimestamp: number | null): Date | null {
  if (expirationTimestamp === null) return expiresAt;
  return new Date(Math.min(expirationTimestamp, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY));
}

function findKind({ kind, wallet }: MailRequest, isKeptAtOnce: boolean): MailKind {
  if (kind === 'confirmation' && isKeptAtOnce) return 'keptConfirmation';
  if (wallet === null || kind === 'expiryReminder') return kind;
  return kind === 'reminder' ? 'listedReminder' : 'listed';
}

function toUrl({ kind, tokenId, publicUrl, code, owner }: MailRequest): string {
  if (kind === 'expiryReminder') return `${publicUrl}/token/${tokenId}?owner=${owner}`;
  const page = `${publicUrl}/${kind === 'confirmation' ? 'reserve' : 'claim'}/${tokenId}`;
  return code === null ? page : `${page}#${code}`;
}

function toUnsubscribeUrl(
  { encryption }: MailContext,
  {
    communityId,
    publicUrl,
    mailboxHash,
    language,
  }: { communityId: string; publicUrl: string; mailboxHash: Buffer | null; language: MailLanguage },
): string {
  const query = new URLSearchParams({
    community: communityId,
    person:
      mailboxHash === null ? '' : makeUnsubscribeToken(encryption, { communityId, emailHash: mailboxHash }),
    language,
  });
  return `${publicUrl}/unsubscribe?${query}`;
}
