import type { Context } from '../../context.ts';
import { Refusal } from '../refusal.ts';
import { isBacklogTooOld } from './rules.ts';

/** Refuses to accept another operation while those accepted wait for too long to be settled. */
export function checkBacklog({ backlogWatcher, noteBacklogRefusal }: Context): void {
  if (!isBacklogTooOld(backlogWatcher.oldestAgeMs())) return;
  noteBacklogRefusal();
  throw new Refusal(
    'Unavailable',
    'Accepted operations wait too long to be settled; no more are accepted now.',
  );
}
