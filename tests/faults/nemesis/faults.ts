import { ATTACK_FAULTS } from './attacks.ts';
import { CLIENT_FAULTS } from './clients.ts';
import { DATABASE_FAULTS } from './database.ts';
import { DISK_FAULTS } from './disks.ts';
import { FAILOVER_FAULTS } from './failovers.ts';
import type { Fault } from './fault.ts';
import { KILL_POSTGRES, KILL_SERVICE } from './kills.ts';
import { NETWORK_FAULTS } from './network.ts';
import { PROCESS_FAULTS } from './processes.ts';

/** Every fault. `npm run test:faults -- --list` prints this table. */
export const FAULTS: readonly Fault[] = [
  KILL_SERVICE,
  KILL_POSTGRES,
  ...DATABASE_FAULTS,
  ...NETWORK_FAULTS,
  ...FAILOVER_FAULTS,
  ...PROCESS_FAULTS,
  ...CLIENT_FAULTS,
  ...DISK_FAULTS,
  ...ATTACK_FAULTS,
];
