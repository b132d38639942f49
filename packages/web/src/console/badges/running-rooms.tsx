import { useTranslation } from 'react-i18next';
import { useLoaded, useReloadOn } from '../../use-loaded.ts';
import { useSession } from '../session/session.ts';
import type { BadgePartProps } from './badge-part.ts';
import { isOpenLink, LinkRows } from './link-list.tsx';

/** Older rooms are in the list of links. */
const MAX_ROOMS = 20;

/** The links for rooms with which people can claim, or will be able to. */
export function RunningRooms({ token, version, eventCount, onChange }: BadgePartProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { tokenId } = token;
  const rooms = useLoaded(`rooms/${tokenId}`, async (signal) => {
    const newest = { tokenId, isForRoom: true, order: 'desc', limit: MAX_ROOMS } as const;
    return (await badge.listClaimLinks(newest, { signal })).data.filter(isOpenLink);
  });
  useReloadOn(version + eventCount, rooms.reload);
  if (rooms.status !== 'loaded' || rooms.value.length === 0) return null;
  return (
    <section aria-label={t('links.rooms')}>
      <LinkRows token={token} links={rooms.value} onChange={onChange} />
    </section>
  );
}
