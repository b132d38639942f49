import type { Messages } from '../../i18n/index.ts';
import en from './i18n/en.json';

/** The messages of the page to which the mail of a reservation leads. No other page loads them. */
export const RESERVE_MESSAGES: Messages = {
  namespace: 'reserve',
  en,
  load: { es: () => import('./i18n/es.json'), ar: () => import('./i18n/ar.json') },
};
