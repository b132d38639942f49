import type { DiskName } from '../system/small-disk.ts';
import type { Fault } from './fault.ts';

function fullDisk(name: string, disk: DiskName): Fault {
  return {
    name,
    weight: 4,
    isPossible: ({ disks }) => disks !== null,
    async strike({ system: { disks }, last }) {
      await disks?.fill(disk);
      await last(1_500, 5_000);
      await disks?.free(disk);
      return 1;
    },
  };
}

/** Faults of the disks under PostgreSQL. */
export const DISK_FAULTS: Fault[] = [
  fullDisk('disk of the data full', 'data'),
  fullDisk('disk of the write-ahead log full', 'wal'),
];
