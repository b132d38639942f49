/**
 * The languages of the pages, by their code. `locale` is what Intl formats with: browsers differ in the
 * calendar and the digits that they choose for Arabic, so the pages choose them. Addresses and codes have
 * Latin digits in every language.
 */
export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr', locale: 'en' },
  es: { name: 'Español', direction: 'ltr', locale: 'es' },
  ar: { name: 'العربية', direction: 'rtl', locale: 'ar-u-ca-gregory-nu-latn' },
} as const;

export type LanguageCode = keyof typeof LANGUAGES;

/**
 * The first of the preferred languages that the pages have, such as `es` for `es-MX`; English if there is
 * none.
 */
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

/** The locale with which the pages write the dates and numbers of a language. */
export function findLocale(language: string): string {
  return isLanguageCode(language) ? LANGUAGES[language].locale : language;
}
