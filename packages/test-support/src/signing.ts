import { createHash, randomBytes } from 'node:crypto';
import { EIP712_DOMAIN_NAME, EIP712_TYPES, type TokenIdMessageName } from '@badge/protocol';
import { bytesToHex, getAddress, type Hex, type TypedDataDefinition } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

// Signs with viem, not with the service's code, so that the two check each other.

/** An account of viem, with its private key. */
export type Wallet = PrivateKeyAccount & { privateKey: Hex };

/** The domain and types of typed data, such as a service's `eip712` from `GET /v1/environment`. */
export interface Eip712 {
  domain: { name?: string; version?: string; chainId?: number; verifyingContract?: string; salt?: string };
  types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
}

/** The default domain and types of a sandbox service. */
export const SANDBOX: Eip712 = {
  domain: {
    name: EIP712_DOMAIN_NAME,
    chainId: 80001,
    verifyingContract: '0x1000000000000000000000000000000000000001',
  },
  types: EIP712_TYPES,
};

/** Creates a random wallet, or the same wallet for the same seed. */
export function newWallet(seed?: string): Wallet {
  const privateKey = bytesToHex(
    seed === undefined ? randomBytes(32) : createHash('sha256').update(seed).digest(),
  );
  return { ...privateKeyToAccount(privateKey), privateKey };
}

/** A random address, with its checksum. Nobody has its private key. */
export function newAddress(): string {
  return getAddress(bytesToHex(randomBytes(20)));
}

/** Signs any typed data. */
export async function signTypedData(
  wallet: Wallet,
  primaryType: string,
  message: Record<string, unknown>,
  { domain, types }: Eip712 = SANDBOX,
): Promise<Hex> {
  const definition = { domain, types: { [primaryType]: types[primaryType] ?? [] }, primaryType, message };
  return await wallet.signTypedData(definition as TypedDataDefinition);
}

/** The signed value of an absent field, by the field's type. An absent number is signed as 0. */
const ABSENT: Record<string, unknown> = { string: '', 'string[]': [], bool: false };

/**
 * Signs the fields of a create-token body as the type `Badge`. Signs absent and null fields as "", [], false
 * or 0.
 */
export async function signToken(
  wallet: Wallet,
  body: Record<string, unknown>,
  eip712: Eip712 = SANDBOX,
): Promise<Hex> {
  const fields = eip712.types.Badge ?? [];
  const values: Record<string, unknown> = { ...body, communityUniqId: body.communityId };
  const message = fields.map(({ name, type }) => [name, values[name] ?? ABSENT[type] ?? 0]);
  return await signTypedData(wallet, 'Badge', Object.fromEntries(message), eip712);
}

/** Signs the message `{tokenId}` as the given type, such as `Claim` or `Burn`. */
export async function signTokenId(
  wallet: Wallet,
  primaryType: TokenIdMessageName,
  tokenId: number,
  eip712: Eip712 = SANDBOX,
): Promise<Hex> {
  return await signTypedData(wallet, primaryType, { tokenId }, eip712);
}

let tokenNumber = 0;

/**
 * A signed create-token body. Unless `fields` says otherwise: for the community `demo`, with ten claims and
 * no allowlist.
 */
export async function signedToken(
  fields: Record<string, unknown> = {},
  creator = newWallet(),
  eip712: Eip712 = SANDBOX,
) {
  tokenNumber += 1;
  const token = {
    creator: creator.address as string,
    headline: `Token ${tokenNumber} of ${process.pid}`,
    communityId: 'demo',
    nftTypeId: 'defaultOrangeRed',
    isSignatureRequired: false,
    isAllowlistRequired: false,
    totalClaimCount: 10,
    ...fields,
  };
  return { ...token, signature: await signToken(creator, token, eip712) };
}

/** The body of a claim with the claimer's signature. */
export async function signedClaim(tokenId: number, claimer: Wallet, eip712?: Eip712) {
  return {
    claimingAddress: claimer.address,
    signature: await signTokenId(claimer, 'Claim', tokenId, eip712),
  };
}

/** The body of a burn with the owner's signature. */
export async function signedBurn(tokenId: number, owner: Wallet, eip712?: Eip712) {
  return { burningAddress: owner.address, signature: await signTokenId(owner, 'Burn', tokenId, eip712) };
}

/** The body of `addContributors`, signed by the token's creator. */
export async function signedContributors(
  tokenId: number,
  creator: Wallet,
  contributors: unknown,
  eip712?: Eip712,
) {
  return { contributors, signature: await signTokenId(creator, 'AllowlistedAddress', tokenId, eip712) };
}

/** The body of `communityAdminAirdrop`, signed by the admin and the receiver. */
export async function signedAdminAirdrop(
  tokenId: number,
  { admin, receiver }: { admin: Wallet; receiver: Wallet },
  eip712?: Eip712,
) {
  return {
    receivingAddress: receiver.address,
    adminAddress: admin.address,
    adminSignature: await signTokenId(admin, 'CommunityAdminAirdrop', tokenId, eip712),
    receiverSignature: await signTokenId(receiver, 'CommunityAdminAirdropReceiverConsent', tokenId, eip712),
  };
}
