import { findInTab, writeInTab } from '../../tab-store.ts';

const KEY = 'badge.console.key';
const COMMUNITY = 'badge.console.community';

/** The key or the session token of this tab, or null. Another tab has it only if it asks for it. */
export const findKey = () => findInTab(KEY);
export const writeKey = (key: string | null) => writeInTab(KEY, key);

/** The community that was open last in this tab, or null. */
export const findCommunityId = () => findInTab(COMMUNITY);
export const writeCommunityId = (communityId: string | null) => writeInTab(COMMUNITY, communityId);
