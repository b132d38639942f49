import { BadgeApiError, BadgeConnectionError } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Button } from './design/button.tsx';
import { Notice } from './design/notice.tsx';

/** What a page shows if something could not be read from the service. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation();
  const cause = nameCause(error);
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
