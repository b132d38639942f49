import type { BadgeClient, ClaimLink, Page, PageOptions } from '@badge/sdk';

const PAGE_SIZE = 1_000;

/** A link, and whom it was sent to. */
export type NamedLink = ClaimLink & {
  /**
   * The e-mail of the invitation with this link; empty after it was erased; null if the link is of no
   * invitation.
   */
  invitedEmail: string | null;
};

/**
 * Reads a page of links with the e-mails of their invitations, which a link does not say. The invitations are
 * read after the links, so that no link is shown without its own.
 */
export async function listNamedLinks(
  badge: BadgeClient,
  filter: { tokenId: number; status?: ClaimLink['status'] } & PageOptions,
  signal: AbortSignal,
): Promise<Page<NamedLink>> {
  const page = await badge.listClaimLinks(filter, { signal });
  const nameless = new Set(
    page.data.flatMap(({ claimLinkId, identifier, maxClaims }) =>
      identifier === null && maxClaims === 1 ? [claimLinkId] : [],
    ),
  );
  const emails = new Map<string, string>();
  if (nameless.size > 0) {
    const { tokenId } = filter;
    for await (const invitation of badge.listInvitations({ tokenId, limit: PAGE_SIZE }, { signal })) {
      const { claimLinkId, email } = invitation;
      if (claimLinkId === null || !nameless.delete(claimLinkId)) continue;
      emails.set(claimLinkId, email ?? '');
      if (nameless.size === 0) break;
    }
  }
  const data = page.data.map((link) => ({ ...link, invitedEmail: emails.get(link.claimLinkId) ?? null }));
  return { ...page, data };
}
