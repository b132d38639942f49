import type { Layout } from './system/system.ts';

/** A system that runs under load while faults are injected. */
export interface Scenario {
  name: string;
  description: string;
  layout: Layout;
  /** The part of the run's time that the scenario gets, relative to the other scenarios. */
  weight: number;
}

const EMBEDDED: Scenario = {
  name: 'embedded',
  description: 'One process, which runs its own PostgreSQL.',
  layout: { database: 'embedded', hasSmallDisks: false, standby: 'none', isAttacked: false },
  weight: 3,
};

export const SEPARATE: Scenario = {
  name: 'separate',
  description:
    'Three processes with the roles all, api and worker, whose clocks differ by hours. They connect through a proxy to a PostgreSQL server with a standby.',
  layout: { database: 'separate', hasSmallDisks: false, standby: 'delayed', isAttacked: false },
  weight: 5,
};

const SMALL_DISKS: Scenario = {
  name: 'small disks',
  description:
    'Like separate, but without a standby, and with PostgreSQL on two small tmpfs disks. Skipped if this user may not mount them.',
  layout: { database: 'separate', hasSmallDisks: true, standby: 'none', isAttacked: false },
  weight: 2,
};

export const ATTACKED: Scenario = {
  name: 'attacks',
  description: 'Like embedded, with rate limits. One caller attacks, while another caller sends probes.',
  layout: { database: 'embedded', hasSmallDisks: false, standby: 'none', isAttacked: true },
  weight: 6,
};

export const FAILOVER: Scenario = {
  name: 'failover',
  description:
    'Like separate, but the standby is synchronous and becomes the primary. The proxy then leads to it.',
  layout: { database: 'separate', hasSmallDisks: false, standby: 'synchronous', isAttacked: false },
  weight: 3,
};

/** Every scenario. `npm run test:faults -- --list` prints this table. */
export const SCENARIOS: readonly Scenario[] = [EMBEDDED, SEPARATE, SMALL_DISKS, FAILOVER, ATTACKED];
