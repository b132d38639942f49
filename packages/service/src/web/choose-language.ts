import { MAIL_LANGUAGES, type MailLanguage } from '@badge/protocol';

/** The languages of the pages that the service writes itself. They are those of the mails. */
export type PageLanguage = MailLanguage;

const DIRECTIONS: Record<PageLanguage, 'ltr' | 'rtl'> = { en: 'ltr', es: 'ltr', ar: 'rtl' };

export function directionOf(language: PageLanguage): 'ltr' | 'rtl' {
  return DIRECTIONS[language];
}

/**
 * Chooses the language of a page: that in its URL, otherwise the first language of the visitor that the
 * service has, such as `es` for `es-MX`. English if there is none.
 */
export function chooseLanguage(inUrl: unknown, acceptLanguage: string | undefined): PageLanguage {
  const preferred = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ quality }) => quality > 0)
    // The sort is stable, so languages of the same quality keep their order.
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag.toLowerCase().split('-')[0]);
  return [inUrl, ...preferred].map(toLanguage).find((language) => language !== undefined) ?? 'en';
}

function toLanguage(code: unknown): PageLanguage | undefined {
  return MAIL_LANGUAGES.find((language) => language === code);
}
