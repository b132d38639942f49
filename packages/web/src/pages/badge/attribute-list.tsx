import type { CustomAttribute } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { FactList } from '../../design/fact-list.tsx';
import { useFormats } from '../../formats.ts';
import styles from './badge-page.module.css';

/** The custom attributes of a badge. */
export function AttributeList({ attributes }: { attributes: readonly CustomAttribute[] }) {
  const { t, i18n } = useTranslation();
  const { date, time } = useFormats();

  function format({ type, value }: CustomAttribute): string {
    // Without separators, because a number can be a year.
    if (type === 'number')
      return new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 20, useGrouping: false }).format(
        Number(value),
      );
    if (type === 'boolean') return value === true ? t('badge.yes') : t('badge.no');
    if (type !== 'date') return String(value);
    if (typeof value !== 'string') return time(Number(value));
    // A date without a time is a day, and not midnight UTC.
    return /^\d{4}-\d{2}-\d{2}$/.test(value) ? date(`${value}T12:00`) : time(value);
  }

  return (
    <section className={styles.section}>
      <h2>{t('badge.attributes')}</h2>
      <FactList
        facts={attributes.map((attribute) => ({
          label: attribute.fieldName,
          value: <bdi>{format(attribute)}</bdi>,
        }))}
      />
    </section>
  );
}
