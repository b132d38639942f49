import type { Cluster } from './cluster.ts';
import type { Machine } from './machines.ts';

/** One way in which the primary fails, or is replaced. */
export interface Failure {
  name: string;
  /** What the failure does. */
  effect: string;
  /** True if the failure can end without a failover: the old primary itself accepts writes again. */
  mayKeepPrimary?: boolean;
  begin(cluster: Cluster, primary: Machine, candidate: Machine): Promise<void>;
  /** Repairs the old primary, after the service has recovered. */
  end(cluster: Cluster, primary: Machine): Promise<void>;
}

const SWITCHOVER: Failure = {
  name: 'switchover',
  effect: '`patronictl switchover` makes a standby the primary.',
  begin: (cluster, primary, candidate) => cluster.switchOver(primary, candidate),
  end: async () => undefined,
};

const POSTMASTER_KILLED: Failure = {
  name: 'postmaster killed',
  effect: 'SIGKILL of the postmaster. Patroni starts PostgreSQL again.',
  mayKeepPrimary: true,
  begin: (cluster, primary) => cluster.killPostmaster(primary),
  end: async () => undefined,
};

const SERVER_KILLED: Failure = {
  name: 'Patroni and PostgreSQL killed',
  effect: 'SIGKILL of both. They are started again after the failover.',
  async begin(cluster, primary) {
    cluster.signalPatroni(primary, 'SIGKILL');
    await cluster.killPostmaster(primary);
  },
  end: async (cluster, primary) => cluster.startPatroni(primary),
};

const PATRONI_FROZEN: Failure = {
  name: 'Patroni frozen',
  effect: 'SIGSTOP of Patroni. PostgreSQL stays a primary, until SIGCONT after the failover.',
  begin: async (cluster, primary) => cluster.signalPatroni(primary, 'SIGSTOP'),
  end: async (cluster, primary) => cluster.signalPatroni(primary, 'SIGCONT'),
};

const PRIMARY_CUT_OFF: Failure = {
  name: 'primary cut off',
  effect: 'The primary loses its network. It is connected again after the failover.',
  begin: (_, primary) => primary.disconnect(),
  end: (_, primary) => primary.connect(),
};

const PRIMARY_CUT_OFF_FROM_SERVERS: Failure = {
  name: 'primary cut off from the servers',
  effect:
    'The primary cannot reach the other servers and their etcd, but the service and HAProxy can reach it.',
  begin: ({ machines }, primary) =>
    primary.disconnectFrom(machines.filter((machine) => machine !== primary).map(({ address }) => address)),
  end: (_, primary) => primary.connect(),
};

/** Every failure. `npm run test:failover -- --list` prints them. */
export const FAILURES: readonly Failure[] = [
  SWITCHOVER,
  POSTMASTER_KILLED,
  SERVER_KILLED,
  PATRONI_FROZEN,
  PRIMARY_CUT_OFF,
  PRIMARY_CUT_OFF_FROM_SERVERS,
];
