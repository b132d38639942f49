import type { Invitation } from '@badge/sdk';

/** The languages of the mails. */
export const MAIL_LANGUAGES = ['en', 'es', 'ar'] as const satisfies readonly Invitation['language'][];
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** How the languages are called in each of them, without accents. */
const NAMES: Record<string, MailLanguage> = {
  english: 'en',
  ingles: 'en',
  الانجليزية: 'en',
  انجليزي: 'en',
  spanish: 'es',
  espanol: 'es',
  castellano: 'es',
  الاسبانية: 'es',
  اسباني: 'es',
  arabic: 'ar',
  arabe: 'ar',
  العربية: 'ar',
  عربي: 'ar',
};

/**
 * Reads a language as a spreadsheet names it, such as `es`, `es-MX` or `Spanish`. Null if the mails do not
 * have it.
 */
export function readMailLanguage(text: string): MailLanguage | null {
  const name = text.trim().normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const [code] = name.split(/[-_]/);
  return MAIL_LANGUAGES.find((language) => language === code) ?? NAMES[name] ?? null;
}
