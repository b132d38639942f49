import type { Context } from '../context.ts';
import type { Loop } from './loop.ts';
import { startSendingMails } from './send-mails.ts';
import { startSupervisingJobs } from './work-jobs.ts';

/** Sends what leaves the house until it is stopped. */
export function startMessages(context: Context): Pick<Loop, 'stop'> {
  const mails = startSendingMails(context);
  const supervision = startSupervisingJobs(context);
  return {
    stop: async () => {
      await Promise.all([mails?.stop(), supervision.stop()]);
    },
  };
}
