import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';

/** In place of a page of a replaced badge, on which nothing can be done any more. */
export function Corrected({ to }: { to: string }) {
  const { t } = useTranslation('console');
  return (
    <EmptyState
      isPage
      title={t('badge.replaced')}
      actions={
        <ButtonLink variant="primary" href={to}>
          {t('badge.toReplacement')}
        </ButtonLink>
      }
    />
  );
}
