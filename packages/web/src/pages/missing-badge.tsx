import { useTranslation } from 'react-i18next';
import { NotFoundPage } from './not-found.tsx';

/** Says that there is no badge with the number in the address of the page. */
export function MissingBadge() {
  const { t } = useTranslation();
  return (
    <NotFoundPage title={t('badge.missing.title')}>
      <p>{t('badge.missing.text')}</p>
    </NotFoundPage>
  );
}
