import type { Messages } from '../../i18n/index.ts';
import en from './i18n/en.json';

/**
 * The messages of `show-badge.tsx`. Only the page of a badge loads them, so that the claim page does not
 * grow.
 */
export const SHOW_MESSAGES: Messages = {
  namespace: 'show',
  en,
  load: { es: () => import('./i18n/es.json'), ar: () => import('./i18n/ar.json') },
};
