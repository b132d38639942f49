import type { MailLanguage } from '@badge/protocol';
import { MAIL_TEXTS, type MailNames } from './mail-texts.ts';
import type { Mailbox } from './mailbox.ts';
import { escapeHtml, toLine, toLines } from './plain-text.ts';

/** The Content-ID of the picture, by which the HTML part refers to it. */
export const PICTURE_CID = 'badge@picture';
const PICTURE_PIXELS = 200;
const NAME_CHARACTERS = 80;
const SUBJECT_CHARACTERS = 150;

export interface ComposedMail {
  subject: string;
  text: string;
  html: string;
}

/** What a mail says. The texts can contain any characters. */
export interface MailContent {
  language: MailLanguage;
  /** The name of the person. */
  name: string | null;
  community: string;
  headline: string;
  /** What the organiser writes. */
  message: string | null;
  /** Where the button leads. */
  url: string;
  /** The code to type, if the mail has one. The subject and the preview, which others see, do not have it. */
  code?: string;
  /** The shortened address on the allowlist that the mail is for; null for other mails. */
  wallet: string | null;
  /** When the person was invited, if the mail reminds of that. */
  invitedAt: Date | null;
  /** From when the badge can be claimed; null if it can be already. */
  claimableFrom: Date | null;
  /** When the badge can no longer be claimed with this mail; of an expiryReminder, when it ends. */
  expiresAt: Date | null;
  /** The IANA time zone in which it is written. Null, or one that is not known here: UTC. */
  timeZone: string | null;
  /** The URL of the service. */
  publicUrl: string;
  /** Null if the receiver has asked for the mail. */
  unsubscribeUrl: string | null;
}

/** What a mail leaves out that is about no token and that its receiver has asked for. */
export const NO_TOKEN = {
  name: null,
  headline: '',
  message: null,
  wallet: null,
  invitedAt: null,
  claimableFrom: null,
  expiresAt: null,
  timeZone: null,
  unsubscribeUrl: null,
} satisfies Partial<MailContent>;

/** Which mail it is. */
export type MailKind =
  | 'invitation'
  | 'listed'
  | 'confirmation'
  | 'keptConfirmation'
  | 'reservation'
  | 'reminder'
  | 'listedReminder'
  | 'expiryReminder'
  | 'resubscription'
  | 'signIn';

const SAME_TITLES = {
  listed: 'invitation',
  listedReminder: 'reminder',
  keptConfirmation: 'confirmation',
} as Record<MailKind, Exclude<MailKind, 'listed' | 'listedReminder' | 'keptConfirmation'>>;

/** Writes a mail: its subject, and its parts as text and as HTML. */
export function composeMail(kind: MailKind, content: MailContent): ComposedMail {
  const { language } = content;
  const texts = MAIL_TEXTS[language];
  const day = (date: Date | null) =>
    date === null ? '' : createFormat(texts.locale, content.timeZone)(date, DAY);
  const names: MailNames = {
    community: toLine(content.community, NAME_CHARACTERS),
    headline: toLine(content.headline),
    host: new URL(content.publicUrl).host,
    invited: day(content.invitedAt),
    end: content.expiresAt === null ? '' : formatEnd(texts.locale, content.expiresAt, content.timeZone),
    wallet: content.wallet === null ? '' : `\u2066${content.wallet}\u2069`,
  };
  const name = content.name === null ? null : toLine(content.name, NAME_CHARACTERS) || null;
  // A mail for a wallet on the list says the same, and with which wallet.
  const { subject, title, button, lead } = { ...texts[SAME_TITLES[kind] ?? kind], ...texts[kind] };
  const parts: MailParts = {
    language,
    subject: toLine(subject(names), SUBJECT_CHARACTERS),
    title: title(names),
    hello: texts.hello(name),
    lead: lead(names),
    code: content.code ?? null,
    quote: toQuote(content.message, texts.writes(names)),
    button: { label: button, url: content.url },
    notes: listNotes(kind, content, names),
    // A mail about no token has no picture.
    pictureText: kind === 'resubscription' || kind === 'signIn' ? null : names.headline,
    openAddress: texts.openAddress,
    whySent: writeReason(kind, content, names),
    unsubscribe:
      content.unsubscribeUrl === null
        ? null
        : { label: texts.unsubscribe(names), url: content.unsubscribeUrl },
  };
  return { subject: parts.subject, text: toText(parts), html: toHtml(parts) };
}

