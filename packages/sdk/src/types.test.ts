import type * as protocol from '@badge/protocol';
import type { JsonRpcSigner, Wallet } from 'ethers';
import type { Address, EIP1193Provider, JsonRpcAccount, TypedDataDomain, WalletClient } from 'viem';
import type { HDAccount, PrivateKeyAccount } from 'viem/accounts';
import { expectTypeOf, test } from 'vitest';
import type {
  AddressAndSignature,
  BadgeApiError,
  BadgeClient,
  BadgeSignerError,
  ClaimLink,
  CommunityTokensFilter,
  CommunityWithAdmins,
  Contributor,
  Environment,
  ErrorName,
  List,
  NewToken,
  Owner,
  Page,
  PendingOperation,
  Signer,
  SuccessfulOperation,
  Token,
} from './index.ts';

// `npm run check` runs these tests: they fail if TypeScript finds an error.

test('a signer is a viem account or wallet client, an ethers signer, or an EIP-1193 provider', () => {
  expectTypeOf<PrivateKeyAccount>().toExtend<Signer>();
  expectTypeOf<HDAccount>().toExtend<Signer>();
  expectTypeOf<WalletClient>().toExtend<Signer>();
  expectTypeOf<Wallet>().toExtend<Signer>();
  expectTypeOf<JsonRpcSigner>().toExtend<Signer>();
  expectTypeOf<EIP1193Provider>().toExtend<Signer>();
  expectTypeOf<{ request(request: { method: string }): Promise<unknown> }>().toExtend<Signer>();
  expectTypeOf<JsonRpcAccount>().not.toExtend<Signer>();
  expectTypeOf<string>().not.toExtend<Signer>();
});

test('the name of an API error is in the error table, and a signer error has one of four names', () => {
  expectTypeOf<ErrorName>().toEqualTypeOf<keyof typeof protocol.ERRORS>();
  expectTypeOf<BadgeApiError['name']>().toEqualTypeOf<ErrorName>();
  expectTypeOf<BadgeSignerError['name']>().toEqualTypeOf<
    'WrongAccount' | 'WrongChain' | 'NoAccount' | 'UnsupportedSigner'
  >();
});

test('a token has either a total of claims or contributors', () => {
  const fields = { communityId: 'demo', headline: 'A', nftTypeId: 'n' };
  expectTypeOf({ ...fields, totalClaimCount: 1 }).toExtend<NewToken>();
  expectTypeOf({ ...fields, contributors: ['a'] }).toExtend<NewToken>();
  expectTypeOf({ ...fields, isAllowlistRequired: true as const, contributors: ['a'] }).toExtend<NewToken>();
  expectTypeOf(fields).not.toExtend<NewToken>();
  expectTypeOf({ ...fields, totalClaimCount: 1, contributors: ['a'] }).not.toExtend<NewToken>();
  expectTypeOf({
    ...fields,
    isAllowlistRequired: true as const,
    totalClaimCount: 1,
  }).not.toExtend<NewToken>();
});

test('createToken() needs a signer, or a creator with a signature', () => {
  const fields = { communityId: 'demo', headline: 'A', nftTypeId: 'n', totalClaimCount: 1 };
  type Argument = Parameters<BadgeClient['createToken']>[0];
  expectTypeOf({ ...fields, signer: {} as PrivateKeyAccount }).toExtend<Argument>();
  expectTypeOf({ ...fields, creator: '0x', signature: '0x' }).toExtend<Argument>();
  expectTypeOf<Awaited<ReturnType<BadgeClient['signToken']>>>().toExtend<Argument>();
  expectTypeOf({ ...fields, creator: '0x' }).not.toExtend<Argument>();
  expectTypeOf(fields).not.toExtend<Argument>();
});

test('claim() needs a signer, an address or a session', () => {
  type Argument = Parameters<BadgeClient['claim']>[0];
  expectTypeOf<{ tokenId: number; signer: PrivateKeyAccount }>().toExtend<Argument>();
  expectTypeOf<{ tokenId: number; claimingAddress: string }>().toExtend<Argument>();
  expectTypeOf<{ tokenId: number; claimingAddress: string; identifier: string }>().toExtend<Argument>();
  expectTypeOf<{ tokenId: number; isBySession: true; claimCode: string }>().toExtend<Argument>();
  expectTypeOf<{ tokenId: number; isBySession: true; claimingAddress: string }>().not.toExtend<Argument>();
  expectTypeOf<{ tokenId: number }>().not.toExtend<Argument>();
});

