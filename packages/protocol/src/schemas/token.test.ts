import { expect, expectTypeOf, test } from 'vitest';
import { CreateTokenBody, Token, WalletToken } from './token.ts';

test('the body has these fields, and requires those that are always required', () => {
  expect(Object.keys(CreateTokenBody.properties).sort()).toEqual(
    [
      ...['creator', 'headline', 'description', 'startDateTimestamp', 'endDateTimestamp', 'links'],
      ...['communityId', 'nftTypeId', 'isSignatureRequired', 'isAllowlistRequired', 'contributors'],
      ...['totalClaimCount', 'expirationTimestamp', 'customAttributes', 'signature'],
    ].sort(),
  );
  expect([...CreateTokenBody.required].sort()).toEqual(
    [
      ...['creator', 'headline', 'communityId', 'nftTypeId'],
      ...['isSignatureRequired', 'isAllowlistRequired', 'signature'],
    ].sort(),
  );
});

test('the token has these fields, all of them required', () => {
  const fields = [
    ...['tokenId', 'headline', 'description', 'startDateTimestamp', 'endDateTimestamp', 'links'],
    ...['communityId', 'createdByAddress', 'createdAtTimestamp', 'imageUrl', 'claimabilityAttributes'],
    ...['nftTypeId', 'customAttributes'],
  ].sort();
  expect(Object.keys(Token.properties).sort()).toEqual(fields);
  expect([...Token.required].sort()).toEqual(fields);
  expect(Token.properties.claimabilityAttributes.required).toEqual([
    ...['isSignatureRequired', 'isAllowlistRequired', 'totalClaimCount', 'remainingClaimCount'],
    'expirationTimestamp',
  ]);
});

test('the token of a wallet has these fields, all of them required', () => {
  expect(WalletToken.required).toEqual([
    ...['badgeTokenId', 'headline', 'assetUrl', 'createdAt', 'claimStatus', 'communityId'],
  ]);
});

test('the types distinguish null and absent', () => {
  expectTypeOf<CreateTokenBody['totalClaimCount']>().toEqualTypeOf<number | null | undefined>();
  expectTypeOf<CreateTokenBody['headline']>().toEqualTypeOf<string>();
  expectTypeOf<Token['startDateTimestamp']>().toEqualTypeOf<number | null>();
  expectTypeOf<WalletToken['claimStatus']>().toEqualTypeOf<'claimed' | 'unclaimed'>();
});
