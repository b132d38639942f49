import { query } from '@badge/test-support/sql';
import type { TestService } from './services.ts';

export const TINY_GIF = Buffer.from(
  'R0lGODlhAgACAIAAAAAAAAAAACH5BAQAAAAALAAAAAACAAIAgP+IAAAAAAIChFEAOw==',
  'base64',
);

/** A form that adds an NFT type with a small GIF. */
export function nftTypeForm(fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ name: 'Test', ...fields })) form.append(name, value);
  form.append('assetFile', new Blob([TINY_GIF]), 'test.gif');
  return form;
}

/** Functions that provoke the refusals of NFT types and pictures in a sandbox, by error name. */
export function nftTypeProvocations(service: () => TestService) {
  const upload = (communityId: string, fields: Record<string, string>) =>
    service().call(`/v1/communities/${communityId}/nftTypes`, {
      method: 'POST',
      key: service().adminKey,
      body: nftTypeForm(fields),
    });

  return {
    NftTypeExists: () => upload('demo', { nftTypeId: 'defaultOrangeRed' }),
    NftTypeNotUserAdded: () =>
      service().call('/v1/communities/demo/nftTypes/defaultOrangeRed', {
        method: 'DELETE',
        key: service().apiKey,
      }),
    // A community can have 50 NFT types of its own.
    NftTypeLimitReached: async () => {
      await query(
        service().databaseUrl,
        `with full_community as (
           insert into communities (community_id, display_id, name, description) values ('full', '', '', '')
         ), added as (
           insert into assets (asset_id, content_type, size_bytes, piece_bytes, content_hash)
           select gen_random_uuid(), 'image/gif', 1, 1, sha256('') from generate_series(1, 50)
           returning asset_id
         )
         insert into nft_types (community_id, nft_type_id, name, asset_id)
         select 'full', asset_id::text, '', asset_id from added`,
      );
      return await upload('full', {});
    },
    // A community can store 1 GiB.
    StorageQuotaReached: async () => {
      await query(
        service().databaseUrl,
        `with community as (
           insert into communities (community_id, display_id, name, description) values ('quota-used-up', '', '', '')
         ), added as (
           insert into assets (asset_id, content_type, size_bytes, piece_bytes, content_hash)
           values (gen_random_uuid(), 'image/gif', 1024 * 1024 * 1024, 1, sha256(''))
           returning asset_id
         )
         insert into nft_types (community_id, nft_type_id, name, asset_id)
         select 'quota-used-up', asset_id::text, '', asset_id from added`,
      );
      return await upload('quota-used-up', {});
    },
    RangeNotSatisfiable: () => service().call('/images/logo.png', { headers: { Range: 'bytes=999999999-' } }),
  };
}
