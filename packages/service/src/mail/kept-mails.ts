import { mkdir, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mail } from '@badge/protocol';
import { createTransport } from 'nodemailer';
import { PICTURE_CID } from './compose-mail.ts';
import {
  createThrottle,
  MAX_CONNECTIONS,
  type MailTransport,
  type OutgoingMail,
  toHeaderMailbox,
  toMessage,
} from './mail-transport.ts';
import type { Mailbox } from './mailbox.ts';
import { toHeaderText } from './plain-text.ts';

const MAX_MAILS = 500;

export interface KeptMails extends MailTransport {
  /** Reads a mail that was kept; null if there is none. */
  find(mailId: string): Promise<Mail | null>;
}

/**
 * Keeps mails as files instead of sending them, for a sandbox without a mail server: `ID.eml`, which a mail
 * program opens, and `ID.json`, which the API returns. The oldest are deleted.
 */
export function createKeptMails(directory: string): KeptMails {
  const composer = createTransport({ streamTransport: true, buffer: true });
  // The ids of the kept mails, the oldest first. Read at the first mail.
  let kept: Promise<string[]> | undefined;

  async function write(name: string, content: string | Buffer): Promise<void> {
    const draft = join(directory, `.${name}`);
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, join(directory, name));
  }

  async function removeOldest(mailId: string): Promise<void> {
    kept ??= listKept(directory);
    const ids = await kept;
    if (!ids.includes(mailId)) ids.push(mailId);
    for (const id of ids.splice(0, Math.max(0, ids.length - MAX_MAILS))) {
      await Promise.all(
        ['eml', 'json'].map((extension) => unlink(join(directory, `${id}.${extension}`))),
      ).catch(() => undefined);
    }
  }

  return {
    withConnection: createThrottle(MAX_CONNECTIONS),
    send: async (mail) => {
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        const { message } = await composer.sendMail(toMessage(mail));
        await write(`${mail.mailId}.eml`, message as Buffer);
        await write(`${mail.mailId}.json`, JSON.stringify(toMail(mail)));
        await removeOldest(mail.mailId);
        return { kind: 'sent' };
      } catch (error) {
        return { kind: 'unavailable', words: (error as Error).message };
      }
    },
    find: async (mailId) => {
      try {
        return JSON.parse(await readFile(join(directory, `${mailId}.json`), 'utf8')) as Mail;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    close: async () => undefined,
  };
}

/** Returns a mail as a page can show it, with its picture as a data URL. */
export function toMail({
  from,
  subject,
  text,
  html,
  picture,
}: Omit<OutgoingMail, 'mailId' | 'to' | 'unsubscribeUrl'>): Mail {
  const url =
    picture === null ? '' : `data:${picture.contentType};base64,${picture.content.toString('base64')}`;
  return {
    from: formatMailbox(toHeaderMailbox(from)),
    subject: toHeaderText(subject),
    text,
    html: html.replaceAll(`cid:${PICTURE_CID}`, url),
  };
}

function formatMailbox({ name, address }: Mailbox): string {
  return name === '' ? address : `${name} <${address}>`;
}

// The times of the files would need a query each. Their order matters only for which of many mails is deleted
// first.
async function listKept(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names
    .filter((name) => name.endsWith('.eml') && !name.startsWith('.'))
    .map((name) => name.slice(0, -4));
}
