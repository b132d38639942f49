import { expect, expectTypeOf, test } from 'vitest';
import { CreateTokenBody, Token, WalletToken } from './token.ts';

test('CreateTokenBody has the specified fields and requires those that every token needs', () => {
  expect(Object.keys(CreateTokenBody.properties).sort()).toEqual(
    [
      ...['creator', 'headline', 'description', 'startDateTimestamp', 'endDateTimestamp', 'links'],
      ...['communityId', 'nftTypeId', 'isSignatureRequired', 'isAllowlistRequired', 'contributors'],
      ...['totalClaimCount', 'expirationTimestamp', 'customAttributes', 'criteria', 'signature'],
      ...['claimableFromTimestamp', 'validUntilTimestamp', 'validityDays'],
    ].sort(),
  );
  expect([...CreateTokenBody.required].sort()).toEqual(
    [
      ...['creator', 'headline', 'communityId', 'nftTypeId'],
      ...['isSignatureRequired', 'isAllowlistRequired', 'signature'],
    ].sort(),
  );
});

test('Token has the specified fields and requires all of them', () => {
  const fields = [
    ...['tokenId', 'headline', 'description', 'startDateTimestamp', 'endDateTimestamp', 'links'],
    ...['communityId', 'createdByAddress', 'createdAtTimestamp', 'imageUrl', 'claimabilityAttributes'],
    ...['nftTypeId', 'customAttributes', 'criteria', 'claimedCount', 'contributorCount'],
    ...['recipientCount', 'isHidden', 'replacedByTokenId', 'claimableFromTimestamp'],
    ...['validUntilTimestamp', 'validityDays', 'importedFrom'],
  ].sort();
  expect(Object.keys(Token.properties).sort()).toEqual(fields);
  expect([...Token.required].sort()).toEqual(fields);
  expect(Token.properties.claimabilityAttributes.required).toEqual([
    ...['isSignatureRequired', 'isAllowlistRequired', 'totalClaimCount', 'remainingClaimCount'],
    'expirationTimestamp',
  ]);
});

test('WalletToken requires the specified fields', () => {
  const fields = [
    ...['badgeTokenId', 'headline', 'assetUrl', 'createdAt', 'claimStatus'],
    ...['validUntilTimestamp', 'isExpired', 'isHiddenByOwner', 'communityId'],
  ];
  expect(WalletToken.required).toEqual(fields);
});

test('the TypeScript types contain null and undefined only where a field may be null or absent', () => {
  expectTypeOf<CreateTokenBody['totalClaimCount']>().toEqualTypeOf<number | null | undefined>();
  expectTypeOf<CreateTokenBody['headline']>().toEqualTypeOf<string>();
  expectTypeOf<Token['startDateTimestamp']>().toEqualTypeOf<number | null>();
  expectTypeOf<WalletToken['claimStatus']>().toEqualTypeOf<'claimed' | 'unclaimed'>();
});
