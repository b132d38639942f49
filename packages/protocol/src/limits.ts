/** Limits of bodies, texts and listings; the sources are spec 2.1, 8 and the contract's "Creation". */
export const LIMITS = {
  headlineCharacters: 1_000,
  descriptionCharacters: 1_000,
  links: 50,
  linkCharacters: 2_048,
  contributors: 10_000,
  contributorCharacters: 256,
  customAttributes: 50,
  attributeNameCharacters: 64,
  attributeTextCharacters: 2_048,
  idCharacters: 64,
  /** The last millisecond an ECMAScript date can hold. */
  timestamp: 8_640_000_000_000_000,
  pageItems: 1_000,
  defaultPageItems: 50,
  waitSeconds: 30,
  bodyDepth: 16,
  contributorsBodyBytes: 4 * 1024 * 1024,
  bodyBytes: 64 * 1024,
} as const;
