import { Agent } from 'node:http';
import { ATTACK_MS, type Attack, type BrokenLog, repeatConcurrently } from './attack.ts';
import { sendRequest } from './http.ts';

const CONNECTIONS = 8;
// A pipe of 64 KiB is full after about 300 lines.
const MIN_RESPONSES = 500;

function createLogAttack(name: string, effect: string, brokenLog: BrokenLog): Attack {
  return {
    name,
    effect: `${effect} The process must respond, and exit with 0 within 40 s of SIGTERM.`,
    countsIf: `the process sent ${MIN_RESPONSES} responses, each of which it logs`,
    brokenLog,
    durationMs: ATTACK_MS,
    hasHappened: ({ 404: responses = 0 }) => responses >= MIN_RESPONSES,
    async send({ url, caller: { localAddress } }, signal) {
      const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
      return await repeatConcurrently(
        CONNECTIONS,
        signal,
        // An unknown path has no rate limit.
        async () => (await sendRequest({ url, path: '/unknown', localAddress, agent, signal })).status,
      );
    },
  };
}

export const LOG_ON_FULL_DISK = createLogAttack(
  'log on a full disk',
  'Starts another process whose stderr is /dev/full, and sends it requests.',
  'full',
);

export const LOG_TO_STALLED_PIPE = createLogAttack(
  'log to a stalled pipe',
  'Starts another process whose stderr is a pipe that nobody reads, and sends it requests.',
  'stalled',
);
