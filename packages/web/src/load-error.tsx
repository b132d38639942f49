import { BadgeApiError, BadgeConnectionError } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Button } from './design/button.tsx';
import { EmptyState } from './design/empty-state.tsx';
import { Notice } from './design/notice.tsx';

interface LoadErrorProps {
  error: unknown;
  onRetry: () => void;
  /** Whether the page can show nothing else. Then the error is the heading of the page. */
  isPage?: boolean;
}

/** What a page shows if something could not be read from the service. */
export function LoadError({ error, onRetry, isPage = false }: LoadErrorProps) {
  const { t } = useTranslation();
  const cause = nameCause(error);
  if (isPage) {
    return (
      <div role="alert">
        <EmptyState
          isPage
          title={t(`errors.${cause}.title`)}
          actions={
            <Button variant="primary" onClick={onRetry}>
              {t('errors.retry')}
            </Button>
          }
        >
          <p>{t(`errors.${cause}.text`)}</p>
        </EmptyState>
      </div>
    );
  }
  return (
    <Notice
      tone="error"
      isLive
      title={t(`errors.${cause}.title`)}
      actions={<Button onClick={onRetry}>{t('errors.retry')}</Button>}
    >
      {t(`errors.${cause}.text`)}
    </Notice>
  );
}

function nameCause(error: unknown): 'offline' | 'busy' | 'unexpected' {
  if (error instanceof BadgeConnectionError) return 'offline';
  if (error instanceof BadgeApiError && [429, 503].includes(error.status)) return 'busy';
  return 'unexpected';
}
