import { useTranslation } from 'react-i18next';
import { usePageTitle } from '../../page-title.ts';

export default function BadgesPage() {
  const { t } = useTranslation('console');
  usePageTitle(t('badges.title'));
  return <h1>{t('badges.title')}</h1>;
}
