import type { Counts } from '../attacks/attack.ts';
import type { ProbeKind } from '../attacks/prober.ts';
import { isDelayedByProber } from './check-isolation.ts';
import type { History } from './history.ts';

/** What all attacks of one kind did, and what the probes measured meanwhile. */
export interface AttackFigures {
  attack: string;
  counts: Counts;
  probes: Map<ProbeKind, { sent: number; maxMs: number; failed: number }>;
  /** Probes that were late only because of the prober. */
  delayed: number;
  /** The most memory of a process. */
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
      const { sent, maxMs, failed } = figures.probes.get(seen.probe) ?? { sent: 0, maxMs: 0, failed: 0 };
      figures.probes.set(seen.probe, {
        sent: sent + 1,
        maxMs: Math.max(maxMs, seen.tookMs - seen.lagMs),
        failed: failed + (seen.failure === null ? 0 : 1),
      });
      if (isDelayedByProber(seen)) figures.delayed += 1;
    } else if (seen.type === 'memory') {
      const figures = figuresOf(seen.attack);
      figures.peakBytes = Math.max(figures.peakBytes, seen.peakBytes);
    }
  }
  return [...byAttack.values()];
}
