const STEPS = 60;

/**
 * Sums up claims for a chart: at each of 60 steps between the first and the last claim, which part of the
 * claims was made by then. `x` and `y` are from 0 to 1. The times are in ascending order.
 */
export function sumClaims(times: readonly number[]): { x: number; y: number }[] {
  const first = times[0] ?? 0;
  const duration = (times.at(-1) ?? 0) - first;
  const points: { x: number; y: number }[] = [];
  let counted = 0;
  for (let step = 0; step <= STEPS; step += 1) {
    const x = step / STEPS;
    while (counted < times.length && (times[counted] ?? 0) <= first + x * duration) counted += 1;
    points.push({ x, y: counted / times.length });
  }
  return points;
}
