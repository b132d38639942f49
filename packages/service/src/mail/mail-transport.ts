import { setTimeout as wait } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import type { MailOptions } from 'nodemailer/lib/smtp-pool';
import { PICTURE_CID } from './compose-mail.ts';
import type { Mailbox } from './mailbox.ts';
import { toHeaderText, toLine } from './plain-text.ts';

/** A mail server. */
export interface SmtpServer {
  host: string;
  port: number;
  /** Whether the connection begins with TLS. Otherwise, STARTTLS is used if the server offers it. */
  isTls: boolean;
  user: string | null;
  password: string | null;
}

export interface OutgoingMail {
  /**
   * Names the mail for ever, in its Message-ID, so that a mail that is sent again is known as the same one.
   */
  mailId: string;
  from: Mailbox;
  to: Mailbox;
  subject: string;
  text: string;
  html: string;
  picture: { content: Buffer; contentType: string } | null;
  /** Null: the mail was requested by its receiver. */
  unsubscribeUrl: string | null;
}

/**
 * What has become of a mail:
 * - `sent`: the server has accepted it.
 * - `refused`: it refuses this mail for ever.
 * - `deferred`: it refuses this mail for now.
 * - `unavailable`: it could not be used at all. The next mail would end in the same way.
 * `words` are what the server, or the system, said.
 */
export type MailResult =
  | { kind: 'sent' }
  | { kind: 'refused' | 'unavailable'; words: string }
  | { kind: 'deferred'; words: string; isServerBusy: boolean };

export interface MailTransport {
  /**
   * Waits until fewer than `MAX_CONNECTIONS` of these calls run, and until the rate allows another one, then
   * calls `work`.
   */
  withConnection<T>(work: () => Promise<T>): Promise<T>;
  /** Sends a mail. Never rejects. Soon after the signal aborts, it gives up. */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<MailResult>;
  close(): Promise<void>;
}

/** How many mails are sent at the same time. */
export const MAX_CONNECTIONS = 5;
const MAX_MAILS_PER_CONNECTION = 100;
/**
 * The shortest time from the begin of a mail to that of the next one: 20 mails a second. The picture of a
 * mail takes about 5 ms of the processor, so mails use a tenth of its time and do not slow requests down.
 */
const INTERVAL_MS = 50;
/** How long the server may say nothing. */
const SILENCE_MS = 30_000;
/** How long an attempt may take in all. */
export const ATTEMPT_MS = 50_000;
/** How long an attempt may still take when the process stops. */
const STOP_MS = 5_000;
const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** Sends mails over SMTP. Its connections stay open for the next mails. */
export function createSmtpTransport(
  { host, port, isTls, user, password }: SmtpServer,
  { silenceMs = SILENCE_MS, attemptMs = ATTEMPT_MS } = {},
): MailTransport {
  const isLocal = LOCAL_HOST.test(host);
  const transporter = createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxMessages: MAX_MAILS_PER_CONNECTION,
    // If the server has closed a connection that was open for long, the mail is sent on a new one. All other
    // retries are those of the service.
    maxRequeues: 1,
    host,
    port,
    secure: isTls,
    // A password is never sent without TLS, but to this machine.
    requireTLS: !isTls && !isLocal && password !== null,
    ignoreTLS: !isTls && isLocal,
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    dnsTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    withConnection: createThrottle(MAX_CONNECTIONS, INTERVAL_MS),
    send: async (mail, signal) => {
      const { promise: isLate, reject } = Promise.withResolvers<never>();
      const giveUp = () => reject(new Error('the mail server is too slow'));
      const timers = [setTimeout(giveUp, attemptMs)];
      const stop = () => timers.push(setTimeout(giveUp, STOP_MS));
      signal?.addEventListener('abort', stop);
      try {
        await Promise.race([transporter.sendMail(toMessage(mail)), isLate]);
        return { kind: 'sent' };
      } catch (error) {
        return classifyError(error);
      } finally {
        signal?.removeEventListener('abort', stop);
        for (const timer of timers) clearTimeout(timer);
      }
    },
    close: async () => transporter.close(),
  };
}

/**
 * Returns a function that lets at most `max` calls run at the same time, and begins one in `intervalMs`. The
 * others wait.
 */
export function createThrottle(max: number, intervalMs = 0): MailTransport['withConnection'] {
  const waiting: (() => void)[] = [];
  let running = 0;
  let nextMs = 0;
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      const nowMs = performance.now();
      const beginMs = Math.max(nowMs, nextMs);
      nextMs = beginMs + intervalMs;
      if (beginMs > nowMs) await wait(beginMs - nowMs);
      return await work();
    } finally {
      // The place passes to the next, so the number of those that run does not change.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Returns a mail as nodemailer expects it. */
export function toMessage(mail: OutgoingMail): MailOptions {
  const { mailId, from, to, subject, text, html, picture, unsubscribeUrl } = mail;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    messageId: `<${mailId}@${domain}>`,
    from: toHeaderMailbox(from),
    to: toHeaderMailbox(to),
    subject: toHeaderText(subject),
    text,
    html,
    attachments:
      picture === null
        ? []
        : [
            {
              filename: `badge.${picture.contentType.split('/')[1]}`,
              content: picture.content,
              contentType: picture.contentType,
              contentDisposition: 'inline',
              cid: PICTURE_CID,
            },
          ],
    headers: {
      // RFC 3834: nobody shall answer automatically.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(unsubscribeUrl === null ? {} : unsubscribeHeaders(unsubscribeUrl)),
    },
  };
}

/** Returns a mailbox whose name is safe in a header. */
export function toHeaderMailbox({ name, address }: Mailbox): Mailbox {
  return { name: toHeaderText(name), address };
}

// RFC 8058 needs https.
function unsubscribeHeaders(url: string) {
  return {
    'List-Unsubscribe': { prepared: true, value: `<${url}>` },
    ...(url.startsWith('https:') ? { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}),
  };
}

interface SmtpError {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
  message: string;
}

// The address, or the text of the mail, was refused.
const COMMANDS_OF_THE_MAIL = ['RCPT TO', 'DATA'];
const BUSY = 421;

/** Says what an error of nodemailer means. */
export function classifyError(error: unknown): MailResult {
  const { command = '', response, responseCode = 0, code, message } = error as SmtpError;
  const words = response ?? `${code === undefined ? '' : `${code}: `}${message}`;
  const isAboutMail = COMMANDS_OF_THE_MAIL.includes(command) && responseCode >= 400;
  if (!isAboutMail && responseCode !== BUSY) return { kind: 'unavailable', words };
  if (responseCode >= 500) return { kind: 'refused', words };
  return { kind: 'deferred', words, isServerBusy: responseCode === BUSY };
}

const MAX_WORDS = 300;
const ADDRESS = /[^\s<>()[\]"',;:]+@[^\s<>()[\]"',;:]+/g;
// A part of this length can be a usual word.
const MIN_HIDDEN_CHARACTERS = 3;

/** Returns what a server said, in one short line without e-mail addresses and without the given texts. */
export function quoteServer(words: string, hidden: string[]): string {
  const withoutTexts = hidden
    .filter((text) => text.length >= MIN_HIDDEN_CHARACTERS)
    .reduce((text, one) => text.replaceAll(new RegExp(escapePattern(one), 'gi'), '…'), words);
  return toLine(withoutTexts.replaceAll(ADDRESS, '…'), MAX_WORDS);
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
