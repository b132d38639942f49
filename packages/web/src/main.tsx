import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { startI18n } from './i18n/index.ts';
import { keepPolicy } from './keep-policy.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element "root"');

await startI18n();
createRoot(root).render(
  <StrictMode>
    <Router aroundNav={keepPolicy}>
      <App />
    </Router>
  </StrictMode>,
);
