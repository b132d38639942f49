import type { Mail, PreviewInvitationBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toMail } from '../../mail/kept-mails.ts';
import { parseAddress } from '../../signatures/address.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { requireMail } from '../mail-service.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { readInvitationRow } from './list-invitations.ts';
import { createMailWriter } from './read-outgoing-mail.ts';
import { shortenAddress } from './rules.ts';

// What an example shows instead of the code. The claim page says that it is wrong.
const EXAMPLE_CODE = 'EXAMPLE';

/** Reads the last mail of an invitation. Only a sandbox without a mail server keeps mails. */
export async function readInvitationMail(
  context: Context,
  caller: Caller,
  { tokenId, invitationId }: { tokenId: string; invitationId: string },
): Promise<Mail> {
  const token = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, token.community_id);
  const { mail_id: mailId } = await readInvitationRow(context.database, {
    tokenId: token.token_id,
    invitationId,
  });
  const mail = (await context.mail?.kept?.find(mailId)) ?? null;
  if (mail === null) {
    throw new Refusal(
      'InvitationNotFound',
      'No mail of this invitation was kept. Only a sandbox without a mail server keeps the mails that it has sent.',
    );
  }
  return mail;
}

/** Returns an invitation to a token as a person would get it, with an example of a code. Sends nothing. */
export async function readInvitationPreview(
  context: Context,
  caller: Caller,
  { tokenId, body }: { tokenId: string; body: PreviewInvitationBody },
): Promise<Mail> {
  const token = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, token.community_id);
  const mailContext = requireMail(context);
  const { name, language, message, address, timeZone = null } = body;
  const expiresAtTimestamp = address ? null : body.expiresAtTimestamp;
  const writeMail = createMailWriter(mailContext);
  const mail = await writeMail({
    kind: 'invitation',
    mailId: '',
    tokenId: token.token_id,
    to: { name: name ?? '', address: '' },
    mailboxHash: null,
    language: language ?? 'en',
    message: message?.trim() || null,
    code: address ? null : EXAMPLE_CODE,
    wallet: address ? shortenAddress(parseAddress(address)) : null,
    expiresAt: expiresAtTimestamp ? new Date(expiresAtTimestamp) : null,
    timeZone,
    publicUrl: context.settings.publicUrl,
  });
  return toMail(mail);
}
