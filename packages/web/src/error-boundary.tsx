import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './design/button.tsx';
import { EmptyState } from './design/empty-state.tsx';

/**
 * Shows what to do if a page fails, for example because its script could not be loaded. React needs a class
 * here.
 */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <FailedPage /> : this.props.children;
  }
}

function FailedPage() {
  const { t } = useTranslation();
  return (
    <EmptyState
      isPage
      title={t('errors.page.title')}
      actions={
        <Button variant="primary" onClick={() => location.reload()}>
          {t('errors.reload')}
        </Button>
      }
    >
      <p>{t('errors.page.text')}</p>
    </EmptyState>
  );
}
