import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { findStored, writeStored } from '../stored.ts';
import { chooseLanguage, LANGUAGES, type LanguageCode } from './languages.ts';
import en from './messages/en.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

const STORED_AS = 'badge.language';
// English is part of the first script, because it also replaces missing messages.
const LOAD_MESSAGES: Record<Exclude<LanguageCode, 'en'>, () => Promise<{ default: object }>> = {
  es: () => import('./messages/es.json'),
  ar: () => import('./messages/ar.json'),
};

/** Starts with the stored language. If none is stored, starts with the visitor's first language that the pages have. */
export async function startI18n(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    // React escapes all values.
    interpolation: { escapeValue: false },
  });
  await applyLanguage(chooseLanguage([findStored(STORED_AS), ...navigator.languages])).catch(() => {
    // The messages could not be loaded. The page is shown in English.
  });
}

/** Switches the language of all pages, and remembers it in this browser. */
export async function switchLanguage(language: LanguageCode): Promise<void> {
  await applyLanguage(language);
  writeStored(STORED_AS, language);
}

async function applyLanguage(language: LanguageCode): Promise<void> {
  if (language !== 'en' && !i18next.hasResourceBundle(language, 'translation')) {
    const messages = await LOAD_MESSAGES[language]();
    i18next.addResourceBundle(language, 'translation', messages.default);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  document.documentElement.dir = LANGUAGES[language].direction;
}
