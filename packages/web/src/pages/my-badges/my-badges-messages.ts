import type { Messages } from '../../i18n/index.ts';
import en from './i18n/en.json';

/** The messages of the pages `/sign-in` and `/my-badges`. No other page loads them. */
export const MY_BADGES_MESSAGES: Messages = {
  namespace: 'myBadges',
  en,
  load: { es: () => import('./i18n/es.json'), ar: () => import('./i18n/ar.json') },
};
