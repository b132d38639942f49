/**
 * Returns a percentile, which is one of the values. `fraction` is from 0 to 1: 0.99 for p99, 1 for the
 * largest value. NaN if there are no values.
 */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? Number.NaN;
}

/**
 * Returns the median; of an even number of values, the mean of the two in the middle. NaN if there are no
 * values.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [lower = Number.NaN, upper = Number.NaN] = [
    sorted[Math.ceil(middle) - 1],
    sorted[Math.floor(middle)],
  ];
  return (lower + upper) / 2;
}
