import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { isOpenLink } from '../badges/link-list.tsx';
import { countExpired } from '../count-expired.ts';
import { WAITING_FILTER } from '../people/statuses.ts';
import { useSession } from '../session/session.ts';
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

/** More links for rooms are not open at once. */
const MAX_ROOMS = 1_000;

/** Says which badge is corrected, who moves, what they see, and what does not follow by itself. */
export function CorrectionNotice({ token }: { token: Token }) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { tokenId } = token;
  const loaded = useLoaded(`correct/${tokenId}`, async (signal) => {
    const options = { signal };
    const [claimed, expired, waiting, rooms] = await Promise.all([
      badge.listRecipients({ tokenId, status: 'claimed', limit: 1 }, options),
      countExpired(badge, tokenId, signal),
      badge.listRecipients({ tokenId, status: WAITING_FILTER, limit: 1 }, options),
      badge.listClaimLinks({ tokenId, isForRoom: true, order: 'desc', limit: MAX_ROOMS }, options),
    ]);
    const places = rooms.data.filter(isOpenLink).map(({ maxClaims, claimCount }) => maxClaims - claimCount);
    return {
      // Whoever has an expired one moves, too.
      claimed: claimed.total + expired,
      waiting: waiting.total,
      places: places.reduce((sum, left) => sum + left, 0),
    };
  });
  return (
    <Notice tone="info">
      <p>
        {t('make.correct.of')} <bdi>{token.headline}</bdi>
      </p>
      {loaded.status === 'loading' && <LoadingBlock />}
      {loaded.status === 'failed' && <LoadError error={loaded.error} onRetry={loaded.reload} />}
      <ul className={styles.changes}>
        {loaded.status === 'loaded' && (
          <>
            <li>
              {t('make.correct.people', {
                count: loaded.value.claimed + loaded.value.waiting,
                claimed: loaded.value.claimed,
                waiting: loaded.value.waiting,
              })}
            </li>
            {loaded.value.places > 0 && <li>{t('make.correct.places', { count: loaded.value.places })}</li>}
          </>
        )}
        <li>{t('make.correct.see')}</li>
        <li>{t('make.correct.credentials')}</li>
        <li>{t('make.correct.number', { tokenId })}</li>
        <li>{t('make.correct.mails')}</li>
        <li>{t('make.correct.final')}</li>
      </ul>
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
