import { expect, test } from 'vitest';
import consoleAr from '../console/i18n/ar.json';
import consoleEn from '../console/i18n/en.json';
import consoleEs from '../console/i18n/es.json';
import showAr from '../pages/badge/i18n/ar.json';
import showEn from '../pages/badge/i18n/en.json';
import showEs from '../pages/badge/i18n/es.json';
import myBadgesAr from '../pages/my-badges/i18n/ar.json';
import myBadgesEn from '../pages/my-badges/i18n/en.json';
import myBadgesEs from '../pages/my-badges/i18n/es.json';
import printAr from '../pages/print/i18n/ar.json';
import printEn from '../pages/print/i18n/en.json';
import printEs from '../pages/print/i18n/es.json';
import reserveAr from '../pages/reserve/i18n/ar.json';
import reserveEn from '../pages/reserve/i18n/en.json';
import reserveEs from '../pages/reserve/i18n/es.json';
import verifyAr from '../pages/verify/i18n/ar.json';
import verifyEn from '../pages/verify/i18n/en.json';
import verifyEs from '../pages/verify/i18n/es.json';
import codeAr from '../sign-in/i18n/ar.json';
import codeEn from '../sign-in/i18n/en.json';
import codeEs from '../sign-in/i18n/es.json';
import { chooseLanguage, type LanguageCode } from './languages.ts';
import ar from './messages/ar.json';
import en from './messages/en.json';
import es from './messages/es.json';

const PLURAL_SUFFIX = /_(zero|one|two|few|many|other)$/;
// Those of the console and of some pages are in files of their own.
const messages: Record<LanguageCode, Map<string, string>> = {
  en: flatten({
    ...en,
    code: codeEn,
    console: consoleEn,
    myBadges: myBadgesEn,
    print: printEn,
    reserve: reserveEn,
    show: showEn,
    verify: verifyEn,
  }),
  es: flatten({
    ...es,
    code: codeEs,
    console: consoleEs,
    myBadges: myBadgesEs,
    print: printEs,
    reserve: reserveEs,
    show: showEs,
    verify: verifyEs,
  }),
  ar: flatten({
    ...ar,
    code: codeAr,
    console: consoleAr,
    myBadges: myBadgesAr,
    print: printAr,
    reserve: reserveAr,
    show: showAr,
    verify: verifyAr,
  }),
};
const ALL = Object.keys(messages) as LanguageCode[];
const OTHERS = ALL.filter((language) => language !== 'en');

test.for(OTHERS)('%s has the same messages as English', (language) => {
  expect(namesOf(messages[language])).toEqual(namesOf(messages.en));
});

test.for(ALL)('%s has every plural form of its language', (language) => {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const plurals = [...messages[language].keys()].filter((key) => PLURAL_SUFFIX.test(key));
  for (const name of new Set(plurals.map((key) => key.replace(PLURAL_SUFFIX, '')))) {
    expect(plurals.filter((key) => key.replace(PLURAL_SUFFIX, '') === name).sort()).toEqual(
      forms.map((form) => `${name}_${form}`).sort(),
    );
  }
});

test.for(OTHERS)('%s uses only the placeholders of English', (language) => {
  const englishByName = Map.groupBy(messages.en, ([key]) => key.replace(PLURAL_SUFFIX, ''));
  for (const [key, text] of messages[language]) {
    const english = englishByName.get(key.replace(PLURAL_SUFFIX, '')) ?? [];
    const known = english.flatMap(([, englishText]) => placeholdersOf(englishText));
    for (const placeholder of placeholdersOf(text)) expect(known, key).toContain(placeholder);
  }
});

// `Trans` would look for placeholders in the value, again and again. So a value is the content of an element.
test.for(ALL)('%s has no message with both elements and placeholders', (language) => {
  for (const [key, text] of messages[language]) {
    expect(/<\w+ ?\/?>/.test(text) && text.includes('{{'), key).toBe(false);
  }
});

test.for([
  [['es-MX', 'en'], 'es'],
  [['fr-FR', 'ar-EG', 'en'], 'ar'],
  [[null, 'EN-us'], 'en'],
  [['fr', 'de'], 'en'],
  [[], 'en'],
] as const)('chooseLanguage(%j) is %s', ([preferred, expected]) => {
  expect(chooseLanguage(preferred)).toBe(expected);
});

function flatten(messages: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(messages).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[`${prefix}${key}`, value] as const]
        : [...flatten(value, `${prefix}${key}.`)],
    ),
  );
}

function namesOf(flat: Map<string, string>): string[] {
  return [...new Set([...flat.keys()].map((key) => key.replace(PLURAL_SUFFIX, '')))].sort();
}

function placeholdersOf(text: string): string[] {
  return text.match(/\{\{[^}]+\}\}|<\/?\w+ ?\/?>/g) ?? [];
}
