import Type, { type Static } from 'typebox';

/** The community object (spec 2.4): five strings, never null. */
export const Community = Type.Object(
  {
    uniqId: Type.String(),
    displayId: Type.String(),
    name: Type.String(),
    description: Type.String(),
    logoUrl: Type.String({ format: 'uri' }),
  },
  { title: 'Community' },
);
export type Community = Static<typeof Community>;

/** An item of GET /v1/communities/:communityId/nftTypes. */
export const NftType = Type.Object(
  {
    nftTypeId: Type.String(),
    name: Type.String(),
    previewAssetUrl: Type.String({ format: 'uri' }),
    isUserAdded: Type.Boolean(),
    hasTextOverlay: Type.Boolean({ description: 'Whether the headline is drawn over the design.' }),
  },
  { title: 'NftType' },
);
export type NftType = Static<typeof NftType>;