// In a name, these could look like the address of somebody else.
const SIGNS_OF_ADDRESSES = /[@＠﹫<>＜＞﹤﹥"＂]/g;
const SENDER_CHARACTERS = 60;

/**
 * The sender of a community's mails: its name, and the name of the service, with the service's address. Null:
 * the service itself.
 */
export function toSender({ name, address }: Mailbox, community: string | null, publicUrl: string): Mailbox {
  if (community === null) return { name: name || new URL(publicUrl).host, address };
  const shown = toLine(community.replaceAll(SIGNS_OF_ADDRESSES, ' '), SENDER_CHARACTERS);
  return { name: `${shown} via ${name || new URL(publicUrl).host}`, address };
}

function toQuote(message: string | null, before: string): MailParts['quote'] {
  return message === null || message.trim() === '' ? null : { before, lines: toLines(message) };
}

function listNotes(
  kind: MailKind,
  { language, claimableFrom, expiresAt, timeZone }: MailContent,
  names: MailNames,
): string[] {
  const texts = MAIL_TEXTS[language];
  const end = [
    ...(claimableFrom === null ? [] : [texts.from(formatTime(texts.locale, claimableFrom, timeZone))]),
    ...(expiresAt === null ? [] : [texts.until(formatEnd(texts.locale, expiresAt, timeZone))]),
  ];
  switch (kind) {
    case 'invitation':
    case 'reminder':
      return [...end, `${texts.whatItIs} ${texts.thePage}`, texts.personal];
    case 'expiryReminder':
      return [texts.expiryReminder.note];
    case 'listed':
    case 'listedReminder':
      return [...end, texts.whatItIs, texts.listed.note];
    case 'confirmation':
    case 'keptConfirmation':
      return [texts.confirmation.hour, texts.confirmation.seen(names)];
    case 'resubscription':
      return [texts.resubscription.hour];
    case 'signIn':
      return [texts.signIn.note];
    case 'reservation':
      return [...end, texts.reservation.wallet, texts.personal];
  }
}

function writeReason(kind: MailKind, { language }: MailContent, names: MailNames): string {
  const texts = MAIL_TEXTS[language];
  switch (kind) {
    case 'invitation':
    case 'listed':
      return texts.whySent(names);
    case 'reminder':
    case 'listedReminder':
      return texts.reminder.whySent(names);
    case 'expiryReminder':
      return texts.expiryReminder.whySent(names);
    case 'confirmation':
    case 'keptConfirmation':
    case 'resubscription':
    case 'signIn':
      return texts.confirmation.ignore;
    case 'reservation':
      return texts.reservation.whySent(names);
  }
}

interface MailParts {
  language: MailLanguage;
  subject: string;
  title: string;
  hello: string;
  lead: string;
  code: string | null;
  quote: { before: string; lines: string[] } | null;
  button: { label: string; url: string };
  notes: string[];
  pictureText: string | null;
  openAddress: string;
  whySent: string;
  unsubscribe: { label: string; url: string } | null;
}

const DAY = { year: 'numeric', month: 'long', day: 'numeric' } as const;
const TIME = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;

/**
 * The end of a day, in the time zone, is written as this day. Any other time is written with the name of its
 * time zone.
 */
function formatEnd(locale: string, end: Date, timeZone: string | null): string {
  const format = createFormat(locale, timeZone);
  const day = format(new Date(end.getTime() - 1), DAY);
  return format(end, DAY) === day ? format(end, { ...DAY, ...TIME }) : day;
}

function formatTime(locale: string, time: Date, timeZone: string | null): string {
  return createFormat(locale, timeZone)(time, { ...DAY, ...TIME });
}

function createFormat(locale: string, timeZone: string | null) {
  const zone = timeZone !== null && isKnownTimeZone(timeZone) ? timeZone : 'UTC';
  // Latin digits in all languages, as on the web pages.
  return (date: Date, parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(`${locale}-u-nu-latn`, { ...parts, timeZone: zone }).format(date);
}

function isKnownTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

function toText(parts: MailParts): string {
  const { title, hello, lead, code, quote, button, notes, whySent, unsubscribe } = parts;
  return [
    title,
    hello,
    lead,
    ...(code === null ? [] : [code]),
    ...(quote === null ? [] : [quote.before, quote.lines.map((line) => `> ${line}`.trimEnd()).join('\n')]),
    `${button.label}:\n${button.url}`,
    ...notes,
    // The line that separates a signature, which clients show in another way.
    `-- \n${whySent}`,
    ...(unsubscribe === null ? [] : [`${unsubscribe.label}:\n${unsubscribe.url}`]),
    '',
  ].join('\n\n');
}

const COLORS = {
  light: {
    ground: '#fbf8f4',
    surface: '#ffffff',
    line: '#e8dfd6',
    text: '#1f1613',
    muted: '#66594f',
    accent: '#b3301a',
    soft: '#f4eee7',
  },
  dark: {
    ground: '#14100e',
    surface: '#1e1916',
    line: '#382f29',
    text: '#f8f1ea',
    muted: '#bbaea4',
    accent: '#ff9a6b',
    soft: '#27211d',
  },
};
const { light, dark } = COLORS;
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans Arabic',Arial,sans-serif";

// Clients that know the preference for dark colours replace the inline ones. Others show the inline ones.
const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background: ${dark.ground} !important; }
  .card { background: ${dark.surface} !important; border-color: ${dark.line} !important; }
  .text { color: ${dark.text} !important; }
  .muted { color: ${dark.muted} !important; }
  .link { color: ${dark.accent} !important; }
  .quote { background: ${dark.soft} !important; border-color: ${dark.accent} !important; color: ${dark.text} !important; }
}`;

// Tables and inline styles, because some clients know nothing else.
function toHtml(parts: MailParts): string {
  const { language, title, hello, lead, code, quote, button, notes, unsubscribe } = parts;
  const { direction } = MAIL_TEXTS[language];
  const start = direction === 'rtl' ? 'right' : 'left';
  const paragraph = (html: string, style = `color:${light.text}`, className = 'text') =>
    `<p class="${className}" style="margin:0 0 16px;font-size:16px;line-height:1.5;${style}">${html}</p>`;
  const small = (html: string) =>
    paragraph(html, `color:${light.muted};font-size:14px;margin:0 0 12px`, 'muted');
  const url = escapeHtml(button.url);
  const content = [
    `<h1 class="text" style="margin:0 0 16px;font-size:24px;line-height:1.25;color:${light.text}">${escapeHtml(title)}</h1>`,
    paragraph(escapeHtml(hello)),
    paragraph(escapeHtml(lead)),
    ...(code === null
      ? []
      : [
          `<p class="text" dir="ltr" style="margin:0 0 20px;font-family:'SF Mono',Menlo,Consolas,monospace;font-size:30px;line-height:1.25;font-weight:700;letter-spacing:3px;text-align:${start};color:${light.text}">${escapeHtml(code)}</p>`,
        ]),
    ...(quote === null
      ? []
      : [
          paragraph(escapeHtml(quote.before)),
          `<blockquote class="quote" dir="auto" style="margin:0 0 20px;padding:12px 16px;border-${start}:4px solid ${light.accent};background:${light.soft};color:${light.text};font-size:16px;line-height:1.5">${quote.lines.map(escapeHtml).join('<br>')}</blockquote>`,
        ]),
    `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px"><tr><td bgcolor="#b3301a" style="border-radius:10px;background:#b3301a"><a href="${url}" style="display:inline-block;padding:14px 28px;color:#ffffff;font-size:17px;font-weight:600;text-decoration:none;border-radius:10px">${escapeHtml(button.label)}</a></td></tr></table>`,
    ...notes.map((note) => small(escapeHtml(note))),
    small(
      `${escapeHtml(parts.openAddress)}<br><a class="link" href="${url}" dir="ltr" style="color:${light.accent};word-break:break-all">${url}</a>`,
    ),
  ].join('\n');
  const footer = [
    small(escapeHtml(parts.whySent)),
    ...(unsubscribe === null
      ? []
      : [
          small(
            `<a class="link" href="${escapeHtml(unsubscribe.url)}" style="color:${light.accent}">${escapeHtml(unsubscribe.label)}</a>`,
          ),
        ]),
  ].join('\n');
  const picture =
    parts.pictureText === null
      ? ''
      : `<img src="cid:${PICTURE_CID}" width="${PICTURE_PIXELS}" height="${PICTURE_PIXELS}" alt="${escapeHtml(parts.pictureText)}" style="display:block;width:${PICTURE_PIXELS}px;height:auto;margin:0 auto 24px;border-radius:12px">\n`;
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(parts.subject)}</title>
<style>${STYLE}
</style>
</head>
<body class="ground" style="margin:0;padding:0;background:${light.ground}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(lead)}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${light.ground}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" dir="${direction}" style="max-width:560px;background:${light.surface};border:1px solid ${light.line};border-radius:16px;${FONT}"><tr><td align="${start}" style="padding:28px 24px;text-align:${start}">
${picture}${content}
</td></tr></table>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" dir="${direction}" style="max-width:560px;${FONT}"><tr><td align="${start}" style="padding:20px 24px;text-align:${start}">
${footer}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}
