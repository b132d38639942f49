import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Notice } from '../../design/notice.tsx';
import type { Fields } from './draft.ts';
import styles from './make-page.module.css';

const LABELS = {
  headline: 'make.headline',
  description: 'make.description',
  criteria: 'make.criteria',
  nftTypeId: 'make.design.legend',
  who: 'make.who.legend',
  count: 'make.who.count',
  links: 'make.links.legend',
  start: 'make.dates.start',
  end: 'make.dates.end',
  claimFrom: 'make.dates.claimFrom',
  claimUntil: 'make.dates.claimUntil',
  validUntil: 'make.dates.validUntil',
  validityDays: 'make.dates.validityDays',
  attributes: 'make.attributes.legend',
} as const satisfies Record<keyof Fields, string>;

/** Says which badge is corrected, who moves, and what they see. */
export function CorrectionNotice({ token }: { token: Token }) {
  const { t } = useTranslation('console');
  return (
    <Notice tone="info">
      <p>
        {t('make.correct.of')} <bdi>{token.headline}</bdi>
      </p>
      <p>{t('make.correct.people', { count: token.recipientCount })}</p>
      <p>{t('make.correct.see')}</p>
      <p>
        {t('make.correct.signer')} <Address value={token.createdByAddress} />
      </p>
    </Notice>
  );
}

interface ChangesProps {
  /** The names of the fields that differ. */
  changes: readonly (keyof Fields)[];
  /** The headline. */
  before: string;
  after: string;
}

/** Lists what a correction changes. */
export function Changes({ changes, before, after }: ChangesProps) {
  const { t } = useTranslation('console');
  return (
    <section className={styles.rows} aria-live="polite">
      <h2>{t('make.correct.changes')}</h2>
      {changes.length === 0 && <p>{t('make.correct.nothing')}</p>}
      <ul className={styles.changes}>
        {changes.map((name) => (
          <li key={name}>
            {t(LABELS[name])}
            {name === 'headline' && (
              <>
                {': '}
                <del>{before}</del> <ins>{after}</ins>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
