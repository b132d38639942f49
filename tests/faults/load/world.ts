import { newWallet, type Wallet } from '@badge/test-support/signing';
import type { Journal } from '../journal.ts';
import type { Client } from './client.ts';

const WALLETS = 150;

/** A token that was created, and what its claimers need to know. */
export interface KnownToken {
  tokenId: number;
  creator: Wallet;
  isSignatureRequired: boolean;
  /** Null for an open token. */
  allowlist: { wallets: Wallet[]; identifiers: string[] } | null;
}

/** A claim link that was created. */
export interface KnownLink {
  claimLinkId: string;
  code: string;
  token: KnownToken;
  /** Whether its code is for a room. */
  isForRoom: boolean;
  /** How many claims without a signature were made with its code. */
  unsignedClaims: number;
  /**
   * Whether a request to pause or resume it was retried. The service may execute the first attempt late,
   * after another one.
   */
  mayChangeLater: boolean;
}

/** An uploaded NFT type. */
export interface Design {
  nftTypeId: string;
  /** Of the uploaded file. */
  sha256: string;
}

/** An API key that the load created, for a community that it also created. */
export interface ManagedKey {
  communityId: string;
  apiKeyId: string;
  apiKey: string;
  isRevoked: boolean;
}

export interface WorldOptions {
  client: Client;
  journal: Journal;
  apiKey: string;
  adminKey: string;
  /** With it, users move times of rows. */
  databaseUrl: string;
  /** Part of every headline: the name and the seed of the run. */
  runName: string;
}

/** What the users of the load share. */
export interface World extends WorldOptions {
  wallets: Wallet[];
  /** The wallet that signs admin airdrops. */
  admin: Wallet;
  /** Oldest first. */
  tokens: KnownToken[];
  /** Wallets that got a token by a claim or an airdrop. Oldest first. */
  holders: { token: KnownToken; wallet: Wallet }[];
  /** Wallets whose token was revoked. Oldest first. */
  revoked: { token: KnownToken; wallet: Wallet }[];
  /** Oldest first. */
  links: KnownLink[];
  /** Oldest first. */
  designs: Design[];
  /** Oldest first. */
  keys: ManagedKey[];
  /** Where the reader of the feed is; null before its first page. */
  feed: { cursor: string | null };
}

export function createWorld(seed: number, options: WorldOptions): World {
  const wallets = Array.from({ length: WALLETS }, (_, index) => newWallet(`faults ${seed} ${index}`));
  const [admin] = wallets;
  if (admin === undefined) throw new Error('there are no wallets');
  return {
    ...options,
    wallets,
    admin,
    tokens: [],
    holders: [],
    revoked: [],
    links: [],
    designs: [],
    keys: [],
    feed: { cursor: null },
  };
}
