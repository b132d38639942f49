import { useTranslation } from 'react-i18next';
import { usePageTitle } from '../../page-title.ts';

export default function SettingsPage() {
  const { t } = useTranslation('console');
  usePageTitle(t('frame.settings'));
  return <h1>{t('frame.settings')}</h1>;
}
