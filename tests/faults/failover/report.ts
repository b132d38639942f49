import { describeSettling } from '../report.ts';
import type { ModeResult, Round } from './run-rounds.ts';

const COLUMNS = [
  ['round', 5],
  ['failure', 36],
  ['sessions', 9],
  ['primary', 9],
  ['address', 9],
  ['outage', 9],
  ['added', 9],
  ['readyz', 9],
  ['restarts', 9],
  ['lost', 6],
] as const;

/** The positions of `failure` and `sessions`, which are aligned on the left. */
const TEXT_COLUMNS = [1, 2];

export const TABLE_HEAD = describeCells(COLUMNS.map(([title]) => title));

/** One line of the table. During the run, `lost` is missing, because losses are known only at the end. */
export function describeRound(round: Omit<Round, 'lost'> & { lost?: number }, index: number): string {
  const { failure, endsSessions, restarts, lost } = round;
  const { primaryAfterMs, addressAfterMs, outageMs, addedByServiceMs, readinessDelayMs } = round;
  const times = [primaryAfterMs, addressAfterMs, outageMs, addedByServiceMs, readinessDelayMs];
  return describeCells([
    String(index + 1),
    failure.name,
    endsSessions ? 'cut' : 'kept',
    ...times.map((ms) => `${(ms / 1000).toFixed(1)} s`),
    String(restarts),
    lost === undefined ? '' : String(lost),
  ]);
}

function describeCells(cells: string[]): string {
  const padded = cells.map((cell, index) => {
    const [, width = 0] = COLUMNS[index] ?? [];
    const isText = TEXT_COLUMNS.includes(index);
    return isText ? `  ${cell}`.padEnd(width) : cell.padStart(width);
  });
  return `${padded.join('').trimEnd()}\n`;
}

export const LEGEND = `sessions: whether HAProxy ended the sessions to the old primary (cut) or not (kept).
primary: the time from the failure until a server accepted writes again.
address: the time from the failure until HAProxy led to this server.
outage: the longest time in which an API process accepted no write.
added: the time from the first write that a server accepted after the failure until every API process had accepted one.
readyz: the longest time for which /readyz of a process was wrong.
restarts: how many processes of the service ended.
lost: how many accepted operations are missing from the database.
`;

/** The table of all rounds in one mode, and what the load did. */
export function describeMode(result: ModeResult): string {
  const { mode, rounds, accepted, loadMs } = result;
  const { createToken: creates = 0, claim: claims = 0 } = accepted;
  const perSecond = (count: number) => (count / (loadMs / 1000)).toFixed(0);
  return [
    `${mode === 'sync' ? 'Synchronous' : 'Asynchronous'} replication\n`,
    TABLE_HEAD,
    ...rounds.map(describeRound),
    `accepted: ${creates} creates (${perSecond(creates)}/s) and ${claims} claims (${perSecond(claims)}/s), outages included\n`,
    `${describeSettling(result)} after the last round\n\n`,
  ].join('');
}
