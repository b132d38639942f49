import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { burn, claim } from './claimers.ts';
import type { Client } from './client.ts';
import { createToken } from './creators.ts';
import { createWallets, type Wallet } from './wallets.ts';

const WALLETS = 150;
const CREATORS = 2;
const CLAIMERS = 20;

/** A token that its operation has announced, and what a claimer needs to know of it. */
export interface KnownToken {
  tokenId: number;
  isSignatureRequired: boolean;
  /** Null for an open token. */
  listed: { wallets: Wallet[]; identifiers: string[] } | null;
}

/** What the actors share. */
export interface World {
  client: Client;
  wallets: Wallet[];
  /** Oldest first. */
  tokens: KnownToken[];
  holders: { token: KnownToken; wallet: Wallet }[];
  /** Different for every run, so that no two tokens are one request. */
  runName: string;
}

/** Sends mixed creates, claims, burns and allowlist changes until it is stopped. */
export function startLoad(
  client: Client,
  random: Random,
  { seed, runName }: { seed: number; runName: string },
) {
  const world: World = { client, runName, wallets: createWallets(seed, WALLETS), tokens: [], holders: [] };
  const stopping = new AbortController();

  async function act(
    name: string,
    step: (world: World, random: Random) => Promise<void>,
    longestPauseMs: number,
  ) {
    const chances = random.fork(name);
    while (!stopping.signal.aborted) {
      await step(world, chances);
      const pauseMs = chances.integer(longestPauseMs / 4, longestPauseMs);
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const actors = [
    ...Array.from({ length: CREATORS }, (_, index) => act(`creator ${index}`, createToken, 300)),
    ...Array.from({ length: CLAIMERS }, (_, index) => act(`claimer ${index}`, claim, 150)),
    act('burner', burn, 300),
  ];
  return {
    /** Resolves once every actor has its last answer. */
    async stop() {
      stopping.abort();
      await Promise.all(actors);
    },
  };
}
