import type { ErrorName, Fault } from '@badge/protocol';

/** A "no" that the caller can act on; its status stands in the error table alone. */
export class Refusal extends Error {
  readonly errorName: ErrorName;
  readonly faults: Fault[] | undefined;

  constructor(errorName: ErrorName, detail: string, faults?: Fault[]) {
    super(detail);
    this.errorName = errorName;
    this.faults = faults;
  }
}

const MOST_FAULTS = 100;

/** The refusal of a malformed request: its detail tells the first fault, `errors` lists them, up to 100. */
export function invalidRequest(faults: Fault[]): Refusal {
  const [first] = faults;
  if (first === undefined) return new Refusal('InvalidRequest', 'The request is malformed.');
  const place = 'pointer' in first ? first.pointer || 'The body' : first.parameter;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see errors)` : '';
  return new Refusal('InvalidRequest', `${place} ${first.detail}${more}`, faults.slice(0, MOST_FAULTS));
}

/** Refuses a request with every fault it has; does nothing where there is none. */
export function checkNoFaults(faults: Fault[]): void {
  if (faults.length > 0) throw invalidRequest(faults);
}

/** The refusal of a signature whose shape, v, range or s is wrong. */
export function invalidSignature(): Refusal {
  return new Refusal(
    'InvalidSignature',
    'A signature must be 65 bytes in hex with v 27, 28, 0 or 1, or 64 bytes after EIP-2098, with r and s in range and a low s.',
  );
}
