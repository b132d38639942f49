import type { DiskName } from '../system/small-disk.ts';
import type { Fault } from './fault.ts';

function createFullDiskFault(name: string, disk: DiskName, effect: string): Fault {
  return {
    name,
    effect,
    countsIf: 'the disk was filled',
    weight: 4,
    isPossible: ({ disks }) => disks !== null,
    async inject({ system: { disks }, holdFor }) {
      const isFull = await disks?.fill(disk);
      await holdFor(1_500, 5_000);
      await disks?.free(disk);
      return isFull ? 1 : 0;
    },
  };
}

/** Faults of the disks under PostgreSQL. */
export const DISK_FAULTS: Fault[] = [
  createFullDiskFault('disk of the data full', 'data', "Fills the disk of PostgreSQL's data files."),
  createFullDiskFault('disk of the write-ahead log full', 'wal', 'Fills the disk of the write-ahead log.'),
];
