import type { Messages } from '../../i18n/index.ts';
import en from './i18n/en.json';

/** The messages of the print page. The other pages do not load them. */
export const PRINT_MESSAGES: Messages = {
  namespace: 'print',
  en,
  load: { es: () => import('./i18n/es.json'), ar: () => import('./i18n/ar.json') },
};
