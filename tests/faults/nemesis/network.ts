import { databaseTarget } from '@badge/test-support/tcp-proxy';
import type { Random } from '../random.ts';
import type { LossyDatabaseProxy } from '../system/database-proxy.ts';
import type { System } from '../system/system.ts';
import type { Fault } from './fault.ts';
import { HOLD_TOKEN_CHANGES } from './held-changes.ts';

const hasProxy = ({ proxy }: System) => proxy !== null;

const LOSE_COMMITS: Fault = {
  name: "COMMIT's acknowledgement lost",
  effect:
    'The proxy drops the responses to the next 5 to 20 commits, for at most 3 seconds, and closes their connections.',
  countsIf: 'a response was dropped; each one counts',
  weight: 4,
  isPossible: hasProxy,
  async inject({ system: { proxy }, random, holdFor }) {
    const before = proxy?.countLostCommits() ?? 0;
    proxy?.loseCommits(random.integer(5, 20));
    await holdFor(1_000, 3_000);
    proxy?.loseCommits(0);
    return (proxy?.countLostCommits() ?? 0) - before;
  },
};

const MOVE_TO_STANDBY: Fault = {
  name: 'address leads to a standby',
  effect:
    'The proxy closes all connections and leads to a standby that is 5 s behind. Then it leads to the primary again, and keeps the connections to the standby.',
  countsIf: 'there is a standby',
  weight: 2,
  isPossible: ({ standbySocketDir }) => standbySocketDir !== null,
  async inject({ system: { proxy, standbySocketDir, databaseUrl }, holdFor }) {
    if (proxy === null || standbySocketDir === null) return 0;
    const standbyUrl = new URL(databaseUrl);
    standbyUrl.searchParams.set('host', standbySocketDir);
    proxy.redirectAll(databaseTarget(standbyUrl.href));
    await holdFor(1_000, 4_000);
    proxy.redirectNewConnections(databaseTarget(databaseUrl));
    return 1;
  },
};

interface ProxyFault {
  name: string;
  effect: string;
  durationMs: [min: number, max: number];
  start(proxy: LossyDatabaseProxy, random: Random): void;
}

function createProxyFault({ name, effect, durationMs, start }: ProxyFault): Fault {
  return {
    name,
    effect,
    countsIf: 'there is a proxy',
    weight: 2,
    isPossible: hasProxy,
    async inject({ system: { proxy }, random, holdFor }) {
      if (proxy === null) return 0;
      start(proxy, random);
      await holdFor(...durationMs);
      proxy.heal();
      return 1;
    },
  };
}

/** Faults of the connection between the services and PostgreSQL. */
export const NETWORK_FAULTS: Fault[] = [
  LOSE_COMMITS,
  MOVE_TO_STANDBY,
  HOLD_TOKEN_CHANGES,
  createProxyFault({
    name: 'database cut off',
    effect: 'The proxy closes every connection, and immediately closes new ones.',
    durationMs: [500, 4_000],
    start: (proxy) => proxy.cut(),
  }),
  createProxyFault({
    name: 'database silent',
    effect: 'The proxy keeps connections open but passes nothing on.',
    durationMs: [1_000, 8_000],
    start: (proxy) => proxy.hang(),
  }),
  createProxyFault({
    name: 'database slow',
    effect: 'The proxy delays everything by 20 to 250 ms.',
    durationMs: [2_000, 6_000],
    start: (proxy, random) => proxy.delay(random.integer(20, 250)),
  }),
];
