import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Text } from './shared.ts';

/** An item of GET /v1/communities/:communityId/nftTypes. */
export const NftType = Type.Object(
  {
    nftTypeId: Type.String(),
    name: Type.String(),
    previewAssetUrl: Type.String({ format: 'uri', description: 'An image, also where the type is a video.' }),
    isUserAdded: Type.Boolean({ description: 'Whether the community added it.' }),
    hasTextOverlay: Type.Boolean({ description: 'Whether the headline is drawn over the design.' }),
  },
  { title: 'NftType' },
);
export type NftType = Static<typeof NftType>;

/** The answer of POST /v1/communities/:communityId/nftTypes. */
export const AddedNftType = Type.Object(
  {
    ...NftType.properties,
    assetUrl: Type.String({ format: 'uri', description: 'The file as it was uploaded.' }),
  },
  { title: 'AddedNftType' },
);
export type AddedNftType = Static<typeof AddedNftType>;

const nftTypeFields = {
  name: Text({ minLength: 1, maxLength: LIMITS.nftTypeNameCharacters }),
  nftTypeId: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'Chosen by the client, unique in the community for ever. Absent: a UUID.',
    }),
  ),
  alias: Type.Optional(
    Text({ maxLength: LIMITS.nftTypeNameCharacters, description: 'Kept, and not shown anywhere.' }),
  ),
};

/** The text parts of the form that adds an NFT type. */
export const NftTypeFields = Type.Object(nftTypeFields);
export type NftTypeFields = Static<typeof NftTypeFields>;

/** The form of POST /v1/communities/:communityId/nftTypes. */
export const NftTypeForm = Type.Object(
  {
    assetFile: Type.Unsafe<Uint8Array>({
      type: 'string',
      contentMediaType: 'application/octet-stream',
      description: 'A JPEG, PNG, GIF, WebP, MP4 or WebM of at most 20 MiB, told by its content.',
    }),
    ...nftTypeFields,
  },
  { title: 'NftTypeForm' },
);
