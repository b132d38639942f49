import { ATTACKS } from '../attacks/attacks.ts';
import { runAttack } from '../attacks/run-attack.ts';
import type { Fault } from './fault.ts';

/** Faults that one caller causes to harm the others. */
export const ATTACK_FAULTS: Fault[] = ATTACKS.map((attack) => ({
  name: attack.name,
  effect: attack.effect,
  countsIf: attack.countsIf,
  weight: 1,
  isAttack: true,
  // A kill would hide what the attack does.
  excludesKills: true,
  inject: async (context) => ((await runAttack(attack, context)) ? 1 : 0),
}));
