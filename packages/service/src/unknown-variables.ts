/** A variable that looks as if it was meant for the service, which does not read it. It contains no value. */
export interface UnknownVariable {
  name: string;
  /** The variable of the service with the most similar name, if one is similar. */
  nearest: string | null;
}

// The files in deploy/ and compose.yaml use these, and the acceptance suite. The service does not read them.
const OF_OTHER_PROGRAMS = /^BADGE_(IMAGE|HOST|CERTIFICATES|ACME_\w+|API_\d|API_KEY|BASE_URL)$/;
// Kubernetes sets these in each container for a Service whose name begins with "badge".
const OF_KUBERNETES = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;
// A name of another program can be similar to a short one by chance.
const MIN_COMPARED_CHARACTERS = 9;
const MAX_TYPOS = 2;
const MAX_TYPOS_AFTER_PREFIX = 6;

/**
 * Finds variables that are not empty, not known, and begin with `BADGE_` or differ little from a known name.
 */
export function findUnknownVariables(
  env: Record<string, string | undefined>,
  known: ReadonlySet<string>,
): UnknownVariable[] {
  const unknown: UnknownVariable[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!value || known.has(name) || OF_OTHER_PROGRAMS.test(name) || OF_KUBERNETES.test(name)) continue;
    const hasPrefix = /^BADGE_/i.test(name);
    const nearest = findNearest(name, known, hasPrefix ? MAX_TYPOS_AFTER_PREFIX : MAX_TYPOS);
    if (hasPrefix || nearest !== null) unknown.push({ name, nearest });
  }
  return unknown;
}

function findNearest(name: string, known: ReadonlySet<string>, maxTypos: number): string | null {
  let nearest: string | null = null;
  let fewest = maxTypos + 1;
  for (const candidate of known) {
    if (candidate.length < MIN_COMPARED_CHARACTERS) continue;
    const typos = countTypos(name.toUpperCase(), candidate);
    if (typos < fewest) [nearest, fewest] = [candidate, typos];
  }
  return nearest;
}

/**
 * Counts the characters to insert, delete, replace or swap with the next, to get from one text to the other.
 */
function countTypos(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      let typos = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) typos = Math.min(typos, (beforeLast[j - 2] ?? 0) + 1);
      row.push(typos);
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length] ?? 0;
}

/** Says that a variable is unknown. Begins with its name. */
export function describeUnknownVariable({ name, nearest }: UnknownVariable): string {
  const question = nearest === null ? '' : `: did you mean ${nearest}?`;
  return `${name} is not a variable of the service, and has no effect${question}`;
}
