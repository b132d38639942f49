import { databaseTarget } from '@badge/test-support/tcp-proxy';
import type { Fault } from './fault.ts';

const hasServerPair: Fault['isPossible'] = ({ serverPair }) => serverPair !== null;

const KILL_PRIMARY: Fault = {
  name: 'primary killed, standby promoted',
  effect:
    'Kills the primary with SIGKILL and promotes the standby. Then the proxy leads to the new primary, and closes all connections.',
  countsIf: 'a postmaster was killed',
  weight: 1,
  isPossible: hasServerPair,
  isFailover: true,
  // A process that is started again connects to the new primary anyway. This fault tests the processes that
  // keep running.
  excludesKills: true,
  async inject({ system: { serverPair, proxy }, journal, holdFor }) {
    if (serverPair === null || proxy === null) return 0;
    const pid = await serverPair.failOver();
    if (pid !== undefined) await journal.append({ type: 'kill', target: 'postgres', pid });
    await holdFor(500, 2_000);
    proxy.redirectAll(databaseTarget(serverPair.primaryUrl));
    return pid === undefined ? 0 : 1;
  },
};

const SWITCH_OVER: Fault = {
  name: 'switchover',
  effect:
    'Promotes the standby and makes the primary its standby. Then the proxy leads to the new primary, and keeps open connections.',
  countsIf: 'the standby was promoted',
  weight: 1,
  isPossible: hasServerPair,
  isFailover: true,
  excludesKills: true,
  async inject({ system: { serverPair, proxy }, holdFor }) {
    if (serverPair === null || proxy === null) return 0;
    await serverPair.switchOver();
    await holdFor(500, 2_000);
    proxy.redirectNewConnections(databaseTarget(serverPair.primaryUrl));
    return 1;
  },
};

/**
 * Faults that make the standby of a pair of servers the primary. Until the proxy is redirected, it leads to
 * the old primary.
 */
export const FAILOVER_FAULTS: Fault[] = [KILL_PRIMARY, SWITCH_OVER];
