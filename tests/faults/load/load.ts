import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { changeAndRead } from './change-readers.ts';
import { claimWithCode, fillRoom, manageLinks } from './claim-links.ts';
import { burn, claim } from './claimers.ts';
import { createToken } from './creators.ts';
import { design } from './designers.ts';
import { letExpire } from './expirers.ts';
import { readFeed } from './feed-reader.ts';
import { manageKey } from './key-managers.ts';
import { manageMember } from './member-managers.ts';
import { remindPeople } from './reminders.ts';
import { replaceToken } from './replacers.ts';
import { COMMUNITY_ID, operatorRequest } from './requests.ts';
import { undo } from './undoers.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

/** One kind of user. Each user of the kind repeats `act`, with random pauses of up to `maxPauseMs`. */
interface UserKind {
  name: string;
  count: number;
  /**
   * Does something once. The signal is aborted at the end of the load, so that a long `act` can end early.
   */
  act(world: World, random: Random, signal: AbortSignal): Promise<void>;
  maxPauseMs: number;
}

const USER_KINDS: UserKind[] = [
  { name: 'creator', count: 2, act: createToken, maxPauseMs: 300 },
  { name: 'claimer', count: 20, act: claim, maxPauseMs: 150 },
  { name: 'link manager', count: 1, act: manageLinks, maxPauseMs: 300 },
  { name: 'code claimer', count: 3, act: claimWithCode, maxPauseMs: 300 },
  { name: 'room', count: 1, act: fillRoom, maxPauseMs: 1_000 },
  { name: 'burner', count: 1, act: burn, maxPauseMs: 300 },
  { name: 'replacer', count: 2, act: replaceToken, maxPauseMs: 300 },
  { name: 'expirer', count: 2, act: letExpire, maxPauseMs: 300 },
  { name: 'reminder', count: 1, act: remindPeople, maxPauseMs: 300 },
  { name: 'undoer', count: 3, act: undo, maxPauseMs: 300 },
  { name: 'designer', count: 1, act: design, maxPauseMs: 2_000 },
  { name: 'key manager', count: 1, act: manageKey, maxPauseMs: 500 },
  { name: 'member manager', count: 2, act: manageMember, maxPauseMs: 500 },
  { name: 'reader', count: 1, act: readToken, maxPauseMs: 100 },
  { name: 'feed reader', count: 1, act: readFeed, maxPauseMs: 20 },
  { name: 'change reader', count: 8, act: changeAndRead, maxPauseMs: 100 },
];

/** Replaces the number of users of some kinds. The keys are names of kinds. */
export type UserCounts = Partial<Record<string, number>>;

export interface LoadOptions extends WorldOptions {
  random: Random;
  seed: number;
  userCounts: UserCounts;
}

/** Runs every user until the load is stopped. */
export function startLoad({ random, seed, userCounts, ...options }: LoadOptions) {
  const world = createWorld(seed, options);
  const stopping = new AbortController();

  // Until then, admin airdrops would be refused.
  const appointed = appointAdmin(world);

  async function run({ name, act, maxPauseMs }: UserKind, index: number): Promise<void> {
    await appointed;
    const userRandom = random.fork(`${name} ${index}`);
    while (!stopping.signal.aborted) {
      await act(world, userRandom, stopping.signal);
      const pauseMs = userRandom.integer(maxPauseMs / 4, maxPauseMs);
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = USER_KINDS.flatMap((kind) => {
    const count = userCounts[kind.name] ?? kind.count;
    return Array.from({ length: count }, (_, index) => run(kind, index));
  });
  return {
    /** Resolves when every user has the result of its last request. */
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

// Makes the wallet `admin` an admin of the community, so that it can sign admin airdrops.
async function appointAdmin({ client, admin, adminKey }: World): Promise<void> {
  await client.request(`/v1/communities/${COMMUNITY_ID}`, () =>
    operatorRequest(adminKey, 'PATCH', { adminAddresses: [admin.address] }),
  );
}

async function readToken({ client, tokens }: World, random: Random): Promise<void> {
  const token = random.pick(tokens);
  if (token !== undefined) await client.readToken(token.tokenId);
}
