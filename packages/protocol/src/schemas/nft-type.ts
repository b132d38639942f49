import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { CUSTOM_ID_PATTERN, Text } from './field-types.ts';

/** An item of GET /v1/communities/:communityId/nftTypes. */
export const NftType = Type.Object(
  {
    nftTypeId: Type.String(),
    name: Type.String(),
    previewAssetUrl: Type.String({
      format: 'uri',
      description: 'Always an image, even if the NFT type is a video.',
    }),
    isUserAdded: Type.Boolean({
      description: 'Whether the community uploaded the NFT type. Otherwise it is built in.',
    }),
    hasTextOverlay: Type.Boolean({
      description: 'Whether images of tokens show the headline over the design.',
    }),
  },
  { title: 'NftType' },
);
export type NftType = Static<typeof NftType>;

/** The query of GET /v1/communities/:communityId/nftTypes/:nftTypeId/preview. */
export const NftTypePreviewQuery = Type.Object({
  headline: Text({
    minLength: 1,
    maxLength: LIMITS.headlineCharacters,
    description: 'The headline of the token.',
  }),
});
export type NftTypePreviewQuery = Static<typeof NftTypePreviewQuery>;

/** The response of POST /v1/communities/:communityId/nftTypes. */
export const CreatedNftType = Type.Object(
  {
    ...NftType.properties,
    assetUrl: Type.String({ format: 'uri', description: 'The uploaded file, unchanged.' }),
  },
  { title: 'CreatedNftType' },
);
export type CreatedNftType = Static<typeof CreatedNftType>;

const nftTypeFields = {
  name: Text({ minLength: 1, maxLength: LIMITS.nftTypeNameCharacters }),
  nftTypeId: Type.Optional(
    Type.String({
      pattern: CUSTOM_ID_PATTERN,
      description:
        'Must not be the id of a built-in NFT type, or of another NFT type of the community, even a deleted one. Default: a UUID.',
    }),
  ),
  alias: Type.Optional(
    Text({ maxLength: LIMITS.nftTypeNameCharacters, description: 'Stored, but not shown anywhere.' }),
  ),
};

/** The text parts of the form that uploads an NFT type. */
export const NftTypeFields = Type.Object(nftTypeFields);
export type NftTypeFields = Static<typeof NftTypeFields>;

/** The form of POST /v1/communities/:communityId/nftTypes. */
export const NftTypeForm = Type.Object(
  {
    assetFile: Type.Unsafe<Uint8Array>({
      type: 'string',
      // Generators of clients need the format of OpenAPI 3.0, too.
      format: 'binary',
      contentMediaType: 'application/octet-stream',
      description:
        'A JPEG, PNG, GIF, WebP, MP4 or WebM file of at most 20 MiB. Its type is detected from its content.',
    }),
    ...nftTypeFields,
  },
  { title: 'NftTypeForm' },
);