test('claim() takes a code or an identifier, not both', () => {
  type Argument = Parameters<BadgeClient['claim']>[0];
  expectTypeOf<{ tokenId: number; claimingAddress: string; claimCode: string }>().toExtend<Argument>();
  expectTypeOf<{ tokenId: number; signer: PrivateKeyAccount; claimCode: string }>().toExtend<Argument>();
  expectTypeOf<{ tokenId: number; claimCode: string }>().not.toExtend<Argument>();
  expectTypeOf<{
    tokenId: number;
    claimingAddress: string;
    claimCode: string;
    identifier: string;
  }>().not.toExtend<Argument>();
});

test('createClaimLinks() takes identifiers or a count, and a signature only with a count', () => {
  type Argument = Parameters<BadgeClient['createClaimLinks']>[0];
  expectTypeOf<{ tokenId: number; identifiers: string[] }>().toExtend<Argument>();
  expectTypeOf<{ tokenId: number; count: number }>().toExtend<Argument>();
  expectTypeOf<{ tokenId: number; count: number; signer: PrivateKeyAccount }>().toExtend<Argument>();
  expectTypeOf<{ tokenId: number; count: number; signature: string }>().toExtend<Argument>();
  type Room = { tokenId: number; maxClaims: number; expiresAtTimestamp: number };
  expectTypeOf<Room & { signer: PrivateKeyAccount }>().toExtend<Argument>();
  expectTypeOf<Room>().not.toExtend<Argument>();
  expectTypeOf<{ tokenId: number }>().not.toExtend<Argument>();
  expectTypeOf<{ tokenId: number; identifiers: string[]; count: number }>().not.toExtend<Argument>();
  expectTypeOf<{
    tokenId: number;
    identifiers: string[];
    signer: PrivateKeyAccount;
  }>().not.toExtend<Argument>();
});

test('`wait()` resolves to the successful operation, with the id of the token', () => {
  expectTypeOf<ReturnType<PendingOperation['wait']>>().resolves.toEqualTypeOf<SuccessfulOperation>();
  expectTypeOf<SuccessfulOperation['tokenId']>().toEqualTypeOf<number>();
  expectTypeOf<SuccessfulOperation['status']>().toEqualTypeOf<'success'>();
  expectTypeOf<SuccessfulOperation>().toExtend<protocol.Operation>();
});

test('viem accepts the addresses of responses, and the signing domain', () => {
  expectTypeOf<Token['createdByAddress']>().toEqualTypeOf<Address>();
  expectTypeOf<Owner['address']>().toEqualTypeOf<Address>();
  expectTypeOf<Contributor['address']>().toEqualTypeOf<Address | null>();
  expectTypeOf<ClaimLink['claimingAddress']>().toEqualTypeOf<Address | null>();
  expectTypeOf<CommunityWithAdmins['adminAddresses']>().toEqualTypeOf<Address[]>();
  expectTypeOf<Environment['eip712']['domain']>().toExtend<TypedDataDomain>();
  expectTypeOf<AddressAndSignature>().toEqualTypeOf<{ address: Address; signature: Address }>();
  expectTypeOf<Token>().toExtend<protocol.Token>();
});

test('an awaited list is a page, an iterated list is items', () => {
  expectTypeOf<BadgeClient['listTokens']>().returns.toEqualTypeOf<List<Token>>();
  expectTypeOf<Awaited<List<Token>>>().toEqualTypeOf<Page<Token>>();
  expectTypeOf<List<Token>>().toExtend<AsyncIterable<Token>>();
});

test('the filter of community tokens has the parameters of the API', () => {
  expectTypeOf<keyof CommunityTokensFilter>().toEqualTypeOf<
    'communityId' | 'limit' | 'offset' | 'order' | 'headline' | 'isHidden' | 'customAttributes'
  >();
});
