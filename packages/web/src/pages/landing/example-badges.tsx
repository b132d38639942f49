import { useTranslation } from 'react-i18next';
import { BadgePicture } from '../../design/badge-picture.tsx';
import styles from './example-badges.module.css';

// The first design is in front. On the others, a headline would be covered.
const DESIGNS = ['defaultOrangeRed', 'defaultCyanViolet', 'defaultGoldBlack'];

/**
 * Three built-in designs, the first with an example headline in the language of the page. Decoration only.
 */
export function ExampleBadges() {
  const { t } = useTranslation();
  return (
    <div className={styles.fan} aria-hidden="true">
      {DESIGNS.map((design, index) => (
        <div key={design} className={styles.badge}>
          <BadgePicture url={`/images/nft/${design}.png`} alt="" design={design} isMain />
          {index === 0 && <span className={styles.headline}>{t('landing.exampleHeadline')}</span>}
        </div>
      ))}
    </div>
  );
}
