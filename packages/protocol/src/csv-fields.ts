/**
 * What a CSV file can say of badges and of the people who have them. A column mapping has the name of the
 * column for each of these, or a text for all lines, which begins with `=`.
 */
export const CSV_FIELDS = {
  badgeId: 'The id of the badge in the source. Without it, the headline is the id.',
  headline: 'The title of the badge. Without it, the id is the headline.',
  description: 'The description of the badge.',
  criteria: 'What somebody has done for the badge.',
  picture: 'The URL of the picture, or the name of a file.',
  link: 'A link of the badge.',
  startDate: 'The start of the event or period.',
  endDate: 'The end of the event or period.',
  createdAt: 'When the badge was made.',
  claimableUntil: 'When the badge can no longer be claimed.',
  validUntil: 'When the badge ends for all who have it.',
  person: 'Who has the badge, or can claim it: an address, an e-mail, an ENS name or a handle.',
  address: 'The address of the person, in place of `person`.',
  email: 'The e-mail of the person. With an address, it says who that is.',
  name: 'The name of the person.',
  note: 'A note about the person.',
  status:
    'Whether the person has the badge: `claimed`, `unclaimed` or `revoked`. Without it, whoever has a `claimedAt` has it. `revoked` needs a `revokedAt`.',
  claimedAt: 'When the person got the badge.',
  revokedAt: 'When the person lost the badge.',
  expiresAt: 'When the badge of this person ends.',
} as const;

export type CsvField = keyof typeof CSV_FIELDS;

/** Settings of a mapping that are no columns. */
export const CSV_SETTINGS = {
  service: 'The service that the file comes from. Without it: `csv`.',
  dateOrder: 'The order of the parts of dates such as 1/2/2026: `dmy` or `mdy`.',
} as const;
