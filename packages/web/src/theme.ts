import { useSyncExternalStore } from 'react';
import { writeStored } from './browser-storage.ts';

export type Theme = 'light' | 'dark';

// public/theme.js also uses this name, to apply the stored theme when a page is loaded.
const STORED_AS = 'badge.theme';
const systemPrefersDark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** The current theme, and a function that switches to the other one. */
export function useTheme(): { theme: Theme; switchTheme: () => void } {
  const theme = useSyncExternalStore(subscribe, readTheme);
  return { theme, switchTheme: () => chooseTheme(theme === 'dark' ? 'light' : 'dark') };
}

function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return systemTheme();
}

function systemTheme(): Theme {
  return systemPrefersDark.matches ? 'dark' : 'light';
}

function chooseTheme(theme: Theme): void {
  // If the system has the chosen theme, nothing is stored, so that the page follows the system again.
  if (theme === systemTheme()) {
    delete document.documentElement.dataset.theme;
    writeStored(STORED_AS, null);
  } else {
    document.documentElement.dataset.theme = theme;
    writeStored(STORED_AS, theme);
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  systemPrefersDark.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    systemPrefersDark.removeEventListener('change', listener);
  };
}
