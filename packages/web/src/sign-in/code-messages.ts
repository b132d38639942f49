import type { Messages } from '../i18n/index.ts';
import en from './i18n/en.json';

/** The messages of the form for the code of a mail. They are loaded with it. */
export const CODE_MESSAGES: Messages = {
  namespace: 'code',
  en,
  load: { es: () => import('./i18n/es.json'), ar: () => import('./i18n/ar.json') },
};
