/**
 * Until then, in milliseconds (3 March 1973), a timestamp is more probably one in seconds: until the year
 * 5138.
 */
const SECONDS_UNTIL = 1e11;

/** Says that a timestamp in milliseconds looks like one in seconds, as a list of at most one detail. */
export function describeSeconds(timestamp: number): string[] {
  if (timestamp <= 0 || timestamp >= SECONDS_UNTIL) return [];
  return [`is ${new Date(timestamp).toISOString()}, and looks like seconds: timestamps are in milliseconds`];
}
