import { setTimeout as wait } from 'node:timers/promises';
import type { Journal } from '../journal.ts';
import type { Random } from '../random.ts';
import { burn, claim } from './claimers.ts';
import type { Client } from './client.ts';
import { createToken } from './creators.ts';
import { type Design, design } from './designers.ts';
import { COMMUNITY_ID } from './requests.ts';
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
  /** Oldest first. */
  designs: Design[];
  journal: Journal;
  apiKey: string;
  /** Who may sign admin airdrops. */
  admin: Wallet;
  /** Different for every run, so that no two tokens are one request. */
  runName: string;
}

interface LoadParts {
  client: Client;
  journal: Journal;
  random: Random;
  seed: number;
  runName: string;
  apiKey: string;
  adminKey: string;
}

/** Sends mixed creates, claims, airdrops, burns, uploads, allowlist changes and reads until it is stopped. */
export function startLoad({ random, seed, adminKey, ...parts }: LoadParts) {
  const wallets = createWallets(seed, WALLETS);
  const [admin] = wallets;
  if (admin === undefined) throw new Error('there are no wallets');
  const world: World = { ...parts, wallets, admin, tokens: [], holders: [], designs: [] };
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

  async function appointAdmin(): Promise<void> {
    await world.client.ask(`/v1/communities/${COMMUNITY_ID}`, () => ({
      method: 'PATCH',
      headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ adminAddresses: [admin?.address] }),
    }));
  }

  const actors = [
    appointAdmin(),
    ...Array.from({ length: CREATORS }, (_, index) => act(`creator ${index}`, createToken, 300)),
    ...Array.from({ length: CLAIMERS }, (_, index) => act(`claimer ${index}`, claim, 150)),
    act('burner', burn, 300),
    act('designer', design, 2_000),
    act('reader', read, 100),
  ];
  return {
    /** Resolves once every actor has its last answer. */
    async stop() {
      stopping.abort();
      await Promise.all(actors);
    },
  };
}

async function read({ client, tokens }: World, random: Random): Promise<void> {
  const token = random.pick(tokens);
  if (token !== undefined) await client.lookAt(token.tokenId);
}
