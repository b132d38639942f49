/** The languages of the pages, by their code. */
export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
} as const;

export type LanguageCode = keyof typeof LANGUAGES;

/** The first of the preferred languages that the pages have, such as `es` for `es-MX`; English if there is none. */
export function chooseLanguage(preferred: readonly (string | null)[]): LanguageCode {
  for (const tag of preferred) {
    const code = tag?.toLowerCase().split('-')[0];
    if (isLanguageCode(code)) return code;
  }
  return 'en';
}

export function isLanguageCode(code: string | undefined): code is LanguageCode {
  return code !== undefined && Object.hasOwn(LANGUAGES, code);
}
