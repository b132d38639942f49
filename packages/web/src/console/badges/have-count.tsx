import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { useLoaded, useReloadOn } from '../../use-loaded.ts';
import { countExpired } from '../count-expired.ts';
import { useSession } from '../session/session.ts';
import { ClaimBar, CountBar } from './claim-bar.tsx';

/** Who comes to a room was not expected, also if they have only kept a place there. */
const IN_ROOM = 'room,reservation';

interface HaveCountProps {
  token: Token;
  /** Leaves out who they are. */
  isShort?: boolean;
  /** Goes up when the count is to be read again. */
  refreshCount?: number;
}

/** How many people have a badge now, and of how many to whom it was given. */
export function HaveCount({ token, isShort = false, refreshCount = 0 }: HaveCountProps) {
  const { t, i18n } = useTranslation('console');
  const { badge } = useSession();
  const { tokenId, recipientCount, replacedByTokenId, claimabilityAttributes } = token;
  const isCounted = claimabilityAttributes.isAllowlistRequired && replacedByTokenId === null;
  const loaded = useLoaded(`claimed/${tokenId}/${isCounted}`, async (signal) => {
    const count = async (filter: { status?: 'claimed'; way?: typeof IN_ROOM }) =>
      (await badge.listRecipients({ tokenId, ...filter, limit: 1 }, { signal })).total;
    if (!isCounted) return null;
    const [claimed, inRoom, claimedInRoom] = await Promise.all([
      count({ status: 'claimed' }),
      isShort ? 0 : count({ way: IN_ROOM }),
      isShort ? 0 : count({ status: 'claimed', way: IN_ROOM }),
    ]);
    return { claimed, inRoom, claimedInRoom };
  });
  useReloadOn(refreshCount, loaded.reload);
  if (replacedByTokenId !== null) return <p>{t('badge.moved', { tokenId: replacedByTokenId })}</p>;
  // Of an open badge, a number of pieces can be claimed, and nobody knows by whom.
  if (!claimabilityAttributes.isAllowlistRequired) return <ClaimBar token={token} />;
  if (loaded.status !== 'loaded' || loaded.value === null) return null;
  const { claimed, inRoom, claimedInRoom } = loaded.value;
  const given = Math.max(claimed - claimedInRoom, recipientCount - inRoom);
  const parts = [
    given > 0 && t('badge.ofGiven', { claimed: claimed - claimedInRoom, count: given }),
    claimedInRoom > 0 && t('badge.fromRoom', { count: claimedInRoom }),
  ].filter((part) => part !== false);
  const text = t('badge.have', { count: claimed });
  const detail = new Intl.ListFormat(i18n.language).format(parts);
  return (
    <CountBar
      claimed={claimed}
      total={Math.max(claimed, recipientCount)}
      text={isShort || parts.length === 0 ? text : `${text}: ${detail}`}
    />
  );
}

/** How many people have a badge whose time is over. */
export function ExpiredCount({ tokenId, refreshCount }: { tokenId: number; refreshCount: number }) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const loaded = useLoaded(`expired/${tokenId}`, (signal) => countExpired(badge, tokenId, signal));
  useReloadOn(refreshCount, loaded.reload);
  if (loaded.status !== 'loaded' || loaded.value === 0) return null;
  return <p>{t('badge.expired', { count: loaded.value })}</p>;
}
