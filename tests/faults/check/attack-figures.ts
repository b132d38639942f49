import type { Counts } from '../attacks/attack.ts';
import type { ProbeKind } from '../journal.ts';
import { isDelayedByProber } from './check-isolation.ts';
import type { History } from './history.ts';

/** What the probes of one kind measured. */
export interface ProbeFigures {
  sent: number;
  failed: number;
  /** The longest time of a probe, without the time in which the prober could not run. */
  maxMs: number;
  /** For how long the service waited for a processor during the slowest probe. */
  serviceWaitMs: number;
}

/** What all attacks of one kind did, and what the probes measured meanwhile. */
export interface AttackFigures {
  attack: string;
  counts: Counts;
  probes: Map<ProbeKind, ProbeFigures>;
  /** Probes that were late only because of the prober. */
  delayed: number;
  /** The peak memory of the process that used the most. */
  peakBytes: number;
}

export function summarizeAttacks(observations: History['observations']): AttackFigures[] {
  const byAttack = new Map<string, AttackFigures>();
  function figuresOf(attack: string): AttackFigures {
    const figures = byAttack.get(attack) ?? {
      attack,
      counts: {},
      probes: new Map(),
      delayed: 0,
      peakBytes: 0,
    };
    byAttack.set(attack, figures);
    return figures;
  }
  for (const seen of observations) {
    if (seen.type === 'attack') {
      const { counts } = figuresOf(seen.attack);
      for (const [name, count] of Object.entries(seen.counts)) counts[name] = (counts[name] ?? 0) + count;
    } else if (seen.type === 'probe') {
      const figures = figuresOf(seen.attack);
      const probe = figures.probes.get(seen.probe) ?? { sent: 0, failed: 0, maxMs: 0, serviceWaitMs: 0 };
      figures.probes.set(seen.probe, probe);
      probe.sent += 1;
      if (seen.failure !== null) probe.failed += 1;
      const servedMs = seen.tookMs - seen.lagMs;
      if (servedMs > probe.maxMs) {
        probe.maxMs = servedMs;
        probe.serviceWaitMs = seen.serviceWaitMs;
      }
      if (isDelayedByProber(seen)) figures.delayed += 1;
    } else if (seen.type === 'memory') {
      const figures = figuresOf(seen.attack);
      figures.peakBytes = Math.max(figures.peakBytes, seen.peakBytes);
    }
  }
  return [...byAttack.values()];
}
