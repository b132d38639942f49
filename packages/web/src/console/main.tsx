import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startI18n } from '../i18n/index.ts';
import { ConsoleApp } from './console-app.tsx';
import en from './i18n/en.json';
import { keepKeyFromUrl } from './session/key-in-url.ts';
import { otherTabs } from './session/other-tabs.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('console.html has no element "root"');

// Before anything else, so that the key is in the address bar only for a moment.
keepKeyFromUrl();
await Promise.all([
  otherTabs.signInAsOtherTab(),
  startI18n({
    namespace: 'console',
    en,
    load: { es: () => import('./i18n/es.json'), ar: () => import('./i18n/ar.json') },
  }),
]);
createRoot(root).render(
  <StrictMode>
    <ConsoleApp />
  </StrictMode>,
);
