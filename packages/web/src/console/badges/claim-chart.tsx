import type { Owner } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../formats.ts';
import { useLoaded, useReloadOn } from '../../use-loaded.ts';
import { useSession } from '../session/session.ts';
import type { BadgePartProps } from './badge-part.ts';
import styles from './claim-chart.module.css';
import { sumClaims } from './sum-claims.ts';

const PAGE_SIZE = 1_000;
const MAX_PAGES = 5;
const WIDTH = 600;
const HEIGHT = 120;

/** The claims over time of those who have a token, valid or expired, as a rising line. */
export function ClaimChart({
  tokenId,
  version,
  eventCount,
}: { tokenId: number } & Pick<BadgePartProps, 'version' | 'eventCount'>) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { dateTime } = useFormats();
  const claims = useLoaded(`claims/${tokenId}/${version}`, async (signal) => {
    const owners: Owner[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const part = { limit: PAGE_SIZE, offset: page * PAGE_SIZE };
      const { data } = await badge.listOwners({ tokenId, status: 'all', ...part }, { signal });
      owners.push(...data.filter(({ status }) => status === 'held' || status === 'expired'));
      if (data.length < PAGE_SIZE) return { owners, isComplete: true };
    }
    return { owners, isComplete: false };
  });
  useReloadOn(eventCount, claims.reload);
  // Without two claims there is no line, and without the claims the page is still complete.
  if (claims.status !== 'loaded' || claims.value.owners.length < 2) return null;
  const { owners, isComplete } = claims.value;
  const times = owners.map(({ claimedAtTimestamp }) => claimedAtTimestamp);
  const points = sumClaims(times);
  const [start, end] = [times[0] ?? 0, times.at(-1) ?? 0];
  const text = t('chart.text', { count: owners.length, from: dateTime(start), to: dateTime(end) });
  return (
    <figure className={styles.chart}>
      <figcaption>{isComplete ? t('chart.title') : t('chart.first', { count: owners.length })}</figcaption>
      {/* Time runs from left to right in every language. */}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
        <polygon className={styles.area} points={`0,${HEIGHT} ${toPoints(points)} ${WIDTH},${HEIGHT}`} />
        <polyline className={styles.line} points={toPoints(points)} vectorEffect="non-scaling-stroke" />
      </svg>
      <div className={styles.times} dir="ltr" aria-hidden="true">
        <bdi>{dateTime(start)}</bdi>
        <bdi>{dateTime(end)}</bdi>
      </div>
    </figure>
  );
}

function toPoints(points: readonly { x: number; y: number }[]): string {
  return points.map(({ x, y }) => `${(x * WIDTH).toFixed(1)},${((1 - y) * HEIGHT).toFixed(1)}`).join(' ');
}
