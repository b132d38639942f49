import { type MailServer, startMailServer } from '../../../service/src/testing/mail-server.ts';
import { type OwnSite, startSite } from './site.ts';

export interface MailSite extends OwnSite {
  /** The mail server of the service, which receives its mails and sends none. */
  mails: MailServer;
}

/** Starts a site of a test file with a mail server. */
export async function startMailSite(env: Record<string, string> = {}): Promise<MailSite> {
  const mails = await startMailServer();
  const site = await startSite({
    BADGE_SMTP_URL: mails.url,
    BADGE_MAIL_FROM: 'Badges <badges@example.org>',
    ...env,
  });
  const remove = async () => {
    await site.remove();
    await mails.stop();
  };
  return { ...site, mails, remove };
}

/** The first link of a path in the text of a mail, such as that of `claim`. */
export function findMailLink(mail: { text?: string | undefined }, path: string): string {
  return new RegExp(`https?://\\S+/${path}/\\S+`).exec(mail.text ?? '')?.[0] ?? '';
}
