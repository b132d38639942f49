export type Level = 'ok' | 'warning' | 'problem';

/** The result of one check, printed as one line. It contains no secret. */
export interface Finding {
  level: Level;
  check: string;
  found: string;
  /** What to do. Empty for `ok`. */
  advice: string;
}

export function ok(check: string, found: string): Finding {
  return { level: 'ok', check, found, advice: '' };
}

export function warning(check: string, found: string, advice: string): Finding {
  return { level: 'warning', check, found, advice };
}

export function problem(check: string, found: string, advice: string): Finding {
  return { level: 'problem', check, found, advice };
}
