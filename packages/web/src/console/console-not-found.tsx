import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { usePageTitle } from '../page-title.ts';

/** What the console shows for a path without a page. */
export function ConsoleNotFound() {
  const { t } = useTranslation(['console', 'translation']);
  usePageTitle(t('translation:notFound.title'));
  return (
    <EmptyState
      isPage
      title={t('translation:notFound.title')}
      actions={
        <ButtonLink variant="primary" href="/">
          {t('frame.toBadges')}
        </ButtonLink>
      }
    >
      <p>{t('translation:notFound.text')}</p>
    </EmptyState>
  );
}
