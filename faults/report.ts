import { INVARIANTS, type Invariant, type Tally } from './check/tally.ts';
import type { ScenarioResult } from './scenario.ts';

const NAMES = Object.keys(INVARIANTS) as Invariant[];

/** What one scenario did and how fast it recovered. */
export function describeScenario(result: ScenarioResult): string {
  const { kills, recoveryTimesMs, answers, drainMs, failedStarts, tokens, claims } = result;
  return [
    `${result.name}: ${tokens} tokens, ${claims} claims`,
    `  kills      service ${kills.service}, PostgreSQL ${kills.postgres}; failed starts ${failedStarts}`,
    `  accepted   ${describeCounts(answers.accepted)}`,
    `  refused    ${describeCounts(answers.refused)}`,
    `  unknown    ${describeCounts(answers.unknown)}`,
    `  recovery   service ${describeTimes(recoveryTimesMs.service)}; PostgreSQL ${describeTimes(recoveryTimesMs.postgres)}`,
    `  drained    ${(drainMs / 1000).toFixed(1)} s after the last fault`,
    '',
  ].join('\n');
}

function describeCounts(counts: Record<string, number>): string {
  const names = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const sum = names.reduce((total, [, count]) => total + count, 0);
  return `${sum}: ${names.map(([name, count]) => `${name} ${count}`).join(', ') || 'none'}`;
}

function describeTimes(timesMs: number[]): string {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const longest = sorted.at(-1);
  if (median === undefined || longest === undefined) return 'none';
  return `median ${(median / 1000).toFixed(2)} s, max ${(longest / 1000).toFixed(2)} s of ${sorted.length}`;
}

/** One line an invariant: what was checked, what was violated, and the first violations. */
export function describeTallies(tallies: Tally[]): string {
  const lines = NAMES.flatMap((name) => {
    const results = tallies.map((tally) => tally.results[name]);
    const sum = (key: 'checked' | 'violations') => results.reduce((total, result) => total + result[key], 0);
    const line = `${name.padEnd(4)}${String(sum('checked')).padStart(9)}${String(sum('violations')).padStart(12)}   ${INVARIANTS[name]}`;
    return [line, ...results.flatMap(({ details }) => details.map((detail) => `       ${detail}`))];
  });
  return ['      checked  violations', ...lines, ''].join('\n');
}

/** The invariants that a run was seen to break, with how often. */
export function describeBroken(tally: Tally): string {
  const broken = NAMES.filter((name) => tally.results[name].violations > 0);
  return broken.map((name) => `${name} ${tally.results[name].violations} times`).join(', ') || 'nothing';
}
