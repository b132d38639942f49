/** The `nftTypeId` of every built-in design. Their pictures are never videos. */
export const BUILT_IN_DESIGNS: ReadonlySet<string> = new Set([
  'defaultOrangeRed',
  'defaultGreenPurple',
  'defaultBlueGreen',
  'defaultPinkIndigo',
  'defaultGoldBlack',
  'defaultCyanViolet',
  'defaultSilverNavy',
  'defaultYellowTeal',
]);
