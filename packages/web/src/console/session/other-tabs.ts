import { createSharedSignIn } from '../../shared-sign-in.ts';
import { findCommunityId, findKey, writeCommunityId, writeKey } from './stored-key.ts';

/** Tells the tabs of the console who is signed in. */
export const otherTabs = createSharedSignIn({
  name: 'badge.console.session',
  find() {
    const key = findKey();
    return key === null ? null : { key, communityId: findCommunityId() };
  },
  keep({ key, communityId }) {
    writeKey(key);
    writeCommunityId(communityId);
  },
});
