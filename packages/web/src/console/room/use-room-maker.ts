import type { CreatedClaimLink, Token } from '@badge/sdk';
import { useCallback, useRef } from 'react';
import { makeRandomId } from '../../random-id.ts';
import type { InstalledWallet } from '../../wallet/discover-wallets.ts';
import { useSession } from '../session/session.ts';
import { type CreatorKey, signForCreator } from '../signer/creator-signer.ts';
import { keepRoom } from './room-code.ts';

export interface NewRoom {
  maxClaims: number;
  /** How long the link is valid, from the moment when it is made. */
  lifetimeMs: number;
}

/**
 * Returns a function that makes a link for a room, and keeps its code in this tab. Null if the service
 * returned none.
 */
export function useRoomMaker(
  token: Token,
  creatorKey: CreatorKey,
): (room: NewRoom, wallet: InstalledWallet | null) => Promise<CreatedClaimLink | null> {
  const { badge } = useSession();
  /** A request that is sent again replaces its link, so that there are never two. */
  const requestRef = useRef<{
    form: string;
    idempotencyKey: string;
    expiresAtTimestamp: number;
    signature: string;
  }>(undefined);
  return useCallback(
    async ({ maxClaims, lifetimeMs }, wallet) => {
      const { tokenId } = token;
      const form = `${maxClaims}/${lifetimeMs}`;
      if (requestRef.current?.form !== form) {
        requestRef.current = {
          form,
          idempotencyKey: makeRandomId(),
          signature: await signForCreator(badge, token, creatorKey, wallet?.provider ?? null),
          expiresAtTimestamp: Date.now() + lifetimeMs,
        };
      }
      const { idempotencyKey, expiresAtTimestamp, signature } = requestRef.current;
      const room = { tokenId, maxClaims, expiresAtTimestamp, signature };
      const { items } = await badge.createClaimLinks(room, { idempotencyKey });
      const [link = null] = items;
      if (link !== null) keepRoom(tokenId, { claimLinkId: link.claimLinkId, code: link.code });
      // Another link is made by another request.
      requestRef.current = undefined;
      return link;
    },
    [badge, token, creatorKey],
  );
}
