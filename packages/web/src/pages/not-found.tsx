import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { usePageTitle } from '../page-title.ts';

interface NotFoundPageProps {
  title?: string;
  children?: ReactNode;
  /** A button for what the visitor looks for. By default it leads to the home page. */
  action?: ReactNode;
}

/**
 * The page for a path that leads to nothing. `title` and `children` say more, for example that there is no
 * such badge.
 */
export function NotFoundPage({ title, children, action }: NotFoundPageProps) {
  const { t } = useTranslation();
  const heading = title ?? t('notFound.title');
  usePageTitle(heading);
  return (
    <EmptyState
      isPage
      title={heading}
      actions={
        action ?? (
          <ButtonLink variant="primary" href="/">
            {t('notFound.home')}
          </ButtonLink>
        )
      }
    >
      {children ?? <p>{t('notFound.text')}</p>}
    </EmptyState>
  );
}
