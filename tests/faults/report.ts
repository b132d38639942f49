import type { AttackFigures } from './check/attack-figures.ts';
import type { Tally } from './check/tally.ts';
import { INVARIANT_NAMES, INVARIANTS } from './invariants.ts';
import type { ScenarioResult } from './run-scenario.ts';

const NAME_WIDTH = 50;

/** What happened in one scenario. */
export function describeScenario(result: ScenarioResult): string {
  const { outcomes, failedStarts, tokens, claims, floods, attacks, maxPendingMs, reads } = result;
  return [
    `${result.name}: ${tokens} tokens, ${claims} claims, ${reads} reads`,
    `  accepted   ${describeCounts(outcomes.accepted)}`,
    `  refused    ${describeCounts(outcomes.refused)}`,
    `  unknown    ${describeCounts(outcomes.unknown)}`,
    ...floods.map(describeFlood),
    ...attacks.map(describeAttack),
    `  backlog    no operation was pending for more than ${(maxPendingMs / 1000).toFixed(1)} s`,
    `  settled    ${describeSettling(result)} after the last fault`,
    `  starts     ${failedStarts} processes ended before they were ready`,
    '',
  ].join('\n');
}

/** How many operations were final, and when. */
export function describeSettling({
  settleMs,
  unfinishedOperations,
}: {
  settleMs: number;
  unfinishedOperations: number;
}): string {
  const which = unfinishedOperations === 0 ? 'all' : `all but ${unfinishedOperations}`;
  return `${which} operations were final ${(settleMs / 1000).toFixed(1)} s`;
}

function describeFlood(flood: ScenarioResult['floods'][number]): string {
  const { kind, sent, offeredPerSecond, capacityPerSecond, statuses } = flood;
  const capacity =
    capacityPerSecond === null ? '' : `, with a capacity of ${Math.round(capacityPerSecond)}/s`;
  return `  flood      ${kind}: ${sent} sent, ${Math.round(offeredPerSecond)}/s${capacity}: ${describeCounts(statuses)}`;
}

function describeAttack({ attack, counts, probes, delayed, peakBytes }: AttackFigures): string {
  const waitMs = probes.get('healthz')?.serviceWaitMs ?? 0;
  const slowest = [...probes].map(
    ([probe, { sent, maxMs, failed }]) =>
      `${probe} ${(maxMs / 1000).toFixed(2)} s of ${sent}${failed > 0 ? ` (${failed} failed)` : ''}`,
  );
  return [
    `  attack     ${attack}: ${describeCounts(counts)}`,
    `             slowest probes: ${slowest.join(', ')}; memory ${Math.round(peakBytes / 10 ** 6)} MB`,
    `             during the slowest healthz, the service waited for a processor for ${(waitMs / 1000).toFixed(2)} s`,
    ...(delayed > 0
      ? [
          `             ${delayed} probes were late only because the prober did not get a processor, which is no violation`,
        ]
      : []),
  ].join('\n');
}

function describeCounts(counts: Record<string, number>): string {
  const names = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const sum = names.reduce((total, [, count]) => total + count, 0);
  return `${sum}: ${names.map(([name, count]) => `${name} ${count}`).join(', ') || 'none'}`;
}

/** One line per fault: how often it happened in each scenario, and how soon writes were accepted again. */
export function describeFaults(results: ScenarioResult[]): string {
  const times = new Map<string, number[]>();
  for (const { recoveryTimesMs } of results) {
    for (const [fault, own] of recoveryTimesMs) times.set(fault, [...(times.get(fault) ?? []), ...own]);
  }
  const names = new Set([...results.flatMap(({ faults }) => [...faults.keys()]), ...times.keys()]);
  const lines = [...names].map((name) => {
    const counts = results.map(({ faults }) => String(faults.get(name) ?? '').padStart(12));
    return `${name.padEnd(NAME_WIDTH)}${counts.join('')}   ${describeTimes(times.get(name) ?? [])}`;
  });
  const head = results.map(({ name }) => name.padStart(12)).join('');
  return [`${'fault'.padEnd(NAME_WIDTH)}${head}   writes accepted again`, ...lines, ''].join('\n');
}

/** The median of recovery times; null if there are none. */
export function medianOf(timesMs: number[]): number | null {
  return timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length / 2)] ?? null;
}

function describeTimes(timesMs: number[]): string {
  const median = medianOf(timesMs);
  if (median === null) return '';
  const maxMs = Math.max(...timesMs);
  return `median ${(median / 1000).toFixed(2)} s, max ${(maxMs / 1000).toFixed(2)} s of ${timesMs.length}`;
}

/** One line per invariant: checks, violations, and the first violations in detail. */
export function describeTallies(tallies: Tally[]): string {
  const lines = INVARIANT_NAMES.flatMap((name) => {
    const results = tallies.map((tally) => tally.results[name]);
    const sum = (key: 'checked' | 'violations') => results.reduce((total, result) => total + result[key], 0);
    const line = `${name.padEnd(4)}${String(sum('checked')).padStart(9)}${String(sum('violations')).padStart(12)}   ${INVARIANTS[name]}`;
    return [line, ...results.flatMap(({ details }) => details.map((detail) => `       ${detail}`))];
  });
  return ['      checked  violations', ...lines, ''].join('\n');
}

/** The violated invariants, each with its number of violations, or `none`. */
export function describeViolations(tally: Tally): string {
  const violated = INVARIANT_NAMES.filter((name) => tally.results[name].violations > 0);
  return violated.map((name) => `${name} (${tally.results[name].violations})`).join(', ') || 'none';
}
