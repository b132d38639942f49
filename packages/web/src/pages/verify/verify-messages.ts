import type { Messages } from '../../i18n/index.ts';
import en from './i18n/en.json';

/** The messages of this page. The other pages do not load them. */
export const VERIFY_MESSAGES: Messages = {
  namespace: 'verify',
  en,
  load: { es: () => import('./i18n/es.json'), ar: () => import('./i18n/ar.json') },
};
