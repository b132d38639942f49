import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { findStored, writeStored } from '../browser-storage.ts';
import type consoleEn from '../console/i18n/en.json';
import type showEn from '../pages/badge/i18n/en.json';
import type myBadgesEn from '../pages/my-badges/i18n/en.json';
import type printEn from '../pages/print/i18n/en.json';
import type reserveEn from '../pages/reserve/i18n/en.json';
import type verifyEn from '../pages/verify/i18n/en.json';
import type codeEn from '../sign-in/i18n/en.json';
import { chooseLanguage, findLocale, isLanguageCode, LANGUAGES, type LanguageCode } from './languages.ts';
import en from './messages/en.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: {
      translation: typeof en;
      code: typeof codeEn;
      console: typeof consoleEn;
      myBadges: typeof myBadgesEn;
      print: typeof printEn;
      reserve: typeof reserveEn;
      show: typeof showEn;
      verify: typeof verifyEn;
    };
  }
}

/**
 * The messages of a part of the pages. English is part of the first script, because it also replaces missing
 * messages.
 */
export interface Messages {
  namespace: string;
  en: object;
  load: Record<Exclude<LanguageCode, 'en'>, () => Promise<{ default: object }>>;
}

const STORED_AS = 'badge.language';
const allMessages: Messages[] = [
  {
    namespace: 'translation',
    en,
    load: { es: () => import('./messages/es.json'), ar: () => import('./messages/ar.json') },
  },
];

/**
 * Starts with the stored language. If none is stored, starts with the visitor's first language that the pages
 * have. The console has further messages, which the other pages do not load.
 */
export async function startI18n(...further: Messages[]): Promise<void> {
  allMessages.push(...further);
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: {
      en: Object.fromEntries(allMessages.map(({ namespace, en: messages }) => [namespace, messages])),
    },
    // React escapes all values.
    interpolation: { escapeValue: false },
  });
  // Numbers in messages have the same digits as dates.
  i18next.services.formatter?.addCached('number', (language, options) => {
    const { format } = new Intl.NumberFormat(findLocale(language ?? 'en'), options);
    return (value) => format(value);
  });
  await applyLanguage(chooseLanguage([findStored(STORED_AS), ...navigator.languages])).catch(() => {
    // The messages could not be loaded. The page is shown in English.
  });
}

/**
 * Adds the messages of a page that few people open. If they cannot be loaded, the page is shown in English.
 */
export async function addMessages(messages: Messages): Promise<void> {
  if (i18next.hasResourceBundle('en', messages.namespace)) return;
  allMessages.push(messages);
  i18next.addResourceBundle('en', messages.namespace, messages.en);
  const { language } = i18next;
  if (!isLanguageCode(language) || language === 'en') return;
  await loadMessages(language).catch(() => undefined);
}

/** Switches the language of all pages, and remembers it in this browser. */
export async function switchLanguage(language: LanguageCode): Promise<void> {
  await applyLanguage(language);
  writeStored(STORED_AS, language);
}

async function applyLanguage(language: LanguageCode): Promise<void> {
  if (language !== 'en') await loadMessages(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  document.documentElement.dir = LANGUAGES[language].direction;
}

async function loadMessages(language: Exclude<LanguageCode, 'en'>): Promise<void> {
  const missing = allMessages.filter(({ namespace }) => !i18next.hasResourceBundle(language, namespace));
  await Promise.all(
    missing.map(async ({ namespace, load }) => {
      const messages = await load[language]();
      i18next.addResourceBundle(language, namespace, messages.default);
    }),
  );
}
