import type { CommunityRows } from '../storage/archive.ts';
import { address, hex, hidden, integer, orNull, text, timestamp, uuid } from './kinds.ts';
import { type CommunityPart, NOUNS, type Noun } from './nouns.ts';

/** A file of the archive of one community. */
export interface CommunityNoun extends Noun {
  ofCommunity: CommunityPart;
}

/** The files of the archive of one community, besides that of the people. */
export const COMMUNITY_NOUNS: CommunityNoun[] = NOUNS.flatMap((noun) => {
  const { ofCommunity } = noun;
  return typeof ofCommunity === 'string' ? [] : [toCommunityNoun(noun, ofCommunity)];
});

function toCommunityNoun(noun: Noun, part: CommunityPart): CommunityNoun {
  const fields = Object.entries(noun.fields).map(([name, { column, kind }]) => {
    if (part.hidden?.[column] !== undefined) return [name, { column, kind: hidden }] as const;
    const isOnlyAddress = part.onlyAddresses?.includes(column);
    return [name, { column, kind: isOnlyAddress ? orNull(address) : kind }] as const;
  });
  return {
    ...noun,
    fields: Object.fromEntries(fields),
    order: part.order ?? noun.order,
    ofCommunity: part,
  };
}

/**
 * The people of a community. Names, e-mails and notes are decrypted before they are written. Sorted as owners
 * and contributors are, so that a reader finds who belongs together without much memory.
 */
export const PEOPLE: CommunityNoun = {
  name: 'people',
  table: 'recipients',
  description:
    'A person of a token, with what the community knows about them. `address` is the owner or the contributor with that address, if it is known; `identifier` is a text in an allowlist, and `contributorKey` the key of the entry, which no other file has; `claimLinkId` is the link for this person.',
  order: ['token_id', 'address', 'sequence'],
  fields: {
    tokenId: { column: 'token_id', kind: integer },
    address: { column: 'address', kind: orNull(address) },
    sequence: { column: 'sequence', kind: integer },
    contributorKey: { column: 'contributor_key', kind: hex([20, 32]) },
    way: { column: 'way', kind: text },
    identifier: { column: 'identifier', kind: orNull(text) },
    name: { column: 'name', kind: orNull(text) },
    email: { column: 'email', kind: orNull(text) },
    note: { column: 'note', kind: orNull(text) },
    claimLinkId: { column: 'claim_link_id', kind: orNull(uuid) },
    addedAtTimestamp: { column: 'added_at', kind: timestamp },
  },
  leftOut: {},
  // Who was removed is in the database for a while, because a mail is on its way.
  ofCommunity: { column: 'token_id', through: 'tokens', only: { column: 'removed_at', values: null } },
};

/** Which rows of a table the storage reads. */
export function communityRowsOf({ ofCommunity }: CommunityNoun, communityId: string): CommunityRows {
  const { column, through, only, throughOnly, hidden: hiddenColumns = {}, onlyAddresses = [] } = ofCommunity;
  return {
    communityId,
    column,
    through,
    only,
    throughOnly,
    hidden: Object.keys(hiddenColumns),
    onlyAddresses,
  };
}
