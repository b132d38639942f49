import type { Invitation } from '@badge/sdk';

export type MailLanguage = Invitation['language'];

/** How each language of the mails is called in the others, without accents. */
const NAMES: Record<MailLanguage, readonly string[]> = {
  en: ['english', 'ingles', 'الانجليزية', 'انجليزي'],
  es: ['spanish', 'espanol', 'castellano', 'الاسبانية', 'اسباني'],
  ar: ['arabic', 'arabe', 'العربية', 'عربي'],
};

/** The languages of the mails. */
export const MAIL_LANGUAGES = Object.keys(NAMES) as MailLanguage[];

/**
 * Reads a language as a spreadsheet names it, such as `es`, `es-MX` or `Spanish`. Null if the mails do not
 * have it.
 */
export function readMailLanguage(text: string): MailLanguage | null {
  const name = text.trim().normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const [code] = name.split(/[-_]/);
  return MAIL_LANGUAGES.find((language) => language === code || NAMES[language].includes(name)) ?? null;
}
