import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import frameStyles from '../shell.module.css';
import { LanguageSelect, ThemeButton, useFocusAfterNavigation } from '../shell.tsx';

/** What all pages of the console have: skip link, header, navigation and footer. */
export function ConsoleFrame({ navigation, children }: { navigation?: ReactNode; children: ReactNode }) {
  const { t } = useTranslation(['console', 'translation']);
  const mainRef = useFocusAfterNavigation();
  return (
    <div className={frameStyles.shell}>
      <button type="button" className={frameStyles.skipLink} onClick={() => mainRef.current?.focus()}>
        {t('translation:shell.skip')}
      </button>
      <header>
        <div className={frameStyles.header}>
          {/* Not a link of the router, because it leads to the other pages. */}
          <a href="/" className={frameStyles.brand}>
            <img src="/favicon.svg" alt="" width={32} height={32} />
            Badge
          </a>
          <div className={frameStyles.controls}>
            <LanguageSelect />
            <ThemeButton />
          </div>
        </div>
        {navigation}
      </header>
      <main ref={mainRef} tabIndex={-1} className={frameStyles.main}>
        {children}
      </main>
      <footer className={frameStyles.footer}>
        <p>{t('frame.tagline')}</p>
        <nav aria-label={t('translation:shell.footer')}>
          <ul className={`plain-list ${frameStyles.links}`}>
            <li>
              <a href="/">{t('translation:shell.home')}</a>
            </li>
            <li>
              <a href="/docs" hrefLang="en">
                {t('translation:shell.apiReference')}
              </a>
            </li>
          </ul>
        </nav>
      </footer>
    </div>
  );
}
