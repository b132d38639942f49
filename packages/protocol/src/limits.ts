/** The limits of the API, such as those of bodies, texts, uploads and lists. */
export const LIMITS = {
  headlineCharacters: 1_000,
  descriptionCharacters: 1_000,
  criteriaCharacters: 1_000,
  links: 50,
  linkCharacters: 2_048,
  /** How long after its claim a badge can end. */
  validityDays: 36_500,
  /** The number of addresses of one renewal. */
  renewedAddresses: 1_000,
  contributors: 10_000,
  contributorCharacters: 256,
  /** The owners, and the people who have not claimed, of a token that can be replaced. */
  replacedPeople: 50_000,
  /** How many badges of a person one request moves. */
  movedBadges: 1_000,
  /** The number of claim links that one request creates. */
  claimLinks: 1_000,
  /** The number of unused claim links of a token. */
  unusedClaimLinks: 100_000,
  /**
   * How many bytes a claim link counts in the community's storage quota: its row, its allowlist entry and
   * their indexes.
   */
  claimLinkBytes: 1_024,
  /** The number of claims with the code of a room link. */
  roomLinkClaims: 1_000_000,
  /**
   * How many of them one client address can make without a signature, unless the link has another maximum.
   */
  defaultClaimsPerClient: 500,
  /** How far away the end of a room link can be. */
  roomLinkDays: 90,
  /** The number of recipients of one request for invitations. */
  invitationRecipients: 1_000,
  invitationMessageCharacters: 1_000,
  recipientNameCharacters: 100,
  recipientNoteCharacters: 500,
  /** The number of people of one request that says who they are. */
  recipients: 1_000,
  /** The length of the text that a search looks for. */
  searchCharacters: 100,
  timeZoneCharacters: 64,
  emailCharacters: 254,
  /** The length of a claim code as it is sent, with spaces and hyphens. */
  claimCodeCharacters: 64,
  /** The number of addresses, and of tokens, of POST /v1/checkOwners. */
  checkedAddresses: 1_000,
  checkedTokens: 100,
  /** The number of addresses of a snapshotScores request. */
  scoredAddresses: 10_000,
  customAttributes: 50,
  attributeNameCharacters: 64,
  attributeTextCharacters: 2_048,
  /** The size of headline, description, links and customAttributes together, as JSON in UTF-8. */
  tokenBytes: 64 * 1024,
  idCharacters: 64,
  communityNameCharacters: 200,
  communityDescriptionCharacters: 1_000,
  logoUrlCharacters: 2_048,
  /** The number of owners of a community. */
  adminAddresses: 100,
  /** The number of members of a community, including its owners. */
  members: 1_000,
  signInMessageCharacters: 4_096,
  apiKeyNameCharacters: 100,
  /** The length of the reason of a revocation, a reinstatement or a move. */
  reasonCharacters: 500,
  /** The size of a signature. That of a contract wallet can have any length up to this. */
  signatureBytes: 8 * 1024,
  /** The number of ENS names among the contributors of one request, if the service resolves them. */
  ensNames: 100,
  /** The number of addresses of POST /v1/ensNames. */
  namedAddresses: 100,
  webhooks: 20,
  webhookUrlCharacters: 2_048,
  webhookNameCharacters: 100,
  nftTypes: 50,
  nftTypeNameCharacters: 200,
  assetBytes: 20 * 1024 * 1024,
  /** The size of an uploaded file of badges. The command imports larger ones. */
  importBytes: 100 * 1024 * 1024,
  /** The length of an age recipient: those against quantum computers are long. */
  recipientKeyCharacters: 4_096,
  /** How many problems of an import, and lines of a dry run, are stored. */
  importProblems: 1_000,
  assetSidePixels: 8_192,
  assetPixels: 40_000_000,
  /** The latest time that an ECMAScript date can represent. */
  timestamp: 8_640_000_000_000_000,
  pageItems: 1_000,
  defaultPageItems: 50,
  waitSeconds: 30,
  /** The length of a cursor of the feed of events. */
  cursorCharacters: 64,
  /** The nesting depth of a JSON body. The body itself is level 1. */
  bodyDepth: 16,
  /** The number of values in a JSON body: arrays, objects, strings, numbers, true, false and null. */
  bodyValues: 20_000,
  /**
   * The size of a JSON body of POST /v1/tokens, addContributors, claimLinks, invitations, recipients or
   * snapshotScores, which can contain many people, and of managedCreator/sign.
   */
  contributorsBodyBytes: 4 * 1024 * 1024,
  /** The size of any other JSON body. */
  bodyBytes: 64 * 1024,
} as const;
