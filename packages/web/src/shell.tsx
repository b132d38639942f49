import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { Button } from './design/button.tsx';
import { GlobeIcon, MoonIcon, SunIcon } from './design/icons.tsx';
import { switchLanguage } from './i18n/index.ts';
import { isLanguageCode, LANGUAGES } from './i18n/languages.ts';
import styles from './shell.module.css';
import { useTheme } from './theme.ts';

/** What all pages have: skip link, header and footer. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const mainRef = useFocusAfterNavigation();

  return (
    <div className={styles.shell}>
      {/* A button, because a link to `#main` would replace the code in the fragment of a claim page. */}
      <button type="button" className={styles.skipLink} onClick={() => mainRef.current?.focus()}>
        {t('shell.skip')}
      </button>
      <header className={styles.header}>
        <Link href="/" className={styles.brand}>
          <img src="/favicon.svg" alt="" width={32} height={32} />
          Badge
        </Link>
        <div className={styles.controls}>
          <LanguageSelect />
          <ThemeButton />
        </div>
      </header>
      <main id="main" ref={mainRef} tabIndex={-1} className={styles.main}>
        {children}
      </main>
      <footer className={styles.footer}>
        <p>{t('shell.tagline')}</p>
        <nav aria-label={t('shell.footer')}>
          <ul className={`plain-list ${styles.links}`}>
            <li>
              <Link href="/">{t('shell.home')}</Link>
            </li>
            <li>
              <a href="/docs" hrefLang="en">
                {t('shell.apiReference')}
              </a>
            </li>
          </ul>
        </nav>
      </footer>
    </div>
  );
}

/**
 * Returns the ref of `main`. After a change of the page, screen readers and the keyboard continue at its
 * beginning. A browser does this by itself only when it loads a page.
 */
export function useFocusAfterNavigation(): RefObject<HTMLElement | null> {
  const mainRef = useRef<HTMLElement>(null);
  const [path] = useLocation();
  const lastPathRef = useRef(path);
  // A layout effect runs before the effects of the new page, which can then move the focus elsewhere.
  useLayoutEffect(() => {
    if (lastPathRef.current === path) return;
    lastPathRef.current = path;
    window.scrollTo({ top: 0, behavior: 'instant' });
    mainRef.current?.focus();
  }, [path]);
  return mainRef;
}

export function LanguageSelect() {
  const { t, i18n } = useTranslation();
  function choose(code: string): void {
    // If the messages cannot be loaded, the page stays in its language.
    if (isLanguageCode(code)) switchLanguage(code).catch(() => {});
  }
  return (
    <span className={styles.language}>
      <GlobeIcon />
      <select
        aria-label={t('shell.language')}
        value={i18n.language}
        onChange={(event) => choose(event.target.value)}
      >
        {Object.entries(LANGUAGES).map(([code, { name }]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

export function ThemeButton() {
  const { t } = useTranslation();
  const { theme, switchTheme } = useTheme();
  const label = theme === 'dark' ? t('shell.toLight') : t('shell.toDark');
  return (
    <Button variant="quiet" isIcon aria-label={label} title={label} onClick={switchTheme}>
      {theme === 'dark' ? <SunIcon /> : <MoonIcon />}
    </Button>
  );
}
