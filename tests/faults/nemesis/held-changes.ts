import { setTimeout as wait } from 'node:timers/promises';
import { setTokenHidden } from '../load/operator-actions.ts';
import { COMMUNITY_ID } from '../load/requests.ts';
import type { System } from '../system/system.ts';
import type { Fault, FaultContext } from './fault.ts';

const PATH = `/v1/communities/${COMMUNITY_ID}/tokens?limit=1`;
// The first read stores the response in the process's cache. A change of the token removes the response
// again, so one read may not be enough.
const MAX_READS = 20;
// A read that takes longer is waiting for what the proxy holds back.
const MAX_READ_MS = 300;
// After this time, a process has surely received a request that was sent to it.
const ARRIVAL_MS = 300;
// The systems in which the request to show a token did not succeed at the first attempt. The service may
// execute such an attempt later, and show the token when the next fault has hidden it. So these systems do
// not get this fault again.
const systemsWithLateRequests = new WeakSet<System>();

/**
 * Holds back the responses to reads of the changes of tokens, so that a read waits, until the token has been
 * hidden and a second read has been sent.
 */
export const HOLD_TOKEN_CHANGES: Fault = {
  name: 'changes of tokens held back',
  effect:
    'The proxy holds back what the processes read about changed tokens, so a read of a token waits. Meanwhile, the token is hidden and a second read is sent. The response to the second read must not contain the token (I14).',
  countsIf: 'the first read was waiting when the token was hidden, and the second one was sent afterwards',
  weight: 2,
  isPossible: (system) => system.proxy !== null,
  // A process that is started again has kept no responses.
  excludesKills: true,
  async inject(context) {
    const { system, client, journal, random } = context;
    const { adminKey } = system;
    if (systemsWithLateRequests.has(system)) return 0;
    const processName = random.pick(system.apis)?.name ?? '';
    const tokenId = await readFirstId(context, processName);
    if (tokenId === undefined) return 0;
    const hasReadInFlight = await hideDuringRead(context, { processName, tokenId });
    const attempts = await setTokenHidden({ client, journal, adminKey }, { tokenId, isHidden: false });
    if (attempts !== 1) systemsWithLateRequests.add(system);
    return hasReadInFlight ? 1 : 0;
  },
};

/**
 * Hides the token while a read is waiting. Then sends another read and checks its response. Returns false if
 * no read was waiting, or if the token could not be hidden.
 */
async function hideDuringRead(
  context: FaultContext,
  { processName, tokenId }: { processName: string; tokenId: number },
): Promise<boolean> {
  const { system, client, journal } = context;
  const { adminKey } = system;
  system.proxy?.holdTokenChanges();
  try {
    const earlier = await startWaitingRead(context, processName);
    if (earlier === undefined) return false;
    const isHidden = (await setTokenHidden({ client, journal, adminKey }, { tokenId, isHidden: true })) > 0;
    if (!isHidden) return false;
    const later = readFirstId(context, processName);
    await wait(ARRIVAL_MS);
    system.proxy?.releaseTokenChanges();
    const shownId = await later;
    await earlier.reading;
    if (shownId === tokenId)
      await journal.violation(
        'I14',
        `${PATH} of ${processName} contains token ${tokenId}, which was hidden before`,
      );
    await journal.checked('I14', 1);
    return true;
  } finally {
    system.proxy?.releaseTokenChanges();
  }
}

/**
 * Sends reads until one of them waits. A read waits if the process has its response in the cache, because the
 * process then reads the changes first. Returns undefined if no read waits.
 */
async function startWaitingRead(context: FaultContext, processName: string) {
  for (let left = MAX_READS; left > 0; left -= 1) {
    const reading = readFirstId(context, processName);
    const isDone = await Promise.race([reading.then(() => true), wait(MAX_READ_MS, false)]);
    if (!isDone) return { reading };
  }
  return undefined;
}

/** The id of the first token in the list; undefined if the process is not available or the list is empty. */
async function readFirstId({ client }: FaultContext, processName: string): Promise<number | undefined> {
  const response = await client.readFrom(processName, PATH);
  if (response?.status !== 200) return undefined;
  const { data } = (await response.json()) as { data: { tokenId: number }[] };
  return data[0]?.tokenId;
}
