import type { CustomAttribute } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { FactList } from '../../design/fact-list.tsx';
import { useFormats } from '../../formats.ts';
import { findLocale } from '../../i18n/languages.ts';
import styles from './badge-page.module.css';

/** The custom attributes of a badge. */
export function AttributeList({ attributes }: { attributes: readonly CustomAttribute[] }) {
  const { t, i18n } = useTranslation();
  const { attributeDate } = useFormats();

  function format({ type, value }: CustomAttribute): string {
    switch (type) {
      case 'number':
        return formatNumber(Number(value));
      case 'boolean':
        return value === true ? t('badge.yes') : t('badge.no');
      case 'date':
        return attributeDate(typeof value === 'string' ? value : Number(value));
      default:
        return String(value);
    }
  }

  function formatNumber(value: number): string {
    // Without rounding. Also without separators, because a number can be a year.
    const options = { maximumFractionDigits: 20, useGrouping: false };
    return new Intl.NumberFormat(findLocale(i18n.language), options).format(value);
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
